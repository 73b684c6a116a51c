//! Gathering the targets of a key from a batch, and scattering its predictions into the batch.

use crate::classes::{Classes, RawLabels};
use crate::model::{Batch, RawTargets};

/// The targets of the rows of one key.
pub(super) enum KeyTargets {
    Labels(RawLabels),
    Values(Vec<f64>),
}

impl KeyTargets {
    /// Gathers the targets of these rows.
    pub(super) fn gather(batch: &Batch<'_>, rows: &[usize]) -> Self {
        match batch.targets {
            RawTargets::Labels { y, .. } => Self::Labels(match y {
                RawLabels::Bool(y) => RawLabels::Bool(gather(y, rows)),
                RawLabels::Int(y) => RawLabels::Int(gather(y, rows)),
                RawLabels::Float(y) => RawLabels::Float(gather(y, rows)),
                RawLabels::Text(y) => RawLabels::Text(gather(y, rows)),
            }),
            RawTargets::Values(y) => Self::Values(gather(y, rows)),
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

/// The entries of an array at these rows.
pub(super) fn gather<A: Clone>(array: &[A], rows: &[usize]) -> Vec<A> {
    rows.iter().map(|row| array[*row].clone()).collect()
}

/// The labels of class indices.
pub(super) fn labels_of(classes: &Classes, indices: &[u32]) -> RawLabels {
    fn take<A: Clone>(labels: &[A], indices: &[u32]) -> Vec<A> {
        indices.iter().map(|class| labels[*class as usize].clone()).collect()
    }
    match classes {
        Classes::Bool => RawLabels::Bool(indices.iter().map(|class| i64::from(*class)).collect()),
        Classes::Int(labels) => RawLabels::Int(take(labels, indices)),
        Classes::Float(labels) => RawLabels::Float(take(labels, indices)),
        Classes::Text(labels) => RawLabels::Text(take(labels, indices)),
    }
}

/// `count` labels of the type of `like`, to be overwritten by [`scatter`].
pub(super) fn blank(like: &RawLabels, count: usize) -> RawLabels {
    match like {
        RawLabels::Bool(_) => RawLabels::Bool(vec![0; count]),
        RawLabels::Int(_) => RawLabels::Int(vec![0; count]),
        RawLabels::Float(_) => RawLabels::Float(vec![0.0; count]),
        RawLabels::Text(_) => RawLabels::Text(vec![String::new(); count]),
    }
}

/// Writes the labels of a key to its rows. The labels of all keys have one type.
pub(super) fn scatter(all: &mut RawLabels, rows: &[usize], labels: RawLabels) {
    fn write<A>(all: &mut [A], rows: &[usize], labels: Vec<A>) {
        for (row, label) in rows.iter().zip(labels) {
            all[*row] = label;
        }
    }
    match (all, labels) {
        (RawLabels::Bool(all), RawLabels::Bool(labels)) | (RawLabels::Int(all), RawLabels::Int(labels)) => {
            write(all, rows, labels);
        }
        (RawLabels::Float(all), RawLabels::Float(labels)) => write(all, rows, labels),
        (RawLabels::Text(all), RawLabels::Text(labels)) => write(all, rows, labels),
        _ => debug_assert!(false, "the labels of all keys are of one kind"),
    }
}
