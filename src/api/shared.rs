//! What classifiers and regressors share.

use super::input::{Aligned, Input, with_rows};
use crate::batch::Rows;
use crate::error::{Error, Result};
use crate::learner::{Baselines, Counts, Learner, Target, Targets};
use crate::model::{Batch, Fit, LearnerFloat, Model, Purpose, of_type, of_type_mut, with_learner};
use crate::params::Spec;

/// How a model has done so far. Each row was predicted just before it was learned for the first time, so the
/// errors need no test rows.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Progress {
    /// The number of rows learned, over all passes, without rows of weight 0.
    pub rows: u64,
    /// The number of rows that changed the model.
    pub updates: u64,
    /// The number of support vectors.
    pub support_vectors: usize,
    /// The number of abrupt drifts detected.
    pub drifts: u64,
    /// The values of `rows` at the last abrupt drifts, at most 16, in ascending order.
    pub drift_rows: Vec<u64>,
    /// Classification: the share of rows predicted wrongly. Regression: the mean absolute error.
    pub error: f64,
    /// The error of about the last 1,000 rows: an exponentially weighted mean, over the first 1,000 rows the mean.
    pub recent_error: f64,
    /// Regression: the mean squared error.
    pub squared_error: f64,
    /// The error of predicting the previous label or target: a share, in regression a mean squared error.
    pub no_change_error: f64,
    /// The error of predicting the most frequent label or the mean target so far: a share, in regression a mean squared
    /// error.
    pub constant_error: f64,
}

impl Progress {
    pub(super) fn of(model: &Model) -> Self {
        let Some(learner) = &model.trained else { return Self::default() };
        with_learner!(learner, learner => Self::new(learner.counts(), learner.baselines(), learner))
    }

    fn new<T: LearnerFloat>(counts: Counts, baselines: &Baselines, learner: &Learner<T>) -> Self {
        let n = counts.n_new.max(1) as f64;
        let is_regression = learner.n_classes() == 0;
        Self {
            rows: counts.n_seen,
            updates: counts.updates,
            support_vectors: learner.n_support(),
            drifts: learner.n_drifts(),
            drift_rows: learner.drift_rows().to_vec(),
            error: if is_regression { counts.absolute_error } else { counts.mistakes as f64 } / n,
            recent_error: counts.recent_error,
            squared_error: counts.squared_error / n,
            no_change_error: baselines.no_change / n,
            constant_error: baselines.constant / n,
        }
    }
}

/// A type that wraps a model.
pub trait FromSpec {
    /// The defaults of a named algorithm.
    fn named(algorithm: &str) -> Result<Spec>;
    /// The wrapped model.
    fn from_model(model: Model) -> Self;
}

/// Learns rows in one pass, or fits them in several.
pub(super) fn learn(model: &mut Model, x: Input<'_>, batch: &Batch<'_>, fit: Option<Fit>) -> Result<()> {
    let weights = batch.row_weights(&model.spec.spec().class_weight)?;
    let aligned = x.align(model, Purpose::Learn { weights: weights.as_deref(), add_features: false })?;
    let columns = aligned.columns.as_ref();
    with_rows!(aligned, rows => match fit {
        None => model.learn(rows, columns, batch),
        Some(_) if model.trained.is_some() => {
            let reason = "fit needs a new model: this one has learned rows; create another one, or continue with learn";
            Err(Error::State(reason.into()))
        }
        Some(fit) => {
            // An error leaves the model as it was.
            let mut fitted = model.clone();
            fitted.fit(rows, columns, batch, fit, &mut ())?;
            *model = fitted;
            Ok(())
        }
    })
}

/// The learner and the aligned rows, for prediction.
pub(super) fn align<'a>(model: &Model, x: Input<'a>) -> Result<Aligned<'a>> {
    if model.trained.is_none() {
        return Err(untrained());
    }
    x.align(model, Purpose::Predict)
}

/// Evaluates an expression with the learner of a model and aligned rows of its float type.
macro_rules! with_learner_and_rows {
    ($model:expr, $aligned:expr, ($learner:ident, $rows:ident) => $op:expr) => {
        $crate::api::input::with_rows!($aligned, $rows => {
            let $learner = $crate::api::shared::learner_of($model, $rows)?;
            ($op).map_err(|error| $model.with_column_name(error))
        })
    };
}
pub(super) use with_learner_and_rows;

/// The learner of a trained model, of the float type of aligned rows.
pub(super) fn learner_of<'m, T: LearnerFloat>(model: &'m Model, _: &Rows<'_, T>) -> Result<&'m Learner<T>> {
    of_type(model.trained.as_ref().ok_or_else(untrained)?)
}

/// Learns a row whose class the model knows, or whose target is a number, without encoding a batch. Returns false, and
/// learns nothing, if the row has to be learned as a batch: if it is the first row of the model, has new categories, or
/// has weight 0 (which the batch path checks, and does not learn).
pub(super) fn learn_row_without_encoding(model: &mut Model, x: Input<'_>, target: Target) -> Result<bool> {
    let aligned = x.align(model, Purpose::Learn { weights: None, add_features: false })?;
    let weight = model.row_weight(target, 1.0);
    let has_new_columns = aligned.columns.is_some() && aligned.columns != model.columns;
    if has_new_columns || weight == 0.0 {
        return Ok(false);
    }
    let Some(any) = &mut model.trained else { return Ok(false) };
    let learned = with_rows!(aligned, rows => {
        let learner = of_type_mut(any)?;
        let (targets, weights) = (Targets::from(&target), [weight]);
        let begun = if model.open_classes {
            learner.begin_learning_open(rows, targets, Some(&weights))
        } else {
            learner.begin_learning(rows, targets, Some(&weights))
        };
        begun.map(|mut session| session.learn(1))
    });
    learned.map(|()| true).map_err(|error| model.with_column_name(error))
}

/// A model of this task.
pub(super) fn of_task(model: Model, is_regression: bool) -> Result<Model> {
    if model.spec.spec().loss.is_regression() == is_regression {
        return Ok(model);
    }
    let (own, other) = if is_regression { ("Regressor", "classifier") } else { ("Classifier", "regressor") };
    let other_type = if is_regression { "Classifier" } else { "Regressor" };
    Err(Error::State(format!("{own} cannot load a {other}: load it as a {other_type}").into()))
}

fn untrained() -> Error {
    Error::State("the model has not learned any rows".into())
}
