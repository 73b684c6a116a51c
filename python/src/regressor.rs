//! `Regressor`: the native class for regression.

#![expect(non_snake_case, reason = "X is the name that every scikit-learn user knows")]

use crate::arguments::{self, Argument, FileBytes, FilePath, FitPasses, NJobs, SampleWeight, Shuffle};
use crate::array_input::InputForm;
use crate::arrays;
use crate::batch::{Fitting, OwnedBatch, OwnedTargets};
use crate::error::to_python;
use crate::model_file;
use crate::native_model::{self, NativeModel};
use crate::parameters::{self, AlgorithmName};
use crate::single_row::RowPrediction;
use budgetrs::model::{Fit, Model};
use budgetrs::{Spec, Target, Task};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat};

/// Kernel regressor that learns from a stream in one pass, with at most `budget` support vectors.
///
/// The rest of the docstring and the signature are in `python/budgetrs/_signatures.py`.
#[pyclass(extends = NativeModel, frozen, module = "budgetrs._core")]
pub(crate) struct Regressor;

impl Regressor {
    pub(crate) fn with(py: Python<'_>, base: NativeModel) -> PyResult<Py<Self>> {
        Py::new(py, PyClassInitializer::from(base).add_subclass(Self))
    }
}

#[pymethods]
impl Regressor {
    #[new]
    #[pyo3(
        signature = (algorithm = AlgorithmName::default(), *, n_jobs = Argument(None), feature_space = None, **parameters),
        text_signature = None
    )]
    fn py_new(
        algorithm: AlgorithmName,
        n_jobs: Argument<NJobs>,
        feature_space: Option<&Bound<'_, PyAny>>,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let spec = Spec::named_regression(&algorithm.0).map_err(to_python)?;
        let spec = parameters::from_keywords(spec, parameters, &["n_jobs", "feature_space"])?;
        let spec = parameters::check(&spec, parameters)?;
        spec.check_task(Task::Regression).map_err(to_python)?;
        let mut model = Model::new(spec);
        native_model::share_preprocessing(&mut model, feature_space)?;
        Ok(PyClassInitializer::from(NativeModel::new(model, n_jobs.0)?).add_subclass(Self))
    }

    /// Learn every row of a batch, in order.
    ///
    /// Parameters
    /// ----------
    /// X : array-like, scipy.sparse CSR or data frame of shape (n, d)
    ///     As for `Classifier.learn`.
    /// y : array-like of shape (n,)
    ///     Numbers from -1e15 to 1e15. A single column is accepted too, also as a data frame.
    /// sample_weight : array-like of shape (n,), optional
    ///     Weights from 0 to 1e9, as for `Classifier.learn`.
    /// order : array-like of int, optional
    ///     As for `Classifier.learn`.
    /// repeated : bool, optional
    ///     True if the rows were learned before, in an earlier pass. Progressive errors, drift detection and calibration,
    ///     which need rows that are new to the model, leave them out.
    /// add_features : bool, default=False
    ///     As for `Classifier.learn`.
    ///
    /// Returns
    /// -------
    /// Regressor
    ///     Itself.
    ///
    /// Raises
    /// ------
    /// ValueError, TypeError
    ///     If an argument is invalid. Nothing is learned.
    #[pyo3(signature = (X, y, *, sample_weight = None, order = None, repeated = false, add_features = false))]
    fn learn<'py>(
        slf: Bound<'py, Self>,
        X: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        sample_weight: Option<&Bound<'py, PyAny>>,
        order: Option<&Bound<'py, PyAny>>,
        repeated: bool,
        add_features: bool,
    ) -> PyResult<Bound<'py, Self>> {
        let order = order.map(arrays::read_order).transpose()?;
        let batch = OwnedBatch::read(Task::Regression, y, None, sample_weight)?;
        let batch = OwnedBatch { order, repeated, add_features, ..batch };
        NativeModel::learn(slf.as_super(), X, InputForm::Batch, &batch)?;
        Ok(slf)
    }

    /// Learn a data set in several passes, each in a new random order.
    ///
    /// Use it if all rows are there, and `learn` for a stream. Later passes do not change the progressive error and the
    /// calibration. The estimators `OnlineKernelRegressor` and others call it.
    ///
    /// With algorithm "online-kernel" `fit` ends with a ridge regression of the residuals on the inputs of the linear term
    /// and the kernel functions of the support vectors, without it if ``shuffle=False`` or `forget` is a number. With
    /// ``passes="auto"`` it stops after a pass if more than 1,000 rows are learned in all, and more than 40% of the variance
    /// of recent targets is unexplained.
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
    /// Regressor
    ///     The model itself.
    ///
    /// Raises
    /// ------
    /// ValueError, TypeError
    ///     If an argument is invalid, or the model has learned rows: then create a new one, or continue with `learn`. The
    ///     model does not change.
    #[pyo3(signature = (X, y, *, sample_weight = None, passes = Argument(FitPasses::default()), shuffle = Argument(true)))]
    #[pyo3(text_signature = "($self, X, y, *, sample_weight=None, passes=\"auto\", shuffle=True)")]
    fn fit<'py>(
        slf: Bound<'py, Self>,
        X: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        sample_weight: Option<&Bound<'py, PyAny>>,
        passes: Argument<FitPasses>,
        shuffle: Argument<Shuffle>,
    ) -> PyResult<Bound<'py, Self>> {
        let fit = Fit { passes: passes.0.0, shuffle: shuffle.0 };
        let fitting = Fitting { fit, continues: false, on_pass: None };
        NativeModel::fit(slf.as_super(), X, (y, sample_weight), fitting)?;
        Ok(slf)
    }

    /// Learn one row: an array, or a dict of values by the names of the columns.
    ///
    /// As `Classifier.learn_one`, with a target instead of a label.
    #[pyo3(
        signature = (x, y, *, sample_weight = Argument(1.0), add_features = false),
        text_signature = "($self, x, y, *, sample_weight=1.0, add_features=False)"
    )]
    fn learn_one<'py>(
        slf: Bound<'py, Self>,
        x: &Bound<'py, PyAny>,
        y: Argument<arguments::RowTarget>,
        sample_weight: Argument<SampleWeight>,
        add_features: bool,
    ) -> PyResult<Bound<'py, Self>> {
        let target = |_: &Model| Some(Target::Value(y.0));
        if slf.as_super().get().learn_holding_gil(x, target, sample_weight.0, add_features)? {
            return Ok(slf);
        }
        let batch = OwnedBatch::new(OwnedTargets::Values(vec![y.0]), Some(vec![sample_weight.0]));
        let batch = OwnedBatch { add_features, ..batch };
        NativeModel::learn(slf.as_super(), x, InputForm::Row, &batch)?;
        Ok(slf)
    }

    /// Predict the target of each row: shape (n,), in the model's float type.
    fn predict<'py>(slf: &Bound<'py, Self>, X: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        slf.as_super().get().scores(X, InputForm::Batch)?.into_scores(slf.py())
    }

    /// Predict an interval for the target of each row; only with algorithm "online-kernel".
    ///
    /// In the long run a share `coverage` of the targets of a stream lies in the intervals predicted just before each row
    /// is learned, even after drift (adaptive conformal inference, Gibbs and Candes 2021). The coverage of parts of the
    /// stream may differ.
    ///
    /// Parameters
    /// ----------
    /// X : array-like, scipy.sparse CSR or data frame of shape (n, d)
    ///     The rows.
    /// coverage : float, default=0.9
    ///     The share of the targets, from 0.5 to 0.99.
    ///
    /// Returns
    /// -------
    /// ndarray of shape (n, 2)
    ///     Lower and upper ends, around the predictions, in the model's float type. Unlike predictions they are not
    ///     limited to the range of the targets seen: clip them if targets have bounds, for example at 0.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If the coverage is out of range, with any other algorithm, or with ``average="random"``.
    #[pyo3(
        signature = (X, coverage = Argument(0.9)),
        text_signature = "($self, X, coverage=0.9)"
    )]
    fn predict_interval<'py>(
        slf: &Bound<'py, Self>,
        X: &Bound<'py, PyAny>,
        coverage: Argument<arguments::Coverage>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.as_super().get().intervals(X, coverage.0)?.into_array(slf.py())
    }

    /// Predict the target of one row: an array, or a dict of values by the names of the columns.
    fn predict_one<'py>(slf: &Bound<'py, Self>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let base = slf.as_super().get();
        if let Some(RowPrediction::Value(value)) = base.predict_holding_gil(x)? {
            return Ok(PyFloat::new(slf.py(), value).into_any());
        }
        base.scores(x, InputForm::Row)?.into_array(slf.py())?.call_method0("item")
    }

    /// Read a model from a file, as `Classifier.load` does. The file cannot run code.
    #[staticmethod]
    #[pyo3(signature = (path, *, n_jobs = Argument(None)), text_signature = "(path, *, n_jobs=None)")]
    fn load(py: Python<'_>, path: Argument<FilePath>, n_jobs: Argument<NJobs>) -> PyResult<Py<Self>> {
        let model = model_file::read(py, &path.0)?;
        Self::with(py, NativeModel::of_task(model, Task::Regression, Some(&path.0), n_jobs)?)
    }

    /// Create a model from the bytes of `to_bytes`. The bytes cannot run code.
    #[staticmethod]
    #[pyo3(signature = (data, *, n_jobs = Argument(None)), text_signature = "(data, *, n_jobs=None)")]
    fn from_bytes(py: Python<'_>, data: FileBytes<'_>, n_jobs: Argument<NJobs>) -> PyResult<Py<Self>> {
        let model = model_file::parse(py, data.as_slice())?;
        Self::with(py, NativeModel::of_task(model, Task::Regression, None, n_jobs)?)
    }

    /// Progressive mean of `|y - f|` over all rows, each predicted just before it was learned for the first time.
    #[getter]
    fn mean_absolute_error_(slf: &Bound<'_, Self>) -> PyResult<f64> {
        let counts = slf.as_super().get().shared.counts(slf.py())?;
        Ok(counts.absolute_error / counts.n_new.max(1) as f64)
    }

    /// Progressive mean of `(y - f)^2` over all rows, each predicted just before it was learned for the first time.
    #[getter]
    fn mean_squared_error_(slf: &Bound<'_, Self>) -> PyResult<f64> {
        let counts = slf.as_super().get().shared.counts(slf.py())?;
        Ok(counts.squared_error / counts.n_new.max(1) as f64)
    }

    /// The mean of `(y - y')^2` over the same rows, with the target y' of the row before.
    #[getter]
    fn no_change_error_(slf: &Bound<'_, Self>) -> PyResult<f64> {
        slf.as_super().get().shared.mean_baseline(slf.py(), |baselines| baselines.no_change)
    }

    /// The mean of `(y - m)^2` over the same rows, with the mean m of the targets of the rows before.
    #[getter]
    fn constant_error_(slf: &Bound<'_, Self>) -> PyResult<f64> {
        slf.as_super().get().shared.mean_baseline(slf.py(), |baselines| baselines.constant)
    }
}
