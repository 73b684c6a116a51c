//! Targets of a batch, encoded for the learner.

use super::{Batch, LearnerFloat, Model, RawTargets};
use crate::classes::{Classes, Labels, OpenSetLabels};
use crate::error::{Error, Result};
use crate::learner::{Rows, Target, Targets};
use crate::params::ClassWeight;
use std::collections::HashSet;

/// The number of rows from which labels are checked for looking continuous.
const CONTINUOUS_ROWS: usize = 30;

/// Targets encoded for the learner.
pub(super) enum EncodedTargets<'a> {
    /// Class indices of a closed class set, with the class set if the model does not have it yet.
    Closed(Option<Classes>, Vec<u32>),
    /// Class indices of an open class set.
    Open(OpenSetLabels),
    /// Numbers, for regression.
    Values(&'a [f64]),
}

impl EncodedTargets<'_> {
    /// The targets as the learner reads them.
    pub(super) fn targets(&self) -> Targets<'_> {
        match self {
            Self::Closed(_, classes) => Targets::Classes(classes),
            Self::Open(labels) => Targets::Classes(labels.indices()),
            Self::Values(values) => Targets::Values(values),
        }
    }

    /// The labels of an open class set; `None` for other targets.
    pub(super) fn open(&self) -> Option<&OpenSetLabels> {
        if let Self::Open(labels) = self { Some(labels) } else { None }
    }
}

impl Model {
    /// The encoded targets of a batch.
    pub(super) fn encode<'a, T: LearnerFloat>(
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

    /// Checks that class weights by label are weights of these classes, a closed class set.
    ///
    /// # Errors
    /// As [`LabelWeights::check_classes`](crate::classes::LabelWeights::check_classes).
    pub fn check_class_weight(&self, classes: &Classes) -> Result<()> {
        match &self.spec.spec().class_weight {
            ClassWeight::ByLabel(weights) => weights.check_classes(classes),
            ClassWeight::None | ClassWeight::Balanced => Ok(()),
        }
    }

    /// The weight of a row of a known class, times the weight of its label if labels have weights.
    #[must_use]
    pub fn row_weight(&self, target: Target, weight: f64) -> f64 {
        match (&self.spec.spec().class_weight, target, &self.classes) {
            (ClassWeight::ByLabel(weights), Target::Class(class), Some(classes)) => {
                weights.row_weight(classes, class as usize, weight)
            }
            (ClassWeight::None | ClassWeight::Balanced | ClassWeight::ByLabel(_), _, _) => weight,
        }
    }

    /// The encoded labels of a batch. The class set is closed if the classes are given, now or before, and otherwise
    /// open.
    fn encode_labels(
        &self,
        y: &Labels,
        given: Option<&Labels>,
        batch: &Batch<'_>,
    ) -> Result<EncodedTargets<'static>> {
        let known = self.classes.as_ref();
        match (known, given.map(Classes::of).transpose()?) {
            (Some(_), Some(given)) if self.open_classes => {
                let expected =
                    "passed in the first call to learn: this model accepts new classes at any time";
                Err(Error::parameter("classes", expected, given))
            }
            (Some(known), Some(given)) if *known != given => {
                let expected = format!("equal to the classes of the first call, {known}");
                Err(Error::parameter("classes", expected, given))
            }
            (Some(known), _) if !self.open_classes => {
                Ok(EncodedTargets::Closed(None, encode_closed(known, y)?))
            }
            (None, Some(given)) => {
                Self::check_classes(&given)?;
                self.check_class_weight(&given)?;
                let y = encode_closed(&given, y)?;
                Ok(EncodedTargets::Closed(Some(given), y))
            }
            // Booleans have two classes, both known from the first row.
            (None, None) if matches!(y, Labels::Bool(_)) => {
                let y = Classes::Bool.encode(y)?;
                self.check_class_weight(&Classes::Bool)?;
                Ok(EncodedTargets::Closed(Some(Classes::Bool), y))
            }
            (Some(_) | None, _) => {
                check_not_continuous(y)?;
                let labels = OpenSetLabels::of(known, y, batch.weights, batch.order)?;
                if let ClassWeight::ByLabel(weights) = &self.spec.spec().class_weight {
                    weights.check_type(labels.are_text())?;
                }
                if labels.has_new() {
                    Self::check_classes(&labels.all(known))?;
                }
                Ok(EncodedTargets::Open(labels))
            }
        }
    }
}

/// Checks that labels do not look like regression targets, which are mostly distinct and not integers.
fn check_not_continuous(y: &Labels) -> Result<()> {
    let Labels::Float(y) = y else { return Ok(()) };
    if y.len() < CONTINUOUS_ROWS {
        return Ok(());
    }
    let fractions: HashSet<u64> = y.iter().filter(|y| y.fract() != 0.0).map(|y| y.to_bits()).collect();
    if fractions.len() <= y.len() / 2 {
        return Ok(());
    }
    let expected = "class labels; for regression targets use Regressor, for fractional labels pass classes in the \
                    first call";
    let got = format!("{} different fractions in {} rows", fractions.len(), y.len());
    Err(Error::parameter("y", expected, got))
}

/// The class of each row of a closed class set. The error about an unknown label says how to allow new classes.
fn encode_closed(classes: &Classes, y: &Labels) -> Result<Vec<u32>> {
    classes.encode(y).map_err(|error| match error {
        Error::Label { row, got, classes: known } if *classes != Classes::Bool => {
            let classes = format!("{known}; create the Classifier without classes to accept new classes");
            Error::Label { row, got, classes }
        }
        other => other,
    })
}
