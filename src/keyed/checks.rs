//! What the batches of all keys have in common, and how rows of several keys are taken apart and put together.

use super::KeyedModels;
use super::common::Shape;
use crate::classes::{Classes, RawLabels};
use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::learner::Rows;
use crate::model::{Batch, LearnerFloat, RawTargets};
use std::mem::discriminant;
use std::sync::Arc;

impl KeyedModels {
    /// Refuses a batch of another type, width or kind of labels than those before.
    pub(super) fn check_shape<T: LearnerFloat>(
        &self,
        rows: &Rows<'_, T>,
        batch: &Batch<'_>,
    ) -> Result<Shape> {
        let labels = match batch.targets {
            RawTargets::Labels { classes: Some(_), .. } => {
                let reason = "the classes of models by key are those of the model that they begin as";
                return Err(Error::State(reason.into()));
            }
            RawTargets::Labels { y, classes: None } => Some(discriminant(y)),
            RawTargets::Values(_) => None,
        };
        let came = Shape { width: rows.columns(), dtype: T::NAME, labels };
        let Some(known) = self.shape else { return Ok(came) };
        if known.dtype != came.dtype {
            return Err(Error::shape("X", known.dtype, came.dtype));
        }
        let (folds, words) = (
            self.begin.spec.spec().hash_features.is_some(),
            self.columns.as_ref().is_some_and(|columns| columns.has_categorical()),
        );
        if known.width != came.width && !folds && !words {
            return Err(Error::shape("X", format!("{} features", known.width), came.width));
        }
        // Classes that are given take labels of another kind that are equal.
        if known.labels != came.labels && self.begin.classes.is_none() {
            return Err(Error::shape("y", "labels of one kind for all keys", "another kind than before"));
        }
        Ok(came)
    }

    /// The columns of all keys, with those of a batch.
    pub(super) fn merged(&self, columns: Option<&Arc<Columns>>) -> Result<Option<Arc<Columns>>> {
        let named = || Error::shape("X", "named columns in every batch, or in none", "the other");
        match (&self.columns, columns) {
            (None, None) => Ok(None),
            (None, Some(_)) if self.shape.is_some() => Err(named()),
            (None, Some(columns)) => Ok(Some(Arc::clone(columns))),
            // Rows without names, in the order of the features.
            (Some(known), None) => Ok(Some(Arc::clone(known))),
            (Some(known), Some(columns)) if self.has_columns(columns) => Ok(Some(Arc::clone(known))),
            (Some(known), Some(columns)) if known.is_prefix_of(columns) => Ok(Some(Arc::clone(columns))),
            (Some(_), Some(_)) => Err(named()),
        }
    }

    /// An error that names the key whose model it concerns, where it does not name what came.
    pub(super) fn of_key(&self, slot: u32, error: Error) -> Error {
        match (error, self.index.name(slot)) {
            (error @ (Error::Io { .. } | Error::ModelFile { .. }), _) | (error, None) => error,
            (error, Some(_)) if error.parameter_name().is_some() => error,
            (error, Some(key)) => Error::State(format!("of the key {key}: {error}").into()),
        }
    }
}

/// The targets of some rows.
pub(super) enum Targets {
    Labels(RawLabels),
    Values(Vec<f64>),
}

impl Targets {
    /// Those of the rows of these numbers.
    pub(super) fn pick(batch: &Batch<'_>, rows: &[usize]) -> Self {
        match batch.targets {
            RawTargets::Labels { y, .. } => Self::Labels(match y {
                RawLabels::Bool(y) => RawLabels::Bool(pick(y, rows)),
                RawLabels::Int(y) => RawLabels::Int(pick(y, rows)),
                RawLabels::Float(y) => RawLabels::Float(pick(y, rows)),
                RawLabels::Text(y) => RawLabels::Text(pick(y, rows)),
            }),
            RawTargets::Values(y) => Self::Values(pick(y, rows)),
        }
    }

    pub(super) fn batch<'a>(&'a self, weights: Option<&'a [f64]>) -> Batch<'a> {
        let batch = match self {
            Self::Labels(y) => Batch::labels(y),
            Self::Values(y) => Batch::values(y),
        };
        Batch { weights, ..batch }
    }
}

pub(super) fn pick<A: Clone>(all: &[A], rows: &[usize]) -> Vec<A> {
    rows.iter().map(|row| all[*row].clone()).collect()
}

/// The labels of classes.
pub(super) fn labels_of(classes: &Classes, indices: &[u32]) -> RawLabels {
    fn each<A: Clone>(all: &[A], indices: &[u32]) -> Vec<A> {
        indices.iter().map(|class| all[*class as usize].clone()).collect()
    }
    match classes {
        Classes::Bool => RawLabels::Bool(indices.iter().map(|class| i64::from(*class)).collect()),
        Classes::Int(c) => RawLabels::Int(each(c, indices)),
        Classes::Float(c) => RawLabels::Float(each(c, indices)),
        Classes::Text(c) => RawLabels::Text(each(c, indices)),
    }
}

/// Room for so many labels of the kind of these.
pub(super) fn blank(like: &RawLabels, count: usize) -> RawLabels {
    match like {
        RawLabels::Bool(_) => RawLabels::Bool(vec![0; count]),
        RawLabels::Int(_) => RawLabels::Int(vec![0; count]),
        RawLabels::Float(_) => RawLabels::Float(vec![0.0; count]),
        RawLabels::Text(_) => RawLabels::Text(vec![String::new(); count]),
    }
}

/// Puts labels in their places; those of all keys are of one kind.
pub(super) fn scatter(all: &mut RawLabels, places: &[usize], labels: RawLabels) {
    fn each<A>(all: &mut [A], places: &[usize], labels: Vec<A>) {
        for (place, label) in places.iter().zip(labels) {
            all[*place] = label;
        }
    }
    match (all, labels) {
        (RawLabels::Bool(all), RawLabels::Bool(labels)) | (RawLabels::Int(all), RawLabels::Int(labels)) => {
            each(all, places, labels);
        }
        (RawLabels::Float(all), RawLabels::Float(labels)) => each(all, places, labels),
        (RawLabels::Text(all), RawLabels::Text(labels)) => each(all, places, labels),
        _ => debug_assert!(false, "the labels of all keys are of one kind"),
    }
}
