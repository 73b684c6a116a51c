//! `Classifier`: the native class for classification.

#![expect(non_snake_case, reason = "X is the name that every scikit-learn user knows")]

use crate::arguments::{self, Coverage};
use crate::array_input::InputForm;
use crate::batch::{CLASSES, OwnedBatch, OwnedTargets};
use crate::error::{not_fitted, reject_keywords, to_python};
use crate::labels::{self, ClassObjects};
use crate::native_model::NativeModel;
use crate::parameters;
use crate::single_row::RowPrediction;
use arc_swap::ArcSwapOption;
use budgetrs::Classes;
use budgetrs::model::Model;
use budgetrs::{Spec, Target};
use numpy::PyArray1;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// Kernel classifier that learns from a stream in one pass, with at most `budget` support vectors.
///
/// The rest of the docstring and the signature are in `python/budgetrs/_signatures.py`.
#[pyclass(extends = NativeModel, frozen, module = "budgetrs._core")]
pub(crate) struct Classifier {
    /// A cache. Classes are appended and never change, so a cached label stays valid.
    classes: ArcSwapOption<ClassObjects>,
}

impl Classifier {
    /// The present classes.
    fn objects(slf: &Bound<'_, Self>) -> PyResult<Arc<ClassObjects>> {
        let (py, cached) = (slf.py(), slf.get().classes.load_full());
        let count = cached.as_ref().map_or(0, |cached| cached.count);
        let new = slf.as_super().get().shared.read_holding_gil(py, |model| {
            let classes = model.classes.as_ref().ok_or_else(not_fitted)?;
            Ok((classes.len() != count).then(|| classes.clone()))
        })?;
        if let (None, Some(cached)) = (&new, cached) {
            return Ok(cached);
        }
        let objects = Arc::new(ClassObjects::new(py, &new.ok_or_else(not_fitted)?)?);
        slf.get().classes.store(Some(Arc::clone(&objects)));
        Ok(objects)
    }

    /// The label of a class, by its index.
    fn label<'py>(slf: &Bound<'py, Self>, class: usize) -> PyResult<Bound<'py, PyAny>> {
        let cached = slf.get().classes.load();
        match cached.as_ref().filter(|cached| class < cached.count) {
            Some(cached) => cached.labels.bind(slf.py()).get_item(class),
            None => Self::objects(slf)?.labels.bind(slf.py()).get_item(class),
        }
    }
}

