//! `Classifier`: the native class for services.

use crate::arguments::{Argument, FilePath, Jobs, Weight};
use crate::array_input::Form;
use crate::arrays;
use crate::error::to_python;
use crate::labels::{self, ClassObjects, Labels};
use crate::methods::Scores;
use crate::native_model::{self, NativeModel};
use crate::parameters::{self, AlgorithmName};
use crate::single_row::Predicted;
use crate::snapshot::{Batch, BatchTargets};
use arc_swap::ArcSwapOption;
use budgetrs::Classes;
use budgetrs::model::Model;
use budgetrs::{Spec, Target, Task};
use numpy::PyArray1;
use pyo3::exceptions::PyAttributeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// A kernel classifier that learns from a stream with at most `budget` support vectors.
///
/// Learning a batch is the same as learning its rows one by one, for every batch size. A call with invalid input
/// changes nothing. After Ctrl-C the model keeps the rows learned so far. Other threads may predict while one learns.
/// An array that another thread makes illegal during a call is an error; the rows before are learned. A process that is
/// forked while another thread learns has the model as it was before that call.
///
/// Parameters
/// ----------
/// algorithm : str, default="online-kernel"
///     One of `ALGORITHMS`; it sets the defaults of the other parameters, which ``Classifier(algorithm).params`` shows.
///     The default needs no tuning and takes raw rows. Sparse rows of many features are learned several times faster by
///     "bsgd-merge".
/// {parameters}
/// n_jobs : int or None, default=None
///     Threads of prediction; the result does not depend on it. None is one, -1 all processors.
/// classes : sequence, optional
///     All labels of the stream, at least 2; any other label is an error. By default classes come as they come: a label
///     that was never seen is a new class.
/// like : Classifier or Regressor, optional
///     A model that has learned, of the same kernel, gamma, scale, missing, metric and hash_features. The new one
///     begins with its gamma, scaling, metric, columns and number type, which stay as they are, and with nothing else:
///     so models that begin like one model have one kernel, and `budgetrs.combine` takes them.
///
/// Attributes
/// ----------
/// classes_ : ndarray of shape (n_classes,)
///     The labels: sorted if `classes` was given, and of bools; else in the order in which they were first seen. Like
///     all attributes below it does not exist before it is known.
/// n_features_in_ : int
///     Number of features; each word of a column of words is one. With `hash_features` the columns of the widest rows
///     learned, while all shapes below have the features that these are folded into.
/// feature_names_in_ : ndarray of str
///     The names of the columns, if a frame was learned first.
/// feature_names_ : ndarray of str, shape (n_features_in_,)
///     The name of each feature then: that of its column, or "column=word".
/// dtype : dtype
///     The type of the model and of all results: float32 if the first batch was, else float64.
/// gamma_ : float
///     The gamma in use.
/// support_vectors_ : ndarray of shape (n_support_vectors_, n_features_in_)
///     The support vectors, in insertion order.
/// dual_coef_ : ndarray of shape (1, n_support_vectors_) or (n_classes, n_support_vectors_)
///     Their coefficients; one row for two classes, or for the only one seen so far.
/// metric_ : ndarray of shape (n_features_in_, n_features_in_) or (1, n_features_in_)
///     The matrix A of a learned metric, ``z = A @ x``; the diagonal of a diagonal one.
/// coef_, intercept_ : ndarray of shape (1 or n_classes, n_features_in_) and (1 or n_classes,)
///     The linear part, where `linear` is a number: of rows scaled as the model scales them.
/// n_support_vectors_ : int
///     Their number.
/// n_seen_, n_updates_, n_mistakes_ : int
///     Rows learned (rows of weight 0 are not counted), rows that changed the model, rows predicted wrongly just before
///     they were learned.
/// n_queries_ : int
///     Rows whose label could change the model when they were learned; equal to `n_seen_` unless the loss is "ramp".
/// n_drifts_ : int
///     Abrupt changes of the stream that were found; 0 unless ``forget="auto"``.
/// n_maintenances_ : int
///     How often the budget was restored.
/// mean_weight_degradation_ : float
///     Mean norm of the change of the weight vector per budget maintenance; with SGD or BOGD divided by the step size.
///
/// Raises
/// ------
/// ParameterError
///     When a parameter is not legal or does not apply, or two do not go together.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from budgetrs import Classifier
/// >>> rng = np.random.default_rng(0)
/// >>> X = rng.uniform(-1, 1, (2000, 2)) * [1e3, 1e-3]  # raw rows: features in any units
/// >>> y = np.where(X[:, 0] * X[:, 1] > 0, "even", "odd")
/// >>> model = Classifier(budget=50).learn(X, y)
/// >>> model.predict([[500.0, 0.0005], [500.0, -0.0005]]).tolist()
/// ['even', 'odd']
#[pyclass(extends = NativeModel, frozen, module = "budgetrs._core")]
pub(crate) struct Classifier {
    /// Those that were last asked for. Classes are appended and never change, so what was right for a class stays so.
    classes: ArcSwapOption<ClassObjects>,
}

