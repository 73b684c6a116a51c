//! `Regressor`: the native class for regression.

use crate::arguments::{self, Argument, FilePath, Jobs, Weight};
use crate::array_input::Form;
use crate::arrays;
use crate::error::to_python;
use crate::methods::Scores;
use crate::native_model::{self, NativeModel};
use crate::parameters::{self, AlgorithmName};
use crate::single_row::Predicted;
use crate::snapshot::{Batch, BatchTargets};
use budgetrs::model::Model;
use budgetrs::{Spec, Target, Task};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat};

/// A kernel regressor that learns from a stream with at most `budget` support vectors.
///
/// What the documentation of `Classifier` says about batches, invalid calls, interruption and threads holds here too.
///
/// Parameters
/// ----------
/// algorithm : str, default="online-kernel"
///     One of `ALGORITHMS` with a loss for regression; it sets the defaults of the other parameters.
/// {parameters}
/// n_jobs : int or None, default=None
///     Threads of prediction; the result does not depend on it. None is one, -1 all processors.
/// like : Classifier or Regressor, optional
///     A model that has learned, of the same kernel, gamma, scale, missing, metric and hash_features. The new one
///     begins with its gamma, scaling, metric, columns and number type, which stay as they are, and with nothing else:
///     so models that begin like one model have one kernel, and `budgetrs.combine` takes them.
///
/// Attributes
/// ----------
/// dual_coef_ : ndarray of shape (1, n_support_vectors_)
///     The coefficients.
/// mean_absolute_error_, mean_squared_error_ : float
///     Of the predictions made just before each row was learned.
/// n_features_in_, dtype, gamma_, metric_, coef_, intercept_, support_vectors_, n_support_vectors_, n_seen_,
/// n_updates_, n_maintenances_
///     As `Classifier` has them.
///
/// Raises
/// ------
/// ParameterError
///     When a parameter is not legal or does not apply, two do not go together, or the algorithm has no loss for
///     regression.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from budgetrs import Regressor
/// >>> X = np.random.default_rng(0).uniform(0, 1000, (3000, 2))  # raw rows and targets, in any units
/// >>> y = 1e6 * np.sin(X[:, 0] / 200) + 1e3 * X[:, 1]
/// >>> model = Regressor(budget=50).learn(X, y)
/// >>> bool(np.corrcoef(model.predict(X), y)[0, 1] > 0.95)
/// True
#[pyclass(extends = NativeModel, frozen, module = "budgetrs._core")]
pub(crate) struct Regressor;

impl Regressor {
    pub(crate) fn with(py: Python<'_>, base: NativeModel) -> PyResult<Py<Self>> {
        Py::new(py, PyClassInitializer::from(base).add_subclass(Self))
    }
}

/// What comes with the rows of a batch.
fn batch<'py>(
    y: &Bound<'py, PyAny>,
    weights: Option<&Bound<'py, PyAny>>,
    order: Option<&Bound<'py, PyAny>>,
) -> PyResult<Batch> {
    let weights = weights.map(|weights| arrays::read("sample_weight", weights)).transpose()?;
    Ok(Batch {
        targets: BatchTargets::Values(arrays::read("y", y)?),
        weights,
        order: order.map(arrays::read_order).transpose()?,
        milestone: None,
    })
}

