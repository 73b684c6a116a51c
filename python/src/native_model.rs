//! `NativeModel`: the base class of `Classifier` and `Regressor`.

#![expect(non_snake_case, reason = "X is the name that every scikit-learn user knows")]

use crate::arguments::{self, Count, shown};
use crate::array_input::{self, InputForm};
use crate::batch::{Counters, Fitting, OwnedBatch, counters};
use crate::error::{not_fitted, to_python};
use crate::float_type::{NumpyFloat, with_learner};
use crate::metadata::{self, MetadataDict};
use crate::shared_model::{SharedModel, learner_of};
use crate::warnings::Warnings;
use crate::{parameters, thread_pool};
use budgetrs::model::{AnyLearner, Fit, Model, Passes};
use budgetrs::{Error, persist};
use numpy::PyArray1;
use pyo3::exceptions::{PyAttributeError, PyKeyError};
use pyo3::prelude::*;
use pyo3::pyclass::{PyTraverseError, PyVisit};
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};

/// The base class of the native classes: saving, scaling, parameters and attributes. It has no instances of its own.
/// Its name is `model`, because messages about arguments of inherited methods show it: "model.save() missing ...".
#[pyclass(subclass, frozen, weakref, name = "model", module = "budgetrs._core")]
pub(crate) struct NativeModel {
    pub(crate) shared: SharedModel,
    /// `None` is 0, which is no valid number of jobs.
    pub(crate) n_jobs: AtomicI64,
    pub(crate) warnings: Warnings,
    /// The metadata; the core's model has none.
    pub(crate) metadata: MetadataDict,
}

impl NativeModel {
    /// A new model. It shares the gamma, scaling, metric, columns and float type of another, if one is given.
    pub(crate) fn new(
        mut model: Model,
        n_jobs: Option<i64>,
        feature_space: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        if let Some(other) = feature_space {
            let Ok(native) = other.cast::<Self>() else {
                let expected = "a Classifier or a Regressor";
                return Err(to_python(Error::parameter("feature_space", expected, shown(other))));
            };
            let other = &native.get().shared;
            other.read(native.py(), |other| model.share_preprocessing_of(other).map_err(to_python))?;
        }
        thread_pool::n_threads(n_jobs).map_err(to_python)?;
        let (shared, n_jobs) = (SharedModel::new(model), AtomicI64::new(n_jobs.unwrap_or(0)));
        Ok(Self { shared, n_jobs, warnings: Warnings::default(), metadata: MetadataDict::default() })
    }
}

/// A matrix of a model that has learned: its values and shape, from the learner of either float type.
macro_rules! matrix {
    ($model:ident, $py:ident, $learner:ident => $values_and_shape:expr) => {{
        let matrix = $model.shared.read_learner($py, |any| {
            with_learner!(any, $learner => {
                let (values, shape) = $values_and_shape;
                Ok(NumpyFloat::matrix(values, shape))
            })
        });
        matrix?.into_array($py)
    }};
}

fn no_attribute(what: &str) -> PyErr {
    PyAttributeError::new_err(format!("this model has no {what}"))
}

fn no_linear_term() -> PyErr {
    no_attribute("linear term (linear_weight = None)")
}