#[pymethods]
impl Classifier {
    #[new]
    #[pyo3(signature = (algorithm = "online-kernel".to_owned(), *, classes = None, n_jobs = None, feature_space = None, **parameters), text_signature = None)]
    fn py_new(
        #[pyo3(from_py_with = arguments::algorithm)] algorithm: String,
        classes: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arguments::n_jobs)] n_jobs: Option<i64>,
        feature_space: Option<&Bound<'_, PyAny>>,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let (spec, own) = (Spec::named(&algorithm), &["classes", "n_jobs", "feature_space"]);
        let mut model = parameters::new_model(spec, CLASSES, parameters, own)?;
        if let Some(classes) = classes {
            let classes = Classes::of(&labels::read("classes", classes)?).map_err(to_python)?;
            Model::check_classes(&classes).map_err(to_python)?;
            model.check_class_weight(&classes).map_err(to_python)?;
            model.classes = Some(classes);
        }
        Ok(PyClassInitializer::from(NativeModel::new(model, n_jobs, feature_space)?)
            .add_subclass(Self { classes: ArcSwapOption::empty() }))
    }

    /// Learn every row of a batch, in order.
    ///
    /// Parameters
    /// ----------
    /// X : array-like, scipy.sparse CSR or data frame of shape (n, d)
    ///     n rows of d columns: finite numbers, or NaN with ``missing="mean"``. C-contiguous arrays of the model's
    ///     float type are read without a copy of the whole array. The first batch fixes the float type: float32 for
    ///     float32, float64 for all other types. A distance to a sparse row is computed from norms and the stored
    ///     values of the row, so sparse rows far from the origin, compared with the distances between them, lose
    ///     precision that dense rows keep. Columns of a data frame (of pandas, or with the Arrow C stream interface:
    ///     polars, pyarrow, DuckDB) are matched by name, in any order. Columns of strings or categories are one-hot
    ///     encoded. New categories may appear at any time.
    /// y : array-like of shape (n,)
    ///     Labels of one type: 64-bit integers, floats, bools or strings. A single column is accepted too. Without
    ///     `classes`, 30 rows or more whose labels are mostly different fractions raise an error: they look like
    ///     targets of regression.
    /// classes : sequence, optional
    ///     All labels of the stream, for the first call. By default new classes may appear at any time: a class exists
    ///     from the first row of weight > 0 with its label, however the rows are cut into batches. (Bools have both
    ///     classes from the first row on.) When the third class appears, the score f of the first two becomes -f/2 and
    ///     f/2. The scores of a new class are 0.
    /// sample_weight : array-like of shape (n,), optional
    ///     Weights from 0 to 1e9; a row of weight 0 is skipped. With "online-kernel" a row of q times the mean weight
    ///     acts as about q rows. With the other algorithms a weight is a factor of the step (PA, MIRA: of C).
    /// repeated : bool, optional
    ///     True if the rows were learned before, in an earlier pass. Progressive errors, drift detection and calibration,
    ///     which need rows that are new to the model, leave them out.
    /// add_features : bool, default=False
    ///     Whether columns that the model does not have become features, which count as 0 in all rows learned so far:
    ///     columns of a data frame with a new name, in the order of the names, or further columns at the end of an array.
    ///     From then on a column that a data frame lacks counts as 0, and predictions ignore columns that the model does
    ///     not have.
    ///
    /// Returns
    /// -------
    /// Classifier
    ///     Itself.
    ///
    /// Raises
    /// ------
    /// ValueError, TypeError
    ///     If a value is not finite, a shape is wrong, a label is unknown, or a row x of weight w is too large: if
    ///     `|x|^2` (Laplacian kernel: `|x|_1`) or `max(1, w)^2 k(x, x)` exceeds 1e28 in float32, 1e140 in float64.
    ///     Nothing is learned.
    /// RuntimeError
    ///     If a signal handler calls `learn` during another `learn` of the same model.
    /// KeyboardInterrupt
    ///     After Ctrl-C. The model keeps the rows learned so far.
    #[pyo3(
        signature = (X, y = None, *, classes = None, sample_weight = None, repeated = false, add_features = false, **other),
        text_signature = "($self, X, y, *, classes=None, sample_weight=None, repeated=False, add_features=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn learn<'py>(
        slf: Bound<'py, Self>,
        X: &Bound<'py, PyAny>,
        y: Option<&Bound<'py, PyAny>>,
        classes: Option<&Bound<'py, PyAny>>,
        sample_weight: Option<&Bound<'py, PyAny>>,
        repeated: bool,
        add_features: bool,
        other: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, Self>> {
        reject_keywords("learn", other)?;
        let y = arguments::targets("learn(X, y)", y)?;
        let batch = OwnedBatch::read(CLASSES, y, classes, sample_weight)?;
        let batch = OwnedBatch { repeated, add_features, ..batch };
        NativeModel::learn(slf.as_super(), X, InputForm::Batch, &batch)?;
        Ok(slf)
    }

    /// Learn one row: an array, or a dict of values by the names of the columns.
    ///
    /// Parameters
    /// ----------
    /// x : array-like of shape (d,), or dict
    ///     The row: values in the order of the features, or a dict of values by the names of the columns, in which strings
    ///     are categories and None is missing.
    /// y : label
    ///     The label of the row. A label that was never seen is a new class, unless `classes` was given.
    /// sample_weight : float, default=1.0
    ///     Weight of the row from 0 to 1e9, as in `learn`.
    /// add_features : bool, default=False
    ///     Whether further values at the end of the row, or new names in the dict, become features, as in `learn`.
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
    #[pyo3(signature = (x, y = None, *, sample_weight = 1.0, add_features = false), text_signature = "($self, x, y, *, sample_weight=1.0, add_features=False)")]
    fn learn_one<'py>(
        slf: Bound<'py, Self>,
        x: &Bound<'py, PyAny>,
        y: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = arguments::sample_weight)] sample_weight: f64,
        add_features: bool,
    ) -> PyResult<Bound<'py, Self>> {
        let y = arguments::targets("learn_one(x, y)", y)?;
        let class = |model: &Model| {
            labels::known_class(y, model.classes.as_ref()?).map(|class| Target::Class(class as u32))
        };
        if NativeModel::learn_holding_gil(slf.as_super(), x, class, sample_weight, add_features)? {
            return Ok(slf);
        }
        let targets = OwnedTargets::Labels { y: labels::read("y", y)?, classes: None };
        let weights = Some(vec![sample_weight]);
        let batch = OwnedBatch { targets, weights, add_features, ..OwnedBatch::default() };
        NativeModel::learn(slf.as_super(), x, InputForm::Row, &batch)?;
        Ok(slf)
    }

    /// Predict the label of each row.
    ///
    /// Parameters
    /// ----------
    /// X : array-like, scipy.sparse CSR or data frame of shape (n, d)
    ///     The rows, as for `learn`. Categories that were not learned are encoded as zeros.
    ///
    /// Returns
    /// -------
    /// ndarray of shape (n,)
    ///     Labels, of the type of ``classes_``.
    fn predict<'py>(slf: &Bound<'py, Self>, X: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let classes = slf.as_super().get().classes(X, InputForm::Batch)?.into_iter().map(i64::from).collect();
        let indices = PyArray1::from_vec(slf.py(), classes);
        Self::objects(slf)?.array.bind(slf.py()).call_method1(intern!(slf.py(), "take"), (indices,))
    }

    /// Predict the label of one row: an array, or a dict of values by the names of the columns.
    ///
    /// Parameters
    /// ----------
    /// x : array-like of shape (d,), or dict
    ///     The row: values in the order of the features, or a dict of values by the names of the columns, in which strings
    ///     are categories and None is missing.
    ///
    /// Returns
    /// -------
    /// label
    ///     One of ``classes_``.
    fn predict_one<'py>(slf: &Bound<'py, Self>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let base = slf.as_super().get();
        if let Some(RowPrediction::Class(class)) = base.predict_holding_gil(x)? {
            return Self::label(slf, class);
        }
        let classes = base.classes(x, InputForm::Row)?;
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
    ///     For one or two classes one score per row, positive for ``classes_[1]``. For more classes one score per
    ///     class; the largest is predicted.
    fn decision_function<'py>(slf: &Bound<'py, Self>, X: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        slf.as_super().get().scores(X, InputForm::Batch)?.into_scores(slf.py())
    }

    /// Compute the probability of each class; only with loss "log_loss" or algorithm "online-kernel".
    ///
    /// Parameters
    /// ----------
    /// X : array-like, scipy.sparse CSR or data frame of shape (n, d)
    ///     The rows.
    ///
    /// Returns
    /// -------
    /// ndarray of shape (n, n_classes)
    ///     Probabilities in the order of `classes_`, in the model's float type; 1 while only one class has been seen.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     Unless the loss is "log_loss" or the algorithm is "online-kernel".
    fn predict_proba<'py>(slf: &Bound<'py, Self>, X: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        slf.as_super().get().probabilities(X, InputForm::Batch)?.into_array(slf.py())
    }

    /// Compute the probability of each class for one row; only with loss "log_loss" or "online-kernel".
    ///
    /// A dict, or an array of the model's float type, takes a third of the time of `predict_proba`. The classes and
    /// their probabilities come from one state of the model, also while another thread learns.
    ///
    /// Parameters
    /// ----------
    /// x : array-like of shape (d,), or dict
    ///     The row: values in the order of the features, or a dict of values by the names of the columns, in which strings
    ///     are categories and None is missing.
    ///
    /// Returns
    /// -------
    /// dict
    ///     The probability of each label of ``classes_``, in this order.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     Unless the loss is "log_loss" or the algorithm is "online-kernel".
    fn predict_proba_one<'py>(slf: &Bound<'py, Self>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let base = slf.as_super().get();
        let probabilities = match base.probabilities_holding_gil(x)? {
            Some(found) => found,
            None => base.probabilities(x, InputForm::Row)?.into_list(slf.py())?,
        };
        let found = PyDict::new(slf.py());
        for (class, probability) in probabilities.into_iter().enumerate() {
            found.set_item(Self::label(slf, class)?, probability)?;
        }
        Ok(found)
    }

    /// Predict a set of classes for each row; only with algorithm "online-kernel".
    ///
    /// The set contains the predicted class and all classes whose probability exceeds a threshold. In the long run at
    /// least a share `coverage` of the labels of a stream lies in the sets predicted just before each row is learned,
    /// even after drift (adaptive conformal inference, Gibbs and Candes 2021). The share is larger if the predicted
    /// class alone is right for a larger share of the rows. The coverage of single classes may differ.
    ///
    /// Parameters
    /// ----------
    /// X : array-like, scipy.sparse CSR or data frame of shape (n, d)
    ///     The rows.
    /// coverage : float or list of float, default=0.9
    ///     The share of the labels, from 0.01 to 0.999. A list of k shares costs k predictions.
    ///
    /// Returns
    /// -------
    /// ndarray of bool, shape (n, n_classes), or (n, n_classes, k) for k coverages
    ///     True where a class belongs to the set, in the order of `classes_`. Each row has at least one class.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If the coverage is out of range, or with any other algorithm.
    #[pyo3(signature = (X, *, coverage = Coverage::One(0.9), **other), text_signature = "($self, X, *, coverage=0.9)")]
    fn predict_set<'py>(
        slf: &Bound<'py, Self>,
        X: &Bound<'py, PyAny>,
        coverage: Coverage,
        other: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        reject_keywords("predict_set", other)?;
        coverage.predict(slf.py(), |coverage| {
            let (members, classes) = slf.as_super().get().sets(X, coverage)?;
            let rows = members.len() / classes.max(1);
            PyArray1::from_vec(slf.py(), members).call_method1("reshape", ((rows, classes),))
        })
    }

    /// Return True for rows whose label could change the model (active learning).
    ///
    /// Use it for active learning: ask for the labels of these rows and learn only them. Only with ``loss="ramp"`` (Wang
    /// and Vucetic 2010, section 4). A row needs a label if ``|f| <= 1``, or, with more than two classes, if the two
    /// largest scores differ by at most 1. Without ``scaling="online"``, a model that learns only these rows is
    /// bit-identical to a model that learns all rows, once gamma is fixed (a number, or after row 1024).
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
    ///     With any other loss, or if `average` is not False.
    fn needs_label<'py>(
        slf: &Bound<'py, Self>,
        X: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        Ok(PyArray1::from_vec(slf.py(), slf.as_super().get().needs_label(X)?))
    }

    /// Labels of the classes, in the order of scores and probabilities.
    #[getter]
    fn classes_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::objects(slf)?.array.bind(slf.py()).call_method0("copy")
    }

    /// The share of the rows predicted wrongly just before they were learned for the first time.
    #[getter]
    fn progressive_error_(slf: &Bound<'_, Self>) -> PyResult<f64> {
        slf.as_super().get().shared.mean_error(slf.py(), |counts, _| counts.mistakes as f64)
    }

    /// The share of the same rows whose label differs from the most frequent label of the rows before.
    #[getter]
    fn majority_error_(slf: &Bound<'_, Self>) -> PyResult<f64> {
        slf.as_super().get().shared.mean_error(slf.py(), |_, baselines| baselines.constant)
    }

    /// Number of rows predicted wrongly just before they were learned for the first time.
    #[getter]
    fn n_mistakes_(slf: &Bound<'_, Self>) -> PyResult<u64> {
        Ok(slf.as_super().get().shared.counts(slf.py())?.mistakes)
    }
}