#[pymethods]
impl Regressor {
    #[new]
    #[pyo3(
        signature = (algorithm = AlgorithmName::default(), *, n_jobs = Argument(None), like = None, **parameters),
        text_signature = "(algorithm=\"online-kernel\", *, n_jobs=None, like=None, **parameters)"
    )]
    fn py_new(
        algorithm: AlgorithmName,
        n_jobs: Argument<Jobs>,
        like: Option<&Bound<'_, PyAny>>,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let spec = Spec::named_regression(&algorithm.0).map_err(to_python)?;
        let spec =
            parameters::from_keywords(spec, parameters, &["n_jobs", "like"])?.check().map_err(to_python)?;
        spec.check_task(Task::Regression).map_err(to_python)?;
        let mut model = Model::new(spec);
        native_model::begin_like(&mut model, like)?;
        Ok(PyClassInitializer::from(NativeModel::new(model, n_jobs.0)?).add_subclass(Self))
    }

    /// Learn every row of a batch, in order.
    ///
    /// Parameters
    /// ----------
    /// X : array-like, scipy.sparse CSR or data frame of shape (n, d)
    ///     As `Classifier.learn` takes it.
    /// y : array-like of shape (n,)
    ///     Numbers from -1e15 to 1e15; also a column of them, or a frame of one column.
    /// sample_weight : array-like of shape (n,), optional
    ///     Multiplies C or C0 (SGD: the step) for each row, 0 to 1e9; a row of weight 0 is skipped.
    /// order : array-like of int, optional
    ///     As `Classifier.learn` takes it.
    ///
    /// Returns
    /// -------
    /// Regressor
    ///     Itself.
    ///
    /// Raises
    /// ------
    /// ValueError, TypeError
    ///     When anything is wrong with the arguments; nothing is learned then.
    #[pyo3(signature = (X, y, *, sample_weight = None, order = None))]
    #[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
    fn learn<'py>(
        slf: Bound<'py, Self>,
        X: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        sample_weight: Option<&Bound<'py, PyAny>>,
        order: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        slf.as_super().get().learn(X, Form::Batch, &batch(y, sample_weight, order)?)?;
        Ok(slf)
    }

    /// Learn as `learn` does; return the rows and the sums of squared and absolute errors that had been counted when
    /// `rows` of the batch were learned.
    #[pyo3(signature = (X, y, *, order, rows))]
    #[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
    fn _learn_watched<'py>(
        slf: &Bound<'py, Self>,
        X: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        order: Option<&Bound<'py, PyAny>>,
        rows: usize,
    ) -> PyResult<(u64, f64, f64)> {
        let counts = slf.as_super().get().learn_watched(X, batch(y, None, order)?, rows)?;
        Ok((counts.n_seen, counts.squared_error, counts.absolute_error))
    }

    /// Refuse what `learn` would refuse, and learn nothing.
    #[pyo3(signature = (X, y, *, sample_weight = None))]
    #[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
    fn check<'py>(
        slf: &Bound<'py, Self>,
        X: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        sample_weight: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        slf.as_super().get().check(X, &batch(y, sample_weight, None)?)
    }

    /// Learn one row: `x` of shape (d,), its target `y` and its weight.
    #[pyo3(signature = (x, y, *, sample_weight = Argument(1.0)), text_signature = "($self, x, y, *, sample_weight=1.0)")]
    fn learn_one<'py>(
        slf: Bound<'py, Self>,
        x: &Bound<'py, PyAny>,
        y: Argument<arguments::Target>,
        sample_weight: Argument<Weight>,
    ) -> PyResult<Bound<'py, Self>> {
        let target = |_: &Model| Some(Target::Value(y.0));
        if slf.as_super().get().learn_holding_gil(x, target, sample_weight.0)? {
            return Ok(slf);
        }
        let batch = Batch {
            targets: BatchTargets::Values(vec![y.0]),
            weights: Some(vec![sample_weight.0]),
            order: None,
            milestone: None,
        };
        slf.as_super().get().learn(x, Form::Row, &batch)?;
        Ok(slf)
    }

    /// Predict the target of each row: shape (n,), in the model's dtype.
    #[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
    fn predict<'py>(slf: &Bound<'py, Self>, X: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Scores { numbers, rows, outputs } = slf.as_super().get().scores(X, Form::Batch)?;
        numbers.into_array(slf.py(), [rows, outputs])?.call_method1("reshape", (rows,))
    }

    /// Predict the target of one row.
    fn predict_one<'py>(slf: &Bound<'py, Self>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let base = slf.as_super().get();
        if let Some(Predicted::Value(value)) = base.predict_holding_gil(x)? {
            return Ok(PyFloat::new(slf.py(), value).into_any());
        }
        let Scores { numbers, .. } = base.scores(x, Form::Row)?;
        numbers.into_array(slf.py(), [1, 1])?.call_method0("item")
    }

    /// Read a model from a file, as `Classifier.load` does. No code in it runs.
    #[staticmethod]
    #[pyo3(signature = (path, *, n_jobs = Argument(None)), text_signature = "(path, *, n_jobs=None)")]
    fn load(py: Python<'_>, path: Argument<FilePath>, n_jobs: Argument<Jobs>) -> PyResult<Py<Self>> {
        Self::with(py, NativeModel::load(py, path.0, n_jobs, Task::Regression)?)
    }

    /// Make a model from the bytes of `to_bytes`. No code in them runs.
    #[staticmethod]
    #[pyo3(signature = (data, *, n_jobs = Argument(None)), text_signature = "(data, *, n_jobs=None)")]
    fn from_bytes(py: Python<'_>, data: Argument<&[u8]>, n_jobs: Argument<Jobs>) -> PyResult<Py<Self>> {
        Self::with(py, NativeModel::from_data(py, data.0, n_jobs, Task::Regression)?)
    }

    /// The mean of `|y - f|` over all rows, each predicted just before it was learned.
    #[getter]
    fn mean_absolute_error_(slf: &Bound<'_, Self>) -> PyResult<f64> {
        let counts = slf.as_super().get().counts(slf.py())?;
        Ok(counts.absolute_error / counts.n_seen.max(1) as f64)
    }

    /// The mean of `(y - f)^2` over all rows, each predicted just before it was learned.
    #[getter]
    fn mean_squared_error_(slf: &Bound<'_, Self>) -> PyResult<f64> {
        let counts = slf.as_super().get().counts(slf.py())?;
        Ok(counts.squared_error / counts.n_seen.max(1) as f64)
    }
}