/// Names as an array of objects: the dtype of `feature_names_in_` in scikit-learn.
fn objects(py: Python<'_>, names: Vec<String>) -> PyResult<Bound<'_, PyAny>> {
    py.import("numpy")?.call_method1("array", (names, "object"))
}

#[pymethods]
impl NativeModel {
    /// Learn a data set in several passes, each in a new random order.
    ///
    /// Use it if all rows are there, and `learn` for a stream. Later passes do not change the progressive error and the
    /// calibration. The estimators, such as `OnlineKernelClassifier`, call it.
    ///
    /// In regression with algorithm "online-kernel" `fit` ends with a ridge regression of the residuals on the inputs of
    /// the linear term and the kernel functions of the support vectors, without it if ``shuffle=False`` or `forget` is a
    /// number. With ``passes="auto"`` it stops after a pass if more than 1,000 rows are learned in all, and more than 40%
    /// of the variance of recent targets is unexplained.
    ///
    /// Parameters
    /// ----------
    /// X, y, sample_weight
    ///     As for `learn`.
    /// passes : "auto" or int, default="auto"
    ///     The number of passes. "auto" is 3 passes over up to 100,000 rows with algorithm "online-kernel", otherwise 1.
    /// shuffle : bool, default=True
    ///     Whether each pass has a new random order, which depends on `seed`; otherwise the rows keep their order, and "auto"
    ///     makes one pass.
    ///
    /// Returns
    /// -------
    /// Classifier or Regressor
    ///     The model itself.
    ///
    /// Raises
    /// ------
    /// ValueError, TypeError
    ///     If an argument is invalid, or the model has learned rows: then create a new one, or continue with `learn`. The
    ///     model does not change.
    // The estimators pass `on_pass`: a model that has learned rows then continues, and the callable gets the number of the
    // pass, the maximum number of passes, the row numbers in the order of the pass, the counters after half of the rows and
    // after all rows, and the number of support vectors.
    #[pyo3(
        signature = (X, y, *, sample_weight = None, passes = Passes::Auto, shuffle = true, on_pass = None),
        text_signature = "($self, X, y, *, sample_weight=None, passes=\"auto\", shuffle=True)"
    )]
    fn fit<'py>(
        slf: Bound<'py, Self>,
        X: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        sample_weight: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = arguments::passes)] passes: Passes,
        #[pyo3(from_py_with = arguments::shuffle)] shuffle: bool,
        on_pass: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        let batch = OwnedBatch::read(slf.get().task(slf.py())?, y, None, sample_weight)?;
        let fit = Fit { passes, shuffle };
        let fitting = Some(Fitting { fit, on_pass });
        Self::learn(&slf, X, InputForm::Batch, &OwnedBatch { fitting, ..batch })?;
        Ok(slf)
    }

    /// Raise the errors that `learn` would raise, and learn nothing.
    ///
    /// Parameters
    /// ----------
    /// X, y, sample_weight
    ///     As `learn` takes them.
    ///
    /// Raises
    /// ------
    /// ValueError, TypeError
    ///     As `learn` does.
    #[pyo3(signature = (X, y, *, sample_weight = None))]
    fn validate(
        &self,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.check(X, &OwnedBatch::read(self.task(X.py())?, y, None, sample_weight)?)
    }

    /// Set a scaling: raw rows are standardised, ``(x - mean) / std``, before the kernel.
    ///
    /// Only before the first row, and not with ``scaling="online"``. Kernels of distances are invariant to the shift by
    /// the mean, so the shift is left out, and sparse rows stay sparse unless a metric is learned. Dot-product kernels
    /// (linear, poly, cosine, sigmoid) make sparse rows dense.
    ///
    /// Parameters
    /// ----------
    /// mean, std : array of shape (d,)
    ///     Mean and standard deviation of each feature (with `hash_features`: of each hashed feature). A standard
    ///     deviation of 0 counts as 1.
    fn set_scaling(&self, py: Python<'_>, mean: &Bound<'_, PyAny>, std: &Bound<'_, PyAny>) -> PyResult<()> {
        let (mean, deviation) =
            (array_input::read_floats("mean", mean)?, array_input::read_floats("std", std)?);
        self.shared.modify(py, |model| model.set_scaling(mean, deviation).map_err(to_python))
    }

    /// Append features to a model that has learned, before rows with more features come.
    ///
    /// The new features count as zero in all rows learned so far.
    ///
    /// Parameters
    /// ----------
    /// n_features : int
    ///     The new total number of features, not less than the present one. With `hash_features`, which accepts rows
    ///     with any number of columns, only `n_features_encoded_` changes.
    /// keep_gamma : bool, default=False
    ///     Keep gamma although it depends on the number of features. Use it to predict rows with features that the
    ///     model has not learned.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If `n_features` is less than the present number, or the columns of the model have names. Without
    ///     `keep_gamma` also if a row has been learned and gamma depends on the number of features: with "auto", and
    ///     with "scale" before row 1024. From row 1024 on, gamma is constant with "scale".
    #[pyo3(signature = (n_features, *, keep_gamma = false))]
    fn add_features(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::n_features)] n_features: Count,
        #[pyo3(from_py_with = arguments::keep_gamma)] keep_gamma: bool,
    ) -> PyResult<()> {
        self.shared.modify(py, |model| {
            let n_features = n_features.0;
            let is_named = model.columns.is_some() && model.spec.spec().hash_features.is_none();
            let learner = model.trained.as_mut().ok_or_else(not_fitted)?;
            with_learner!(learner, learner => {
                if is_named && n_features != learner.n_columns() {
                    let expected = format!("{}, because the columns of the model have names", learner.n_columns());
                    return Err(to_python(Error::parameter("n_features", expected, n_features)));
                }
                learner.add_features(n_features, keep_gamma).map_err(to_python)
            })
        })
    }

    /// Write the model to a file, atomically.
    ///
    /// Parameters
    /// ----------
    /// path : str or path-like
    ///     The file. An existing file is replaced.
    /// metadata : dict, optional
    ///     What to write in the same file, such as the offsets of a log: JSON values of at most 65,536 bytes in all. It
    ///     replaces `model.metadata` once the file is written. By default the file has `model.metadata`.
    ///
    /// Raises
    /// ------
    /// ParameterError
    ///     If `metadata` is no dict that JSON preserves, or too large. Nothing is written then.
    /// OSError
    ///     As Python's `open` does: `FileNotFoundError`, `PermissionError`, `IsADirectoryError`. `model.metadata` is
    ///     unchanged then.
    #[pyo3(signature = (path, *, metadata = None))]
    fn save(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::path)] path: PathBuf,
        metadata: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.write(py, metadata, |bytes| persist::write_atomic(&path, &bytes))
    }

    /// Return the bytes that `save` writes.
    ///
    /// Parameters
    /// ----------
    /// metadata : dict, optional
    ///     As in `save`.
    ///
    /// Returns
    /// -------
    /// bytes
    ///     The file content; equal models with equal metadata have equal bytes.
    ///
    /// Raises
    /// ------
    /// ParameterError
    ///     If `metadata` is no dict that JSON preserves, or too large.
    #[pyo3(signature = (*, metadata = None))]
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
        metadata: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.write(py, metadata, Ok)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Read a model from a file. The file cannot run code.
    ///
    /// Parameters
    /// ----------
    /// path : str or path-like
    ///     A file that `save` wrote.
    /// n_jobs : int or None, default=None
    ///     Number of threads of prediction, which is not in the file.
    ///
    /// Returns
    /// -------
    /// Classifier or Regressor
    ///     The model. It continues training exactly as the saved model would.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If the file is no model file of this class, or is damaged.
    /// OSError
    ///     If the file cannot be read, as from Python's `open`.
    #[classmethod]
    #[pyo3(signature = (path, *, n_jobs = None))]
    fn load<'py>(
        cls: &Bound<'py, PyType>,
        #[pyo3(from_py_with = arguments::path)] path: PathBuf,
        #[pyo3(from_py_with = arguments::n_jobs)] n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let source = format!("{}: ", path.display());
        Self::read_as(cls, || Model::load(&path), n_jobs, (&source, "load"))
    }

    /// Create a model from the bytes of `to_bytes`. The bytes cannot run code.
    ///
    /// Parameters
    /// ----------
    /// data : bytes-like
    ///     The bytes: bytes, bytearray, memoryview or another buffer.
    /// n_jobs : int or None, default=None
    ///     Number of threads of prediction.
    ///
    /// Returns
    /// -------
    /// Classifier or Regressor
    ///     The model.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If the bytes are no model file of this class, or are damaged.
    #[classmethod]
    #[pyo3(signature = (data, *, n_jobs = None))]
    fn from_bytes<'py>(
        cls: &Bound<'py, PyType>,
        #[pyo3(from_py_with = arguments::data)] data: Bound<'_, PyBytes>,
        #[pyo3(from_py_with = arguments::n_jobs)] n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let data = data.as_bytes();
        Self::read_as(cls, || Model::from_bytes(data), n_jobs, ("", "from_bytes"))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let new = slf.py().import("copyreg")?.getattr("__newobj__")?;
        (new, (slf.get_type(),), slf.get().__getstate__(slf.py())?).into_pyobject(slf.py())
    }

    /// The state that pickle and skops write: the bytes of `to_bytes`, and `n_jobs`.
    fn __getstate__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let state = PyDict::new(py);
        state.set_item("model", self.to_bytes(py, None)?)?;
        state.set_item("n_jobs", self.n_jobs())?;
        Ok(state)
    }

    /// Replaces a model that has learned nothing by the model of a state.
    fn __setstate__(&self, py: Python<'_>, state: &Bound<'_, PyDict>) -> PyResult<()> {
        let item = |name| state.get_item(name)?.ok_or_else(|| PyKeyError::new_err(name));
        let (data, n_jobs) = (item("model")?.extract::<Vec<u8>>()?, item("n_jobs")?.extract()?);
        self.set_state(py, &data, n_jobs)
    }

    /// A dict of your own, such as the offsets of a log, that the files, bytes, pickles and copies of the model have: JSON
    /// values of at most 65,536 bytes in all. Loading restores it, training does not change it, and it is empty in a new
    /// model. `save` checks it.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> Bound<'py, PyDict> {
        self.metadata.get(py)
    }

    #[setter]
    fn set_metadata(&self, metadata: &Bound<'_, PyAny>) -> PyResult<()> {
        self.metadata.replace(metadata.py(), &metadata::read(metadata)?)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.metadata.traverse(&visit)
    }

    fn __clear__(&self) {
        self.metadata.clear();
    }

    /// The name of the algorithm.
    #[getter]
    fn algorithm(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.shared.read(py, |model| Ok(model.spec.spec().algorithm))
    }

    /// The parameters that apply, and `n_jobs`, with their values.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let spec = self.shared.read(py, |model| Ok(model.spec.spec().clone()))?;
        let params = parameters::to_dict(py, &spec)?;
        params.set_item("n_jobs", self.n_jobs())?;
        Ok(params)
    }

    /// Number of threads of prediction: None is 1, -1 all processors. It may be set at any time and changes no result.
    #[getter]
    pub(crate) fn n_jobs(&self) -> Option<i64> {
        Some(self.n_jobs.load(Ordering::Relaxed)).filter(|&n| n != 0)
    }

    #[setter(n_jobs)]
    fn set_n_jobs(&self, #[pyo3(from_py_with = arguments::n_jobs)] n_jobs: Option<i64>) -> PyResult<()> {
        thread_pool::n_threads(n_jobs).map_err(to_python)?;
        self.n_jobs.store(n_jobs.unwrap_or(0), Ordering::Relaxed);
        Ok(())
    }

    /// Name of the label or target column in the files that the model learned, or None. The command line sets it, and ignores
    /// the column in files to predict. At most 4,096 bytes.
    #[getter(target_name)]
    fn get_target_name(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.shared.read(py, |model| Ok(model.target_name.clone()))
    }

    #[setter(target_name)]
    fn set_target_name(&self, py: Python<'_>, name: Option<String>) -> PyResult<()> {
        self.shared.modify(py, |model| model.set_target_name(name).map_err(to_python))
    }

    /// Whether `predict_proba` is available: in classification with "online-kernel" or the log loss.
    #[getter]
    fn has_probabilities(&self, py: Python<'_>) -> PyResult<bool> {
        self.shared.read(py, |model| Ok(model.spec.has_probabilities()))
    }

    /// Approximate size of the model in bytes, for `sys.getsizeof`.
    fn __sizeof__(&self, py: Python<'_>) -> PyResult<usize> {
        let memory = |any: &AnyLearner| with_learner!(any, l => l.memory());
        let learned = self.shared.read(py, |model| Ok(model.trained.as_ref().map_or(0, memory)))?;
        Ok(size_of::<Self>().saturating_add(learned))
    }

    /// The object that raises the warnings.
    #[getter]
    fn _checks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.warnings.checks(py).cloned()
    }

    /// Compute the kernel values of rows with the support vectors: shape (n, n_support_vectors_).
    fn _kernel_values<'py>(slf: &Bound<'py, Self>, X: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        slf.get().kernel_values(X)?.into_array(slf.py())
    }

    /// Compute the terms of the scores of a row, for `explain_one`.
    fn _explain<'py>(slf: &Bound<'py, Self>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        slf.get().explain(x)
    }

    /// Number of columns of X, before one-hot encoding; with `hash_features` and without column names, number of columns
    /// of the widest rows learned.
    #[getter]
    fn n_features_in_(&self, py: Python<'_>) -> PyResult<usize> {
        self.shared.read(py, |model| {
            let width = with_learner!(learner_of(model)?, l => l.n_columns());
            Ok(model.columns.as_ref().map_or(width, |columns| columns.n_columns()))
        })
    }

    /// Number of features after one-hot encoding: each category of a categorical column is one feature; with
    /// `hash_features`, number of columns of the widest rows learned.
    #[getter]
    fn n_features_encoded_(&self, py: Python<'_>) -> PyResult<usize> {
        self.shared.read_learner(py, |any| Ok(with_learner!(any, l => l.n_columns())))
    }

    /// Names of the columns, an array of str; `AttributeError` if the first rows learned had no names.
    #[getter]
    fn feature_names_in_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let names = self.shared.columns(py)?.names().map(str::to_owned).collect();
        objects(py, names)
    }

    /// Return the name of each feature, after one-hot encoding.
    ///
    /// Returns
    /// -------
    /// ndarray of str, shape (n_features_encoded_,)
    ///     The column, or "column=category" for each category of a categorical column.
    ///
    /// Raises
    /// ------
    /// AttributeError
    ///     If the first rows learned had no names.
    fn get_feature_names_out<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        objects(py, self.shared.columns(py)?.feature_names())
    }

    /// Float type of the model and of its results.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let name = self.shared.read_learner(py, |any| Ok(any.type_name()))?;
        py.import("numpy")?.call_method1("dtype", (name,))
    }

    /// Present value of gamma; `AttributeError` for kernels without gamma.
    #[getter]
    fn gamma_(&self, py: Python<'_>) -> PyResult<f64> {
        let kernel = self.shared.read_learner(py, |any| Ok(with_learner!(any, l => l.kernel())))?;
        let missing = || PyAttributeError::new_err(format!("the kernel {:?} has no gamma", kernel.name()));
        kernel.gamma().ok_or_else(missing)
    }

    /// Support vectors, shape (n_support_vectors_, d), in insertion order; d counts the features after one-hot encoding
    /// and hashing. If the model scales or learns a metric, support vectors are scaled and mapped by the metric.
    #[getter]
    fn support_vectors_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        matrix!(self, py, l => (l.support_vectors(), [l.n_support(), l.n_features()]))
    }

    /// Coefficients of the support vectors, shape (1, n_support_vectors_) for two classes and for regression, otherwise
    /// (n_classes, n_support_vectors_).
    #[getter]
    fn dual_coef_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        matrix!(self, py, l => (l.dual_coef(), [l.n_outputs(), l.n_support()]))
    }

    /// Matrix A of the learned metric, shape (d, d); if the model learns only scales, the diagonal of A, shape (1, d).
    /// d counts the features after one-hot encoding and hashing. `AttributeError` without a metric.
    #[getter]
    fn components_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let missing = || no_attribute("components_: it learns no metric (metric_learning = \"none\")");
        matrix!(self, py, l => {
            let entries = l.components().ok_or_else(missing)?;
            let rows = entries.len() / l.n_features();
            (entries, [rows, l.n_features()])
        })
    }

    /// Coefficients of the linear term, shape (1, d) for two classes and for regression, otherwise
    /// (n_classes, d); d counts the features after one-hot encoding and hashing. `AttributeError` without a linear
    /// term.
    #[getter]
    fn coef_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        matrix!(self, py, l => (l.linear().ok_or_else(no_linear_term)?.0, [l.n_outputs(), l.n_features()]))
    }

    /// Slopes of the linear term for values from 3 to 40 standard deviations from the mean, shape (1, d): there the
    /// prediction changes by this number per standard deviation; `coef_` has the slopes up to 3. d counts the features
    /// after one-hot encoding and hashing. `AttributeError` unless the model is a regressor with "online-kernel" and
    /// ``scaling="online"``.
    #[getter]
    fn tail_coef_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let missing = || {
            no_attribute(
                "tail_coef_: only regressors with algorithm = \"online-kernel\" and scaling = \"online\" do",
            )
        };
        matrix!(self, py, l => (l.linear_tail().ok_or_else(missing)?, [l.n_outputs(), l.n_features()]))
    }

    /// Intercepts of the linear term, shape (1,) for two classes and for regression, otherwise (n_classes,).
    /// `AttributeError` without a linear term.
    #[getter]
    fn intercept_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let column = matrix!(self, py, l => (l.linear().ok_or_else(no_linear_term)?.1, [l.n_outputs(), 1]));
        column?.call_method0("ravel")
    }

    /// Number of support vectors.
    #[getter]
    fn n_support_vectors_(&self, py: Python<'_>) -> PyResult<usize> {
        self.shared.read_count(py, |any| with_learner!(any, l => l.n_support()))
    }

    /// Number of rows learned, without rows of weight 0; 0 before the first row.
    #[getter]
    fn n_samples_seen_(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.shared.counts(py)?.n_seen)
    }

    /// The counters that `fit` passes to `on_pass`; zeros before the first row.
    #[getter]
    fn _counters(&self, py: Python<'_>) -> PyResult<Counters> {
        Ok(counters(&self.shared.counts(py)?))
    }

    /// Progressive error of the prediction that repeats the target of the row before, over the rows learned for the first
    /// time: the share of labels that differ from it; in regression the mean squared error.
    #[getter]
    fn no_change_error_(&self, py: Python<'_>) -> PyResult<f64> {
        self.shared.mean_error(py, |_, baselines| baselines.no_change)
    }

    /// Number of rows whose label could change the model when they were learned: with the ramp loss the rows whose
    /// `needs_label` was true, with other losses all.
    #[getter]
    fn n_queries_(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.shared.counts(py)?.queries)
    }

    /// Number of rows that changed the model.
    #[getter]
    fn n_updates_(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.shared.counts(py)?.updates)
    }

    /// Error of about the last 1,000 rows, each predicted just before it was learned for the first time: the share of wrong
    /// predictions; in regression the mean absolute error. An exponentially weighted mean, over the first 1,000 rows the
    /// mean.
    #[getter]
    fn recent_error_(&self, py: Python<'_>) -> PyResult<f64> {
        self.shared.read_learner(py, |any| Ok(with_learner!(any, l => l.counts().recent_error)))
    }

    /// Number of abrupt drifts detected; 0 unless ``forget="auto"``.
    #[getter]
    fn n_drifts_(&self, py: Python<'_>) -> PyResult<u64> {
        self.shared.read_count(py, |any| with_learner!(any, l => l.n_drifts()))
    }

    /// Values of `n_samples_seen_` at the last abrupt drifts, at most 16, in ascending order.
    #[getter]
    fn drift_rows_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let rows = self.shared.read_count(py, |any| with_learner!(any, l => l.drift_rows().to_vec()))?;
        Ok(PyArray1::from_iter(py, rows.into_iter().map(|row| row as i64)))
    }

    /// Number of times that the scaling of a feature restarted, summed over the features; 0 unless
    /// ``scaling="online"``.
    #[getter]
    fn n_scaling_restarts_(&self, py: Python<'_>) -> PyResult<u64> {
        self.shared.read_count(py, |any| with_learner!(any, l => l.n_restarts()))
    }

    /// The features with one value that repeats far outside their range, these values, and the number of rows that have
    /// them at least; with ``scaling="online"``.
    fn _repeated_outliers(&self, py: Python<'_>) -> PyResult<Vec<(usize, f64, u32)>> {
        self.shared.read_learner(py, |any| Ok(with_learner!(any, l => l.repeated_outliers())))
    }

    /// Number of budget maintenance steps.
    #[getter]
    fn n_maintenances_(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.shared.counts(py)?.maintenances)
    }

    /// Mean gradient error `|Delta w| / eta_t` per budget maintenance (Wang, Crammer and Vucetic 2010, Theorem 1); for
    /// rules without a step size (PA, MIRA, Perceptron, "online-kernel") the mean `|Delta w|`.
    #[getter]
    fn mean_weight_degradation_(&self, py: Python<'_>) -> PyResult<f64> {
        self.shared.read_learner(py, |any| Ok(with_learner!(any, l => l.mean_weight_degradation())))
    }
}