/// The task, whatever the number of classes.
const CLASSES: Task = Task::Classes(2);

impl Classifier {
    fn new() -> Self {
        Self { classes: ArcSwapOption::empty() }
    }

    pub(crate) fn with(py: Python<'_>, base: NativeModel) -> PyResult<Py<Self>> {
        Py::new(py, PyClassInitializer::from(base).add_subclass(Self::new()))
    }

    /// The classes as they are now.
    fn objects(slf: &Bound<'_, Self>) -> PyResult<Arc<ClassObjects>> {
        let (py, cached) = (slf.py(), slf.get().classes.load_full());
        let labels = slf.as_super().get().shared.read_holding_gil(py, |state| Ok(state.n_labels()))?;
        if let Some(cached) = cached.filter(|cached| cached.count == labels) {
            return Ok(cached);
        }
        let classes =
            slf.as_super().get().shared.read_holding_gil(py, |state| Ok(state.model.classes.clone()))?;
        let missing = || PyAttributeError::new_err("this Classifier does not know its classes yet");
        let objects = Arc::new(ClassObjects::new(py, &classes.ok_or_else(missing)?)?);
        slf.get().classes.store(Some(Arc::clone(&objects)));
        Ok(objects)
    }

    /// The label of a class that the model has, or had.
    fn label<'py>(slf: &Bound<'py, Self>, class: usize) -> PyResult<Bound<'py, PyAny>> {
        let cached = slf.get().classes.load();
        match cached.as_ref().filter(|cached| class < cached.count) {
            Some(cached) => cached.labels.bind(slf.py()).get_item(class),
            None => Self::objects(slf)?.labels.bind(slf.py()).get_item(class),
        }
    }
}

/// What comes with the rows of a batch.
fn batch<'py>(
    y: &Bound<'py, PyAny>,
    classes: Option<&Bound<'py, PyAny>>,
    weights: Option<&Bound<'py, PyAny>>,
    order: Option<&Bound<'py, PyAny>>,
) -> PyResult<Batch> {
    let classes = classes.map(|classes| labels::read("classes", classes)).transpose()?;
    let labels = Labels { classes, y: labels::read("y", y)? };
    Ok(Batch {
        targets: BatchTargets::Labels(labels),
        weights: weights.map(|weights| arrays::read("sample_weight", weights)).transpose()?,
        order: order.map(arrays::read_order).transpose()?,
        milestone: None,
    })
}

