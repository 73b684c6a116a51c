//! Learning rows with the user's labels. The first batch creates the learner; new classes and categories extend it.

use super::typed::{of_type, of_type_mut};
use super::{LearnerFloat, Model};
use crate::batch::Task;
use crate::classes::{Classes, OpenSetLabels, RawLabels};
use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::params::Gamma;
use crate::trainer::{LearnSession, Learner, Rows, Targets};
use std::collections::HashSet;
use std::sync::Arc;

/// The number of rows from which labels are checked for looking continuous.
const CONTINUOUS_ROWS: usize = 30;

/// The targets of a batch as the user passes them.
#[derive(Debug, Clone, Copy)]
pub enum RawTargets<'a> {
    /// Class labels.
    Labels {
        /// The label of each row.
        y: &'a RawLabels,
        /// All classes, if this is the first batch; without them the class set is open.
        classes: Option<&'a RawLabels>,
    },
    /// Numbers, for regression.
    Values(&'a [f64]),
}

/// The targets, weights and order of the rows of a batch.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// The target of each row.
    pub targets: RawTargets<'a>,
    /// The weight of each row; without them 1.
    pub weights: Option<&'a [f64]>,
    /// The order in which rows are learned, as row numbers; without it their order in the batch.
    pub order: Option<&'a [usize]>,
}

impl<'a> Batch<'a> {
    /// A batch of class labels, with an open class set.
    #[must_use]
    pub fn labels(y: &'a RawLabels) -> Self {
        Self { targets: RawTargets::Labels { y, classes: None }, weights: None, order: None }
    }

    /// A batch of numbers.
    #[must_use]
    pub fn values(y: &'a [f64]) -> Self {
        Self { targets: RawTargets::Values(y), weights: None, order: None }
    }
}

/// Targets encoded for the learner.
enum EncodedTargets<'a> {
    /// Class indices of a closed class set, with the class set if the model does not have it yet.
    Closed(Option<Classes>, Vec<u32>),
    /// Class indices of an open class set.
    Open(OpenSetLabels),
    Values(&'a [f64]),
}

impl EncodedTargets<'_> {
    fn targets(&self) -> Targets<'_> {
        match self {
            Self::Closed(_, classes) => Targets::Classes(classes),
            Self::Open(labels) => Targets::Classes(labels.indices()),
            Self::Values(values) => Targets::Values(values),
        }
    }

    /// The labels of an open class set; `None` for other targets.
    fn open(&self) -> Option<&OpenSetLabels> {
        if let Self::Open(labels) = self { Some(labels) } else { None }
    }
}

