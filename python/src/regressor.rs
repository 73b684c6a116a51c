//! `Regressor`: the native class for regression.

#![expect(non_snake_case, reason = "X is the name that every scikit-learn user knows")]

use crate::arguments::{self, AlgorithmName, Argument, NJobs, SampleWeight};
use crate::array_input::{self, InputForm};
use crate::batch::{OwnedBatch, OwnedTargets};
use crate::native_model::NativeModel;
use crate::parameters;
use crate::single_row::RowPrediction;
use budgetrs::model::Model;
use budgetrs::{Spec, Target, Task};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat};

/// Kernel regressor that learns from a stream in one pass, with at most `budget` support vectors.
///
/// Use it for streams: `learn` learns a batch, `learn_one` a single row, and `predict` works at any time. `fit` makes
/// several passes over data in memory. Use `OnlineKernelRegressor` for scikit-learn's interface. Use a linear model if a
/// linear model is as accurate.
///
/// Parameters
/// ----------
/// algorithm : str, default="online-kernel"
///     The learning algorithm, one of the `ALGORITHMS` with a loss for regression. Keep the default unless you reproduce
///     a paper: it accepts features and targets in any units. The algorithm sets the defaults of the other parameters.
/// {parameters}
/// n_jobs : int or None, default=None
///     Number of threads of prediction; it changes no result. None is 1, -1 all processors.
/// feature_space : Classifier or Regressor, optional
///     A trained model whose gamma, scaling, metric, columns and float type the new model shares and does not change.
///     Set it so that `budgetrs.combine` accepts both models. The parameters kernel, gamma, scaling, missing,
///     metric_learning and hash_features must be equal.
///
/// Attributes
/// ----------
/// mean_absolute_error_, mean_squared_error_ : float
///     Progressive errors: the mean absolute error and the mean squared error of the predictions made just before each
///     row was learned. They are not the errors of `predict` on the training rows.
/// recent_error_ : float
///     Mean absolute error of about the last 1,000 of these predictions: an exponentially weighted mean, over the first
///     1,000 rows the mean.
/// no_change_error_, constant_error_ : float
///     The mean squared errors of two predictions that need no model: the target of the previous row, and the mean of the
///     targets so far. A useful model has a smaller `mean_squared_error_` than both.
/// dual_coef_ : ndarray of shape (1, n_support_vectors_)
///     Coefficients of the support vectors.
/// coef_, intercept_ : ndarray of shape (1, d) and (1,)
///     Linear term of scaled rows, if `linear_weight` is a number; d is the number of features, as for `Classifier`.
/// tail_coef_ : ndarray of shape (1, d)
///     Slopes of the linear term from 3 to 40 standard deviations from the mean; `coef_` has the slopes up to 3. Only
///     with ``"online-kernel"`` and ``scaling="online"``.
/// n_features_in_, n_features_encoded_, feature_names_in_, dtype, gamma_, components_, support_vectors_,
/// n_support_vectors_, n_samples_seen_, n_updates_, n_drifts_, drift_rows_, n_scaling_restarts_,
/// feature_importances_
///     As for `Classifier`.
///
/// Raises
/// ------
/// ParameterError
///     If a parameter is invalid or does not apply, two parameters cannot be combined, or the algorithm has no loss for
///     regression.
///
/// Warns
/// -----
/// UserWarning
///     If nearly all kernel values are 0 or 1, a text column should probably not be categorical, or a value repeats far
///     outside the range of its feature, as `Classifier` does. Once after at least 1000 rows, if the previous target has
///     less than half the root mean squared error of the model and of the mean target, as in many time series.
///
/// See Also
/// --------
/// Classifier : The same algorithms for class labels.
/// OnlineKernelRegressor : scikit-learn's interface.
/// KeyedModels : One model per key.
///
/// Notes
/// -----
/// A row costs O(budget x features) time, and the model takes O(budget x features) memory. Batches, invalid input,
/// Ctrl-C and threads are handled as by `Classifier`. The diagnostics ``n_queries_``, ``n_maintenances_`` and
/// ``mean_weight_degradation_`` are as for `Classifier`.
///
/// References
/// ----------
/// Crammer, Dekel, Keshet, Shalev-Shwartz and Singer, "Online passive-aggressive algorithms", JMLR 7, 2006.
///
/// Crammer, Kulesza and Dredze, "Adaptive regularization of weight vectors", NeurIPS 2009.
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

#[pymethods]
impl Regressor {
    #[new]
    #[pyo3(
        signature = (algorithm = Argument("online-kernel".to_owned()), *, n_jobs = Argument(None), feature_space = None, **parameters),
        text_signature = "(algorithm=\"online-kernel\", *, n_jobs=None, feature_space=None, **parameters)"
    )]
    fn py_new(
        algorithm: Argument<AlgorithmName>,
        n_jobs: Argument<NJobs>,
        feature_space: Option<&Bound<'_, PyAny>>,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let (spec, own) = (Spec::named_regression(&algorithm.0), &["n_jobs", "feature_space"]);
        let model = parameters::new_model(spec, Task::Regression, parameters, own)?;
        Ok(PyClassInitializer::from(NativeModel::new(model, n_jobs.0, feature_space)?).add_subclass(Self))
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
        let order = order.map(array_input::read_order).transpose()?;
        let batch = OwnedBatch::read(Task::Regression, y, None, sample_weight)?;
        let batch = OwnedBatch { order, repeated, add_features, ..batch };
        NativeModel::learn(slf.as_super(), X, InputForm::Batch, &batch)?;
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
        if NativeModel::learn_holding_gil(slf.as_super(), x, target, sample_weight.0, add_features)? {
            return Ok(slf);
        }
        let (targets, weights) = (OwnedTargets::Values(vec![y.0]), Some(vec![sample_weight.0]));
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

    /// The mean of `(y - m)^2` over the same rows, with the mean m of the targets of the rows before.
    #[getter]
    fn constant_error_(slf: &Bound<'_, Self>) -> PyResult<f64> {
        slf.as_super().get().shared.mean_baseline(slf.py(), |baselines| baselines.constant)
    }
}