#[pymethods]
impl Classifier {
    #[new]
    #[pyo3(
        signature = (algorithm = AlgorithmName::default(), *, classes = None, n_jobs = Argument(None), like = None, **parameters),
        text_signature = "(algorithm=\"online-kernel\", *, classes=None, n_jobs=None, like=None, **parameters)"
    )]
    fn py_new(
        algorithm: AlgorithmName,
        classes: Option<&Bound<'_, PyAny>>,
        n_jobs: Argument<Jobs>,
        like: Option<&Bound<'_, PyAny>>,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let spec = Spec::named(&algorithm.0).map_err(to_python)?;
        let spec = parameters::from_keywords(spec, parameters, &["classes", "n_jobs", "like"])?;
        let mut model = Model::new(spec.check().map_err(to_python)?);
        model.spec.check_task(CLASSES).map_err(to_python)?;
        if let Some(classes) = classes {
            let classes = Classes::of(&labels::read("classes", classes)?).map_err(to_python)?;
            Model::check_classes(&classes).map_err(to_python)?;
            model.classes = Some(classes);
        }
        native_model::begin_like(&mut model, like)?;
        Ok(PyClassInitializer::from(NativeModel::new(model, n_jobs.0)?).add_subclass(Self::new()))
    }

    /// Learn every row of a batch, in order.
    ///
    /// Parameters
    /// ----------
    /// X : array-like, scipy.sparse CSR or data frame of shape (n, d)
    ///     Finite numbers, or NaN with ``missing="mean"``. C-contiguous arrays of the model's type are read in place.
    ///     The first batch fixes the type: float32 stays float32, all else is float64. A distance to a sparse row is
    ///     computed from norms, by the row's entries alone: if all rows are far from the origin, compared to the
    ///     distances between them, sparse rows lose precision that dense rows keep. Columns of a frame (of pandas, or
    ///     with the Arrow C stream interface: polars, pyarrow, DuckDB) go by their names, those of the first batch, in
    ///     any order. Each word of a column of strings or categories is a feature: 1 where it stands, else 0. Words may
    ///     come late.
    /// y : array-like of shape (n,)
    ///     Labels of one type: 64-bit integers, floats, bools or strings; also a column of them. 30 rows or more whose
    ///     labels are mostly different fractions are refused as targets of regression, unless `classes` is given.
    /// classes : sequence, optional
    ///     All labels of the stream, for the first call. By default classes come as they come: one exists from the
    ///     first row of weight > 0 that has its label (of bools both from the first row on), however the rows are cut
    ///     into batches. When the third comes, the one score f of the first two becomes -f/2 and f/2; the scores of a
    ///     new class are 0.
    /// sample_weight : array-like of shape (n,), optional
    ///     Multiplies the step (PA, MIRA: C; online kernel machine: C0) of each row, 0 to 1e9; a row of weight 0 is
    ///     skipped.
    /// order : array-like of int, optional
    ///     Row indices, in the order in which the rows are learned; the rows are not copied. Default: the order of `X`.
    ///     With the kernel "poly" it is an error while gamma still depends on the rows seen ("scale", "standardized",
    ///     up to row 1024).
    ///
    /// Returns
    /// -------
    /// Classifier
    ///     Itself.
    ///
    /// Raises
    /// ------
    /// ValueError, TypeError
    ///     When a value is not finite, a shape wrong, a label unknown or a row too long for the type: one of weight w
    ///     where `|x|^2` (`|x|_1` of the Laplacian kernel) or `max(1, w)^2 k(x, x)` exceeds 1e28 in float32, 1e140 in
    ///     float64. Nothing is learned then.
    /// RuntimeError
    ///     When it is called from a signal handler that runs within another `learn` of the same model.
    /// KeyboardInterrupt
    ///     The rows learned so far stay learned.
    #[pyo3(signature = (X, y, *, classes = None, sample_weight = None, order = None))]
    #[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
    fn learn<'py>(
        slf: Bound<'py, Self>,
        X: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        classes: Option<&Bound<'py, PyAny>>,
        sample_weight: Option<&Bound<'py, PyAny>>,
        order: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        let batch = batch(y, classes, sample_weight, order)?;
        slf.as_super().get().learn(X, Form::Batch, &batch)?;
        Ok(slf)
    }

    /// Learn as `learn` does; return the rows and the mistakes that had been counted when `rows` of the batch were
    /// learned.
    #[pyo3(signature = (X, y, *, order, rows))]
    #[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
    fn _learn_watched<'py>(
        slf: &Bound<'py, Self>,
        X: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        order: Option<&Bound<'py, PyAny>>,
        rows: usize,
    ) -> PyResult<(u64, u64)> {
        let counts = slf.as_super().get().learn_watched(X, batch(y, None, None, order)?, rows)?;
        Ok((counts.n_seen, counts.mistakes))
    }

    /// Refuse what `learn` would refuse, and learn nothing.
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
    #[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
    fn check<'py>(
        slf: &Bound<'py, Self>,
        X: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        sample_weight: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        slf.as_super().get().check(X, &batch(y, None, sample_weight, None)?)
    }

    /// Learn one row.
    ///
    /// Parameters
    /// ----------
    /// x : array-like of shape (d,)
    ///     The row.
    /// y : label
    ///     Its label; one that was never seen is a new class, unless `classes` was given.
    /// sample_weight : float, default=1.0
    ///     Multiplies the step (PA, MIRA: C; online kernel machine: C0), 0 to 1e9.
    ///
    /// Returns
    /// -------
    /// Classifier
    ///     Itself.
    ///
    /// Raises
    /// ------
    /// ValueError, TypeError, RuntimeError
    ///     As `learn`.
    #[pyo3(signature = (x, y, *, sample_weight = Argument(1.0)), text_signature = "($self, x, y, *, sample_weight=1.0)")]
    fn learn_one<'py>(
        slf: Bound<'py, Self>,
        x: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        sample_weight: Argument<Weight>,
    ) -> PyResult<Bound<'py, Self>> {
        let class = |model: &Model| {
            labels::known_class(y, model.classes.as_ref()?).map(|class| Target::Class(class as u32))
        };
        if slf.as_super().get().learn_holding_gil(x, class, sample_weight.0)? {
            return Ok(slf);
        }
        let labels = Labels { classes: None, y: labels::read("y", y)? };
        let batch = Batch {
            targets: BatchTargets::Labels(labels),
            weights: Some(vec![sample_weight.0]),
            order: None,
            milestone: None,
        };
        slf.as_super().get().learn(x, Form::Row, &batch)?;
        Ok(slf)
    }

    /// Predict the label of each row.
    ///
    /// Parameters
    /// ----------
    /// X : array-like, scipy.sparse CSR or data frame of shape (n, d)
    ///     The rows, as `learn` takes them; words that it has not learned are 0 everywhere.
    ///
    /// Returns
    /// -------
    /// ndarray of shape (n,)
    ///     Labels, of the type of ``classes_``.
    #[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
    fn predict<'py>(slf: &Bound<'py, Self>, X: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let classes = slf.as_super().get().classes(X, Form::Batch)?.into_iter().map(i64::from).collect();
        let indices = PyArray1::from_vec(slf.py(), classes);
        Self::objects(slf)?.array.bind(slf.py()).call_method1(intern!(slf.py(), "take"), (indices,))
    }

    /// Predict the label of one row.
    ///
    /// Parameters
    /// ----------
    /// x : array-like of shape (d,)
    ///     The row.
    ///
    /// Returns
    /// -------
    /// label
    ///     One of ``classes_``.
    fn predict_one<'py>(slf: &Bound<'py, Self>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let base = slf.as_super().get();
        if let Some(Predicted::Class(class)) = base.predict_holding_gil(x)? {
            return Self::label(slf, class);
        }
        let classes = base.classes(x, Form::Row)?;
        let class = classes.first().map_or(0, |&class| class as usize);
        Self::label(slf, class)
    }

    /// Compute the scores of each row.
    ///
    /// Parameters
    /// ----------
    /// X : array-like, scipy.sparse CSR or data frame of shape (n, d)
    ///     The rows.
    ///
    /// Returns
    /// -------
    /// ndarray of shape (n,) or (n, n_classes)
    ///     For two classes one score, positive for ``classes_[1]``, also while only the first of them has been seen;
    ///     else one per class, the largest wins.
    #[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
    fn decision_function<'py>(slf: &Bound<'py, Self>, X: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Scores { numbers, rows, outputs } = slf.as_super().get().scores(X, Form::Batch)?;
        let scores = numbers.into_array(slf.py(), [rows, outputs])?;
        if outputs == 1 { scores.call_method1("reshape", (rows,)) } else { Ok(scores) }
    }

    /// Compute the probability of each class, with loss "log_loss" or algorithm "online-kernel" alone.
    ///
    /// Parameters
    /// ----------
    /// X : array-like, scipy.sparse CSR or data frame of shape (n, d)
    ///     The rows.
    ///
    /// Returns
    /// -------
    /// ndarray of shape (n, n_classes)
    ///     Probabilities in the order of `classes_`, in the model's type; 1 while only one class has been seen.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     With another loss and algorithm, whose scores are no probabilities.
    #[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
    fn predict_proba<'py>(slf: &Bound<'py, Self>, X: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Scores { numbers, rows, outputs } = slf.as_super().get().probabilities(X)?;
        numbers.into_array(slf.py(), [rows, outputs])
    }

    /// Return which rows are worth a label: no label of the others could change the model.
    ///
    /// With ``loss="ramp"`` alone (Wang and Vucetic 2010, section 4): where ``|f| <= 1``, or for many classes the two
    /// best scores differ by 1 at most. A model that learns these rows alone is the same, once gamma is fixed,
    /// without ``scale="online"``.
    ///
    /// Parameters
    /// ----------
    /// X : array-like, scipy.sparse CSR or data frame of shape (n, d)
    ///     The rows.
    ///
    /// Returns
    /// -------
    /// ndarray of bool, shape (n,)
    ///     True where a label could change the model.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     With another loss, or with an `average`, which counts every row.
    #[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
    fn needs_label<'py>(slf: &Bound<'py, Self>, X: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let needed = slf.as_super().get().needs_label(X)?;
        Ok(PyArray1::from_vec(slf.py(), needed).into_any())
    }

    /// Read a model from a file. No code in it runs.
    ///
    /// Parameters
    /// ----------
    /// path : str or path-like
    ///     A file that `save` wrote.
    /// n_jobs : int or None, default=None
    ///     Threads of prediction; a file does not say.
    ///
    /// Returns
    /// -------
    /// Classifier
    ///     The model; it continues exactly where the saved one stopped.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If the file is not a model, or damaged.
    /// OSError
    ///     If it cannot be read, as Python's `open` does.
    #[staticmethod]
    #[pyo3(signature = (path, *, n_jobs = Argument(None)), text_signature = "(path, *, n_jobs=None)")]
    fn load(py: Python<'_>, path: Argument<FilePath>, n_jobs: Argument<Jobs>) -> PyResult<Py<Self>> {
        Self::with(py, NativeModel::load(py, path.0, n_jobs, CLASSES)?)
    }

    /// Make a model from the bytes of `to_bytes`. No code in them runs.
    ///
    /// Parameters
    /// ----------
    /// data : bytes
    ///     The bytes.
    /// n_jobs : int or None, default=None
    ///     Threads of prediction.
    ///
    /// Returns
    /// -------
    /// Classifier
    ///     The model.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If they are not a model, or damaged.
    #[staticmethod]
    #[pyo3(signature = (data, *, n_jobs = Argument(None)), text_signature = "(data, *, n_jobs=None)")]
    fn from_bytes(py: Python<'_>, data: Argument<&[u8]>, n_jobs: Argument<Jobs>) -> PyResult<Py<Self>> {
        Self::with(py, NativeModel::from_data(py, data.0, n_jobs, CLASSES)?)
    }

    /// The labels of the classes, in the order of scores and probabilities.
    #[getter]
    fn classes_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::objects(slf)?.array.bind(slf.py()).call_method0("copy")
    }

    /// From now on labels that were never seen are new classes, although the list was given.
    ///
    /// The command line needs it: a pipe begins with the sorted classes of its first rows, as a file does.
    ///
    /// Raises a ValueError before the first row is learned.
    fn _open_classes(slf: &Bound<'_, Self>) -> PyResult<()> {
        slf.as_super().get().shared.change(slf.py(), |state| {
            state.trained()?;
            state.model.grows = state.model.classes != Some(Classes::Bool);
            Ok(())
        })
    }

    /// Rows predicted wrongly just before they were learned.
    #[getter]
    fn n_mistakes_(slf: &Bound<'_, Self>) -> PyResult<u64> {
        slf.as_super().get().n_mistakes(slf.py())
    }
}
