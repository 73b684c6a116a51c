//! Learning rows with the labels of the user: a first batch makes the learner, new labels and words make it grow.

use super::typed::{of_type, of_type_mut};
use super::{Model, Typed};
use crate::classes::{Arrivals, Classes, RawLabels};
use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::label::Task;
use crate::learner::{LearnSession, Learner, Rows, Targets};
use crate::params::Gamma;
use std::collections::HashSet;
use std::sync::Arc;

/// The rows of which it can be said that their labels are no classes.
const CONTINUOUS: usize = 30;

/// What is to be learned of the rows of a batch.
#[derive(Debug, Clone, Copy)]
pub enum RawTargets<'a> {
    /// Labels of classes.
    Labels {
        /// The label of each row.
        y: &'a RawLabels,
        /// All labels of the stream, for a first batch; without them classes come as they come.
        classes: Option<&'a RawLabels>,
    },
    /// Numbers, of regression.
    Values(&'a [f64]),
}

/// The targets, weights and order of the rows of a batch.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// What is to be learned of each row.
    pub targets: RawTargets<'a>,
    /// A weight to the row; 1 without them.
    pub weights: Option<&'a [f64]>,
    /// Numbers of rows, where they are to be learned in another order.
    pub order: Option<&'a [usize]>,
}

impl<'a> Batch<'a> {
    /// Rows of these labels, whose classes come as they come.
    #[must_use]
    pub fn labels(y: &'a RawLabels) -> Self {
        Self { targets: RawTargets::Labels { y, classes: None }, weights: None, order: None }
    }

    /// Rows of these numbers.
    #[must_use]
    pub fn values(y: &'a [f64]) -> Self {
        Self { targets: RawTargets::Values(y), weights: None, order: None }
    }
}

/// Targets as a learner takes them.
enum Encoded<'a> {
    /// The class of each row by index, of a whole list; the list, if it is not that of the model yet.
    Whole(Option<Classes>, Vec<u32>),
    /// Those of a list that grows.
    Growing(Arrivals),
    Values(&'a [f64]),
}

impl Encoded<'_> {
    fn targets(&self) -> Targets<'_> {
        match self {
            Self::Whole(_, classes) => Targets::Classes(classes),
            Self::Growing(arrivals) => Targets::Classes(arrivals.indices()),
            Self::Values(values) => Targets::Values(values),
        }
    }

    /// The classes of a list that grows.
    fn growing(&self) -> Option<&Arrivals> {
        if let Self::Growing(arrivals) = self { Some(arrivals) } else { None }
    }
}

impl Model {
    /// Learns a batch. A first one fixes the width and the type, the columns if they have names, and the classes unless
    /// they come as they come: then a label that was never seen is a new class.
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
    /// As [`Model::check_batch`], and nothing is learned.
    pub fn learn<T: Typed>(
        &mut self,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch<'_>,
    ) -> Result<()> {
        self.learn_with(rows, columns, batch, |parts| parts.learn(parts.remaining()))
    }

    /// The same, with something to do between parts of the batch. The rows that it has learned when it ends are what
    /// the model has learned.
    ///
    /// # Errors
    /// As [`Model::check_batch`], and nothing is learned.
    pub fn learn_with<T: Typed, R>(
        &mut self,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch<'_>,
        learn: impl FnOnce(&mut LearnSession<'_, '_, T>) -> R,
    ) -> Result<R> {
        let Some(mut changed) = self.for_columns(columns)? else {
            return self.learn_rows(rows, batch, learn).map_err(|error| self.named(error));
        };
        let ended = changed.learn_rows(rows, batch, learn).map_err(|error| changed.named(error))?;
        if changed.trained.is_some() {
            *self = changed;
        }
        Ok(ended)
    }

    /// Refuses what [`Model::learn`] would refuse.
    ///
    /// # Errors
    /// When there is no row, a label is unknown or of another kind, labels look like the targets of regression, there
    /// is no room for more classes or columns; and as [`Learner::check`].
    pub fn check_batch<T: Typed>(
        &self,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch<'_>,
    ) -> Result<()> {
        match self.for_columns(columns)? {
            Some(changed) => changed.check_rows(rows, batch).map_err(|error| changed.named(error)),
            None => self.check_rows(rows, batch).map_err(|error| self.named(error)),
        }
    }

