//! `Regressor`: the native class for regression.

#![expect(non_snake_case, reason = "X is the name that every scikit-learn user knows")]

use crate::arguments::{self, Coverage};
use crate::array_input::InputForm;
use crate::batch::{OwnedBatch, OwnedTargets};
use crate::error::reject_keywords;
use crate::native_model::NativeModel;
use crate::parameters;
use crate::single_row::RowPrediction;
use budgetrs::model::Model;
use budgetrs::{Spec, Target, Task};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat};

/// Kernel regressor that learns from a stream in one pass, with at most `budget` support vectors.
///
/// The rest of the docstring and the signature are in `python/budgetrs/_signatures.py`.
#[pyclass(extends = NativeModel, frozen, module = "budgetrs._core")]
pub(crate) struct Regressor;

#[pymethods]
impl Regressor {
    #[new]
    #[pyo3(signature = (algorithm = "online-kernel".to_owned(), *, n_jobs = None, feature_space = None, **parameters), text_signature = None)]
    fn py_new(
        #[pyo3(from_py_with = arguments::algorithm)] algorithm: String,
        #[pyo3(from_py_with = arguments::n_jobs)] n_jobs: Option<i64>,
        feature_space: Option<&Bound<'_, PyAny>>,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let (spec, own) = (Spec::named_regression(&algorithm), &["n_jobs", "feature_space"]);
        let model = parameters::new_model(spec, Task::Regression, parameters, own)?;
        Ok(PyClassInitializer::from(NativeModel::new(model, n_jobs, feature_space)?).add_subclass(Self))
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
    #[pyo3(
        signature = (X, y = None, *, sample_weight = None, repeated = false, add_features = false, **other),
        text_signature = "($self, X, y, *, sample_weight=None, repeated=False, add_features=False)"
    )]
    fn learn<'py>(
        slf: Bound<'py, Self>,
        X: &Bound<'py, PyAny>,
        y: Option<&Bound<'py, PyAny>>,
        sample_weight: Option<&Bound<'py, PyAny>>,
        repeated: bool,
        add_features: bool,
        other: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, Self>> {
        reject_keywords("learn", other)?;
        let y = arguments::targets("learn(X, y)", y)?;
        let batch = OwnedBatch::read(Task::Regression, y, None, sample_weight)?;
        let batch = OwnedBatch { repeated, add_features, ..batch };
        NativeModel::learn(slf.as_super(), X, InputForm::Batch, &batch)?;
        Ok(slf)
    }

    /// Learn one row: an array, or a dict of values by the names of the columns.
    ///
    /// As `Classifier.learn_one`, with a target instead of a label.
    #[pyo3(signature = (x, y = None, *, sample_weight = 1.0, add_features = false), text_signature = "($self, x, y, *, sample_weight=1.0, add_features=False)")]
    fn learn_one<'py>(
        slf: Bound<'py, Self>,
        x: &Bound<'py, PyAny>,
        y: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = arguments::sample_weight)] sample_weight: f64,
        add_features: bool,
    ) -> PyResult<Bound<'py, Self>> {
        let y = arguments::y(arguments::targets("learn_one(x, y)", y)?)?;
        let target = |_: &Model| Some(Target::Value(y));
        if NativeModel::learn_holding_gil(slf.as_super(), x, target, sample_weight, add_features)? {
            return Ok(slf);
        }
        let (targets, weights) = (OwnedTargets::Values(vec![y]), Some(vec![sample_weight]));
        let batch = OwnedBatch { targets, weights, add_features, ..OwnedBatch::default() };
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
    /// coverage : float or list of float, default=0.9
    ///     The share of the targets, from 0.01 to 0.999. A list of k shares costs k predictions.
    ///
    /// Returns
    /// -------
    /// ndarray of shape (n, 2), or (n, 2, k) for k coverages
    ///     Lower and upper ends, around the predictions, in the model's float type. Unlike predictions they are not
    ///     limited to the range of the targets seen: clip them if targets have bounds, for example at 0.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If the coverage is out of range, with any other algorithm, or with ``average="random"``.
    #[pyo3(signature = (X, *, coverage = Coverage::One(0.9), **other), text_signature = "($self, X, *, coverage=0.9)")]
    fn predict_interval<'py>(
        slf: &Bound<'py, Self>,
        X: &Bound<'py, PyAny>,
        coverage: Coverage,
        other: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        reject_keywords("predict_interval", other)?;
        coverage
            .predict(slf.py(), |coverage| slf.as_super().get().intervals(X, coverage)?.into_array(slf.py()))
    }

    /// Predict the target of one row: an array, or a dict of values by the names of the columns.
    fn predict_one<'py>(slf: &Bound<'py, Self>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let base = slf.as_super().get();
        if let Some(RowPrediction::Value(value)) = base.predict_holding_gil(x)? {
            return Ok(PyFloat::new(slf.py(), value).into_any());
        }
        base.scores(x, InputForm::Row)?.into_array(slf.py())?.call_method0("item")
    }

    /// Progressive mean of `|y - f|` over all rows, each predicted just before it was learned for the first time.
    #[getter]
    fn mean_absolute_error_(slf: &Bound<'_, Self>) -> PyResult<f64> {
        slf.as_super().get().shared.mean_error(slf.py(), |counts, _| counts.absolute_error)
    }

    /// Progressive mean of `(y - f)^2` over all rows, each predicted just before it was learned for the first time.
    #[getter]
    fn mean_squared_error_(slf: &Bound<'_, Self>) -> PyResult<f64> {
        slf.as_super().get().shared.mean_error(slf.py(), |counts, _| counts.squared_error)
    }

    /// The mean of `(y - m)^2` over the same rows, with the mean m of the targets of the rows before.
    #[getter]
    fn constant_error_(slf: &Bound<'_, Self>) -> PyResult<f64> {
        slf.as_super().get().shared.mean_error(slf.py(), |_, baselines| baselines.constant)
    }
}
