//! Learning rows with the user's labels. The first batch creates the learner; new classes and categories extend it.

use super::any_learner::{of_type, of_type_mut};
use super::encode::EncodedTargets;
use super::{Batch, LearnerFloat, Model};
use crate::batch::Task;
use crate::classes::Classes;
use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::learner::{LearnSession, Learner, Rows};
use ndarray::Array2;
use std::sync::Arc;

impl Model {
    /// Learns a batch. The first batch determines the number of features, the float type, the column names if there are
    /// any, and the classes. With an open class set, an unseen label is a new class.
    ///
    /// ```
    /// use budgetrs::model::{Batch, Model};
    /// use budgetrs::{Classes, Labels, Rows, Spec};
    ///
    /// let mut model = Model::new(Spec::named("pa")?.check()?);
    /// let x = ndarray::arr2(&[[0.0], [1.0], [2.0]]);
    /// let y = Labels::Text(vec!["low".into(), "high".into(), "high".into()]);
    /// model.learn(&Rows::Dense(x.view()), None, &Batch::labels(&y))?;
    /// assert_eq!(model.classes, Some(Classes::Text(vec!["low".into(), "high".into()])));
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Model::validate`]; the model is unchanged then.
    pub fn learn<T: LearnerFloat>(
        &mut self,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch<'_>,
    ) -> Result<()> {
        self.learn_with(rows, columns, batch, |session| session.learn(session.remaining()))
    }

    /// Learns a batch through a session, so that the caller can act between parts of the batch. If the session ends
    /// early, the model has learned the rows up to there.
    ///
    /// # Errors
    /// As [`Model::validate`]; the model is unchanged then.
    pub fn learn_with<T: LearnerFloat, R>(
        &mut self,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch<'_>,
        learn: impl FnOnce(&mut LearnSession<'_, '_, T>) -> R,
    ) -> Result<R> {
        let weights = batch.row_weights(&self.spec.spec().class_weight)?;
        let batch = &Batch { weights: weights.as_deref(), ..*batch };
        if self.lacks_features(rows, batch) {
            // The batch is checked, and nothing is learned.
            let zeros = Array2::from_elem((rows.len(), 1), T::ZERO);
            return self.clone().learn_rows(&Rows::<T>::Dense(zeros.view()), batch, learn);
        }
        let Some(extension) = self.extension(rows, columns, batch)? else {
            return self.learn_rows(rows, batch, learn).map_err(|error| self.with_column_name(error));
        };
        if self.accepts_extended(&extension, rows, batch) {
            // Without a copy of the model, which would take longer than learning a row.
            self.extend(&extension)?;
            return self.learn_rows(rows, batch, learn).map_err(|error| self.with_column_name(error));
        }
        let mut changed = self.extended(&extension)?;
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
    /// If there are no rows, a label is unknown or has another type, labels look like regression targets, or more
    /// classes or columns do not fit into memory; and as [`Learner::validate`].
    pub fn validate<T: LearnerFloat>(
        &self,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch<'_>,
    ) -> Result<()> {
        let weights = batch.row_weights(&self.spec.spec().class_weight)?;
        let batch = &Batch { weights: weights.as_deref(), ..*batch };
        if self.lacks_features(rows, batch) {
            return self
                .check_rows(&Rows::<T>::Dense(Array2::from_elem((rows.len(), 1), T::ZERO).view()), batch);
        }
        match self.extension(rows, columns, batch)? {
            Some(extension) => {
                let changed = self.extended(&extension)?;
                changed.check_rows(rows, batch).map_err(|error| changed.with_column_name(error))
            }
            None => self.check_rows(rows, batch).map_err(|error| self.with_column_name(error)),
        }
    }

    /// Whether a first batch has no features yet, because all columns are categorical and all weights are 0:
    /// rows of weight 0 add no categories.
    fn lacks_features<T: LearnerFloat>(&self, rows: &Rows<'_, T>, batch: &Batch<'_>) -> bool {
        let learns_nothing = batch.weights.is_some_and(|weights| weights.iter().all(|weight| *weight == 0.0));
        self.trained.is_none() && rows.columns() == 0 && learns_nothing
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
            None => learner.validate(rows, targets.targets(), batch.weights),
        };
        match &self.trained {
            Some(learner) => check(of_type(learner)?),
            None => check(&self.new_learner(rows, &targets)?),
        }
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
        self.preprocessing = None;
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
        let mut learner = match &self.preprocessing {
            Some(given) => given.build(&self.spec, rows.columns(), task),
            None => self.spec.build(rows.columns(), task),
        }?;
        if let Some(columns) = &self.columns {
            learner.set_categories(&columns.categorical_columns());
        }
        Ok(learner)
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
    if batch.repeated {
        session = session.repeated()?;
    }
    let all = session.remaining();
    let outcome = learn(&mut session);
    Ok((all - session.remaining(), outcome))
}
