//! What comes with the rows of a batch, converted from Python, and the loop that learns it.

use crate::array_input::Purpose;
use crate::error::to_python;
use crate::float_type::NumpyFloat;
use crate::signals::in_slices;
use crate::squared_errors::{MIN_ROWS, SquaredErrors};
use crate::{arrays, labels};
use budgetrs::columns::Columns;
use budgetrs::model::{Batch, Model, RawTargets};
use budgetrs::trainer::{Counts, LearnSession};
use budgetrs::{CheckedSpec, RawLabels, Rows};
use pyo3::prelude::*;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// Targets, weights and order of the rows of a batch.
pub(crate) struct OwnedBatch {
    targets: OwnedTargets,
    pub(crate) weights: Option<Vec<f64>>,
    /// Row indices, where the rows are learned in another order.
    order: Option<Vec<usize>>,
    /// Whether the rows were learned before.
    repeated: bool,
    /// Whether new columns become features.
    pub(crate) add_features: bool,
    /// The number of rows after which errors are recorded.
    milestone: Option<usize>,
    recorded: OnceLock<(Counts, SquaredErrors)>,
}

/// Targets of classification or regression.
pub(crate) enum OwnedTargets {
    Labels { y: RawLabels, classes: Option<RawLabels> },
    Values(Vec<f64>),
}

impl OwnedBatch {
    /// Reads the arguments of a classifier.
    pub(crate) fn of_labels(
        y: &Bound<'_, PyAny>,
        classes: Option<&Bound<'_, PyAny>>,
        weights: Option<&Bound<'_, PyAny>>,
        order: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let classes = classes.map(|classes| labels::read("classes", classes)).transpose()?;
        Ok(Self {
            targets: OwnedTargets::Labels { classes, y: labels::read("y", y)? },
            weights: weights.map(|weights| arrays::read_floats("sample_weight", weights)).transpose()?,
            order: order.map(arrays::read_order).transpose()?,
            repeated: false,
            add_features: false,
            milestone: None,
            recorded: OnceLock::new(),
        })
    }

    /// Reads the arguments of a regressor.
    pub(crate) fn of_values(
        y: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
        order: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let weights = weights.map(|weights| arrays::read_floats("sample_weight", weights)).transpose()?;
        Ok(Self {
            targets: OwnedTargets::Values(arrays::read_floats("y", y)?),
            weights,
            order: order.map(arrays::read_order).transpose()?,
            repeated: false,
            add_features: false,
            milestone: None,
            recorded: OnceLock::new(),
        })
    }

    /// A batch of one row.
    pub(crate) fn one(targets: OwnedTargets, weight: f64) -> Self {
        Self {
            targets,
            weights: Some(vec![weight]),
            order: None,
            repeated: false,
            add_features: false,
            milestone: None,
            recorded: OnceLock::new(),
        }
    }

    /// Whether the rows were learned before.
    pub(crate) fn repeated(self, repeated: bool) -> Self {
        Self { repeated, ..self }
    }

    /// Whether new columns become features.
    pub(crate) fn adding_features(self, add_features: bool) -> Self {
        Self { add_features, ..self }
    }

    /// The weight of each row, times the weight of its class.
    pub(crate) fn row_weights(&self, spec: &CheckedSpec) -> PyResult<Option<Cow<'_, [f64]>>> {
        self.as_core().row_weights(&spec.spec().class_weight).map_err(to_python)
    }

    /// What the call does with its rows, which have these weights.
    pub(crate) fn purpose<'a>(&self, row_weights: Option<&'a [f64]>) -> Purpose<'a> {
        Purpose::Learn { weights: row_weights, add_features: self.add_features }
    }

    /// Has the counts recorded when `rows` rows are learned.
    pub(crate) fn with_milestone(self, rows: usize) -> Self {
        Self { milestone: Some(rows), ..self }
    }

    /// The counts at the milestone.
    pub(crate) fn into_milestone_counts(self) -> Counts {
        self.recorded.into_inner().map_or_else(Counts::default, |(counts, _)| counts)
    }

    /// The errors at the milestone, or in the middle of a large batch.
    pub(crate) fn recorded_errors(&self) -> Option<SquaredErrors> {
        self.recorded.get().map(|(_, errors)| *errors)
    }

    /// The batch as the core takes it.
    pub(crate) fn as_core(&self) -> Batch<'_> {
        let targets = match &self.targets {
            OwnedTargets::Labels { y, classes } => RawTargets::Labels { y, classes: classes.as_ref() },
            OwnedTargets::Values(values) => RawTargets::Values(values),
        };
        Batch {
            targets,
            weights: self.weights.as_deref(),
            order: self.order.as_deref(),
            repeated: self.repeated,
            add_features: self.add_features,
        }
    }

    /// Learns the batch. Invalid rows leave the model as it was; Ctrl-C leaves the rows learned so far.
    pub(crate) fn learn<T: NumpyFloat>(
        &self,
        model: &mut Model,
        (rows, are_private): (&Rows<'_, T>, bool),
        columns: Option<&Arc<Columns>>,
    ) -> PyResult<()> {
        let learn = |session: &mut LearnSession<'_, '_, T>| self.learn_slices(session, are_private);
        model.learn_with(rows, columns, &self.as_core(), learn).map_err(to_python)?
    }

    /// Learns the remaining rows, and records the errors at the milestone, or in the middle of a large batch.
    fn learn_slices<T: NumpyFloat>(
        &self,
        session: &mut LearnSession<'_, '_, T>,
        are_private: bool,
    ) -> PyResult<()> {
        let learn = |session: &mut LearnSession<'_, '_, T>, rows| {
            in_slices(rows, |slice| {
                if are_private {
                    session.learn(slice);
                    return Ok(());
                }
                // Another thread may have written to the rows since they were checked.
                session.learn_copies(slice).map_err(to_python)
            })
        };
        let rows = session.remaining();
        let middle = if rows < 2 * MIN_ROWS { rows } else { rows / 2 };
        let first = self.milestone.map_or(middle, |milestone| milestone.min(rows));
        learn(session, first)?;
        self.recorded.get_or_init(|| {
            let learner = session.learner();
            (learner.counts(), SquaredErrors::new(learner.counts(), learner.baselines()))
        });
        learn(session, rows - first)
    }
}