    /// Whether the model has these columns.
    #[must_use]
    pub fn has_columns(&self, columns: &Arc<Columns>) -> bool {
        self.columns.as_ref().is_some_and(|known| Arc::ptr_eq(known, columns) || known == columns)
    }

    /// Whether rows that were arranged by these columns are rows of the model, perhaps with words that are new.
    #[must_use]
    pub fn goes_on_with(&self, columns: &Arc<Columns>) -> bool {
        match &self.columns {
            Some(known) => self.has_columns(columns) || known.is_prefix_of(columns),
            None => self.trained.is_none(),
        }
    }

    /// An error with the name of the column that it speaks of.
    #[must_use]
    pub fn named(&self, error: Error) -> Error {
        match &self.columns {
            Some(columns) => columns.with_column_name(error),
            None => error,
        }
    }

    fn check_rows<T: Typed>(&self, rows: &Rows<'_, T>, batch: &Batch<'_>) -> Result<()> {
        let targets = self.encode(rows, batch)?;
        let check = |learner: &Learner<T>| match targets.growing() {
            Some(_) => learner.check_open(rows, targets.targets(), batch.weights),
            None => learner.check(rows, targets.targets(), batch.weights),
        };
        match &self.trained {
            Some(learner) => check(of_type(learner)?),
            None => check(&self.first(rows, &targets)?),
        }
    }

    /// The model with these columns, if it does not have them yet: before the first row, or with words that are new.
    /// None where it has them.
    fn for_columns(&self, columns: Option<&Arc<Columns>>) -> Result<Option<Self>> {
        let Some(columns) = columns.filter(|columns| !self.has_columns(columns)) else { return Ok(None) };
        Self::check_columns(columns)?;
        let mut changed = self.clone();
        changed.columns = Some(Arc::clone(columns));
        // Gamma stays that of the features that there were.
        let keeps = changed.spec.spec().gamma == Gamma::Scale;
        changed.widen(columns.n_features(), keeps).map_err(|error| {
            let word = columns.feature_names().pop().unwrap_or_default();
            Error::State(format!("X has words that are new, {word:?} for one: {error}").into())
        })?;
        Ok(Some(changed))
    }

    fn learn_rows<T: Typed, R>(
        &mut self,
        rows: &Rows<'_, T>,
        batch: &Batch<'_>,
        learn: impl FnOnce(&mut LearnSession<'_, '_, T>) -> R,
    ) -> Result<R> {
        let targets = self.encode(rows, batch)?;
        let Self { classes, trained, .. } = self;
        if let Some(learner) = trained {
            let (learned, ended) = learn_parts(of_type_mut(learner)?, rows, &targets, batch, learn)?;
            if let Some(arrivals) = targets.growing() {
                arrivals.commit(classes, learned);
            }
            return Ok(ended);
        }
        let mut learner = self.first(rows, &targets)?;
        let (learned, ended) = learn_parts(&mut learner, rows, &targets, batch, learn)?;
        match targets {
            Encoded::Whole(Some(given), _) => self.classes = Some(given),
            Encoded::Growing(arrivals) => {
                arrivals.commit(&mut self.classes, learned);
                if self.classes.is_none() {
                    // No row had a weight: there is no class yet, and so no model.
                    return Ok(ended);
                }
                self.grows = true;
            }
            Encoded::Whole(None, _) | Encoded::Values(_) => {}
        }
        self.trained = Some(T::any(learner));
        (self.scaling, self.like) = (None, None);
        Ok(ended)
    }

    /// The learner that a first batch makes; of classes that come as they come it has two at first.
    fn first<T: Typed>(&self, rows: &Rows<'_, T>, targets: &Encoded<'_>) -> Result<Learner<T>> {
        let task = match targets {
            Encoded::Whole(Some(given), _) => Task::Classes(given.len()),
            Encoded::Whole(None, _) => Task::Classes(self.classes.as_ref().map_or(0, Classes::len)),
            Encoded::Growing(_) => Task::Classes(2),
            Encoded::Values(_) => Task::Regression,
        };
        if let Some(like) = &self.like {
            let like = of_type(like)?;
            let mut learner: Learner<T> = self.spec.build(like.n_columns(), task)?;
            learner.share_preprocessing_of(like)?;
            return Ok(learner);
        }
        let mut learner: Learner<T> = self.spec.build(rows.columns(), task)?;
        if let Some((mean, deviation)) = &self.scaling {
            learner.set_scaling(mean, deviation)?;
        }
        Ok(learner)
    }