impl Model {
    /// Learns a batch. The first batch determines the number of features, the float type, the column names if there are
    /// any, and the classes. With an open class set, an unseen label is a new class.
    ///
    /// ```
    /// use budgetrs::model::{Batch, Model};
    /// use budgetrs::{Classes, RawLabels, Rows, Spec};
    ///
    /// let mut model = Model::new(Spec::named("pa")?.check()?);
    /// let x = ndarray::arr2(&[[0.0], [1.0], [2.0]]);
    /// let y = RawLabels::Text(vec!["low".into(), "high".into(), "high".into()]);
    /// model.learn(&Rows::Dense(x.view()), None, &Batch::labels(&y))?;
    /// assert_eq!(model.classes, Some(Classes::Text(vec!["low".into(), "high".into()])));
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Model::check_batch`]; the model is unchanged then.
    pub fn learn<T: LearnerFloat>(
        &mut self,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch<'_>,
    ) -> Result<()> {
        self.learn_with(rows, columns, batch, |session| session.learn(session.remaining()))
    }

    /// Learns a batch through a session, so that the caller can act between parts of the batch. If the session ends early,
    /// the model has learned the rows up to there.
    ///
    /// # Errors
    /// As [`Model::check_batch`]; the model is unchanged then.
    pub fn learn_with<T: LearnerFloat, R>(
        &mut self,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch<'_>,
        learn: impl FnOnce(&mut LearnSession<'_, '_, T>) -> R,
    ) -> Result<R> {
        let Some(mut changed) = self.with_columns(columns)? else {
            return self.learn_rows(rows, batch, learn).map_err(|error| self.with_column_name(error));
        };
        let outcome =
            changed.learn_rows(rows, batch, learn).map_err(|error| changed.with_column_name(error))?;
        if changed.trained.is_some() {
            *self = changed;
        }
        Ok(outcome)
    }

    /// Checks a batch for [`Model::learn`].
    ///
    /// # Errors
    /// If there are no rows, a label is unknown or has another type, labels look like regression targets, or more classes or
    /// columns do not fit into memory; and as [`Learner::check`].
    pub fn check_batch<T: LearnerFloat>(
        &self,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch<'_>,
    ) -> Result<()> {
        match self.with_columns(columns)? {
            Some(changed) => changed.check_rows(rows, batch).map_err(|error| changed.with_column_name(error)),
            None => self.check_rows(rows, batch).map_err(|error| self.with_column_name(error)),
        }
    }

    /// Whether the model has these columns.
    #[must_use]
    pub fn has_columns(&self, columns: &Arc<Columns>) -> bool {
        self.columns.as_ref().is_some_and(|known| Arc::ptr_eq(known, columns) || known == columns)
    }

    /// Whether the model can learn rows that were encoded with these columns, which may have new categories.
    #[must_use]
    pub fn can_continue_with(&self, columns: &Arc<Columns>) -> bool {
        match &self.columns {
            Some(known) => self.has_columns(columns) || known.is_prefix_of(columns),
            None => self.trained.is_none(),
        }
    }

    /// Adds the name of the column to an error about a feature.
    #[must_use]
    pub fn with_column_name(&self, error: Error) -> Error {
        match &self.columns {
            Some(columns) => columns.with_column_name(error),
            None => error,
        }
    }

    fn check_rows<T: LearnerFloat>(&self, rows: &Rows<'_, T>, batch: &Batch<'_>) -> Result<()> {
        let targets = self.encode(rows, batch)?;
        let check = |learner: &Learner<T>| match targets.open() {
            Some(_) => learner.check_open(rows, targets.targets(), batch.weights),
            None => learner.check(rows, targets.targets(), batch.weights),
        };
        match &self.trained {
            Some(learner) => check(of_type(learner)?),
            None => check(&self.new_learner(rows, &targets)?),
        }
    }

    /// The model with these columns, before the first row or with new categories; `None` if the model has the columns
    /// already.
    fn with_columns(&self, columns: Option<&Arc<Columns>>) -> Result<Option<Self>> {
        let Some(columns) = columns.filter(|columns| !self.has_columns(columns)) else { return Ok(None) };
        Self::check_columns(columns)?;
        let mut changed = self.clone();
        changed.columns = Some(Arc::clone(columns));
        // With new categories, gamma is kept rather than recomputed for the larger number of features.
        let keep_gamma = changed.spec.spec().gamma == Gamma::Scale;
        changed.widen(columns.n_features(), keep_gamma).map_err(|error| {
            let category = columns.feature_names().pop().unwrap_or_default();
            Error::State(format!("X has words that are new, {category:?} for one: {error}").into())
        })?;
        Ok(Some(changed))
    }

    fn learn_rows<T: LearnerFloat, R>(
        &mut self,
        rows: &Rows<'_, T>,
        batch: &Batch<'_>,
        learn: impl FnOnce(&mut LearnSession<'_, '_, T>) -> R,
    ) -> Result<R> {
        let targets = self.encode(rows, batch)?;
        let Self { classes, trained, .. } = self;
        if let Some(learner) = trained {
            let (learned, outcome) = run_session(of_type_mut(learner)?, rows, &targets, batch, learn)?;
            if let Some(labels) = targets.open() {
                labels.commit(classes, learned);
            }
            return Ok(outcome);
        }
        let mut learner = self.new_learner(rows, &targets)?;
        let (learned, outcome) = run_session(&mut learner, rows, &targets, batch, learn)?;
        match targets {
            EncodedTargets::Closed(Some(given), _) => self.classes = Some(given),
            EncodedTargets::Open(labels) => {
                labels.commit(&mut self.classes, learned);
                if self.classes.is_none() {
                    // All weights were 0: there is no class yet, and so no learner.
                    return Ok(outcome);
                }
                self.open_classes = true;
            }
            EncodedTargets::Closed(None, _) | EncodedTargets::Values(_) => {}
        }
        self.trained = Some(T::wrap(learner));
        (self.scaling, self.preprocessing) = (None, None);
        Ok(outcome)
    }

    /// A learner for the first batch. An open class set starts with two classes.
    fn new_learner<T: LearnerFloat>(
        &self,
        rows: &Rows<'_, T>,
        targets: &EncodedTargets<'_>,
    ) -> Result<Learner<T>> {
        let task = match targets {
            EncodedTargets::Closed(Some(given), _) => Task::Classes(given.len()),
            EncodedTargets::Closed(None, _) => Task::Classes(self.classes.as_ref().map_or(0, Classes::len)),
            EncodedTargets::Open(_) => Task::Classes(2),
            EncodedTargets::Values(_) => Task::Regression,
        };
        if let Some(other) = &self.preprocessing {
            let other = of_type(other)?;
            let mut learner: Learner<T> = self.spec.build(other.n_columns(), task)?;
            learner.share_preprocessing_of(other)?;
            return Ok(learner);
        }
        let mut learner: Learner<T> = self.spec.build(rows.columns(), task)?;
        if let Some((mean, deviation)) = &self.scaling {
            learner.set_scaling(mean, deviation)?;
        }
        Ok(learner)
    }

    /// The encoded targets of a batch.
    fn encode<'a, T: LearnerFloat>(
        &self,
        rows: &Rows<'_, T>,
        batch: &Batch<'a>,
    ) -> Result<EncodedTargets<'a>> {
        if rows.is_empty() {
            let got = format!("0 sample(s) (shape ({}, {}))", rows.len(), rows.columns());
            return Err(Error::shape("X", "a minimum of 1 row", got));
        }
        match batch.targets {
            RawTargets::Labels { y, classes } => self.encode_labels(y, classes, batch),
            RawTargets::Values(values) => Ok(EncodedTargets::Values(values)),
        }
    }

    /// The encoded labels of a batch. The class set is closed if the classes are given, now or before, and otherwise open.
    fn encode_labels(
        &self,
        y: &RawLabels,
        given: Option<&RawLabels>,
        batch: &Batch<'_>,
    ) -> Result<EncodedTargets<'static>> {
        let known = self.classes.as_ref();
        match (known, given.map(Classes::of).transpose()?) {
            (Some(_), Some(given)) if self.open_classes => {
                let expected =
                    "given in the first call or never: the classes of this model come as they come";
                Err(Error::parameter("classes", expected, given))
            }
            (Some(known), Some(given)) if *known != given => {
                let expected = format!("the same as in the first call, {known}");
                Err(Error::parameter("classes", expected, given))
            }
            (Some(known), _) if !self.open_classes => {
                Ok(EncodedTargets::Closed(None, encode_closed(known, y)?))
            }
            (None, Some(given)) => {
                Self::check_classes(&given)?;
                let y = encode_closed(&given, y)?;
                Ok(EncodedTargets::Closed(Some(given), y))
            }
            // Booleans have two classes, both known from the first row.
            (None, None) if matches!(y, RawLabels::Bool(_)) => {
                Ok(EncodedTargets::Closed(Some(Classes::Bool), Classes::Bool.encode(y)?))
            }
            (Some(_) | None, _) => {
                check_not_continuous(y)?;
                let labels = OpenSetLabels::of(known, y, batch.weights, batch.order)?;
                if labels.has_new() {
                    Self::check_classes(&labels.all(known))?;
                }
                Ok(EncodedTargets::Open(labels))
            }
        }
    }
}

/// Runs a session on a batch. Returns the number of rows learned, and the result of `learn`.
fn run_session<T: LearnerFloat, R>(
    learner: &mut Learner<T>,
    rows: &Rows<'_, T>,
    targets: &EncodedTargets<'_>,
    batch: &Batch<'_>,
    learn: impl FnOnce(&mut LearnSession<'_, '_, T>) -> R,
) -> Result<(usize, R)> {
    let mut session = match targets.open() {
        Some(_) => learner.begin_learning_open(rows, targets.targets(), batch.weights),
        None => learner.begin_learning(rows, targets.targets(), batch.weights),
    }?;
    if let Some(order) = batch.order {
        session = session.in_order(order)?;
    }
    let all = session.remaining();
    let outcome = learn(&mut session);
    Ok((all - session.remaining(), outcome))
}

/// Checks that labels do not look like regression targets, which are mostly distinct and not integers.
fn check_not_continuous(y: &RawLabels) -> Result<()> {
    let RawLabels::Float(y) = y else { return Ok(()) };
    if y.len() < CONTINUOUS_ROWS {
        return Ok(());
    }
    let fractions: HashSet<u64> = y.iter().filter(|y| y.fract() != 0.0).map(|y| y.to_bits()).collect();
    if fractions.len() <= y.len() / 2 {
        return Ok(());
    }
    let expected = "labels of classes: these look like the targets of regression, which Regressor learns \
                    (classes, given in the first call, may be any numbers)";
    let got = format!("{} different fractions in {} rows", fractions.len(), y.len());
    Err(Error::parameter("y", expected, got))
}

/// The class of each row of a closed class set. The error about an unknown label says how to allow new classes.
fn encode_closed(classes: &Classes, y: &RawLabels) -> Result<Vec<u32>> {
    classes.encode(y).map_err(|error| match error {
        Error::Label { row, got, classes: known } if *classes != Classes::Bool => {
            let classes = format!("{known}; a Classifier made without classes takes new ones as they come");
            Error::Label { row, got, classes }
        }
        other => other,
    })
}