    /// The targets of a batch as a learner takes them.
    fn encode<'a, T: Typed>(&self, rows: &Rows<'_, T>, batch: &Batch<'a>) -> Result<Encoded<'a>> {
        if rows.is_empty() {
            let got = format!("0 sample(s) (shape ({}, {}))", rows.len(), rows.columns());
            return Err(Error::shape("X", "a minimum of 1 row", got));
        }
        match batch.targets {
            RawTargets::Labels { y, classes } => self.encode_labels(y, classes, batch),
            RawTargets::Values(values) => Ok(Encoded::Values(values)),
        }
    }

    /// The class of each row. The list is whole if it is given, now or before; else it grows with the rows.
    fn encode_labels(
        &self,
        y: &RawLabels,
        given: Option<&RawLabels>,
        batch: &Batch<'_>,
    ) -> Result<Encoded<'static>> {
        let known = self.classes.as_ref();
        match (known, given.map(Classes::of).transpose()?) {
            (Some(_), Some(given)) if self.grows => {
                let expected =
                    "given in the first call or never: the classes of this model come as they come";
                Err(Error::parameter("classes", expected, given))
            }
            (Some(known), Some(given)) if *known != given => {
                let expected = format!("the same as in the first call, {known}");
                Err(Error::parameter("classes", expected, given))
            }
            (Some(known), _) if !self.grows => Ok(Encoded::Whole(None, encode_whole(known, y)?)),
            (None, Some(given)) => {
                Self::check_classes(&given)?;
                let y = encode_whole(&given, y)?;
                Ok(Encoded::Whole(Some(given), y))
            }
            // There are two bools and no more: both exist from the first row on.
            (None, None) if matches!(y, RawLabels::Bool(_)) => {
                Ok(Encoded::Whole(Some(Classes::Bool), Classes::Bool.encode(y)?))
            }
            (Some(_) | None, _) => {
                refuse_continuous(y)?;
                let arrivals = Arrivals::of(known, y, batch.weights, batch.order)?;
                if arrivals.has_new() {
                    Self::check_classes(&arrivals.all(known))?;
                }
                Ok(Encoded::Growing(arrivals))
            }
        }
    }
}

/// Learns a batch, unless it is refused. Returns how many rows of it were learned, and what became of it.
fn learn_parts<T: Typed, R>(
    learner: &mut Learner<T>,
    rows: &Rows<'_, T>,
    targets: &Encoded<'_>,
    batch: &Batch<'_>,
    learn: impl FnOnce(&mut LearnSession<'_, '_, T>) -> R,
) -> Result<(usize, R)> {
    let mut parts = match targets.growing() {
        Some(_) => learner.begin_learning_open(rows, targets.targets(), batch.weights),
        None => learner.begin_learning(rows, targets.targets(), batch.weights),
    }?;
    if let Some(order) = batch.order {
        parts = parts.in_order(order)?;
    }
    let all = parts.remaining();
    let ended = learn(&mut parts);
    Ok((all - parts.remaining(), ended))
}

/// Refuses numbers that look like the targets of regression: most are no integers, and different from one another.
fn refuse_continuous(y: &RawLabels) -> Result<()> {
    let RawLabels::Float(y) = y else { return Ok(()) };
    if y.len() < CONTINUOUS {
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

/// The class of each row; the error of a label that is not in the list says how new ones may come.
fn encode_whole(classes: &Classes, y: &RawLabels) -> Result<Vec<u32>> {
    classes.encode(y).map_err(|error| match error {
        Error::Label { row, got, classes: known } if *classes != Classes::Bool => {
            let classes = format!("{known}; a Classifier made without classes takes new ones as they come");
            Error::Label { row, got, classes }
        }
        other => other,
    })
}
