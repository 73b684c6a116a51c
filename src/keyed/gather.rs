//! Gathering the targets of a key from a batch, and scattering its predictions into the batch.

use crate::classes::{Classes, Labels};
use crate::model::{Batch, RawTargets};

/// The targets of the rows of one key.
pub(super) enum KeyTargets {
    Labels(Labels),
    Values(Vec<f64>),
}

impl KeyTargets {
    /// Gathers the targets of these rows.
    pub(super) fn gather(batch: &Batch<'_>, rows: &[usize]) -> Self {
        match batch.targets {
            RawTargets::Labels { y, .. } => Self::Labels(match y {
                Labels::Bool(y) => Labels::Bool(gather(y, rows)),
                Labels::Int(y) => Labels::Int(gather(y, rows)),
                Labels::Float(y) => Labels::Float(gather(y, rows)),
                Labels::Text(y) => Labels::Text(gather(y, rows)),
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
pub(super) fn labels_of(classes: &Classes, indices: &[u32]) -> Labels {
    fn take<A: Clone>(labels: &[A], indices: &[u32]) -> Vec<A> {
        indices.iter().map(|class| labels[*class as usize].clone()).collect()
    }
    match classes {
        Classes::Bool => Labels::Bool(indices.iter().map(|class| i64::from(*class)).collect()),
        Classes::Int(labels) => Labels::Int(take(labels, indices)),
        Classes::Float(labels) => Labels::Float(take(labels, indices)),
        Classes::Text(labels) => Labels::Text(take(labels, indices)),
    }
}

/// `count` labels of the type of `like`, to be overwritten by [`scatter`].
pub(super) fn blank(like: &Labels, count: usize) -> Labels {
    match like {
        Labels::Bool(_) => Labels::Bool(vec![0; count]),
        Labels::Int(_) => Labels::Int(vec![0; count]),
        Labels::Float(_) => Labels::Float(vec![0.0; count]),
        Labels::Text(_) => Labels::Text(vec![String::new(); count]),
    }
}

/// Writes the labels of a key to its rows. The labels of all keys have one type.
pub(super) fn scatter(all: &mut Labels, rows: &[usize], labels: Labels) {
    fn write<A>(all: &mut [A], rows: &[usize], labels: Vec<A>) {
        for (row, label) in rows.iter().zip(labels) {
            all[*row] = label;
        }
    }
    match (all, labels) {
        (Labels::Bool(all), Labels::Bool(labels)) | (Labels::Int(all), Labels::Int(labels)) => {
            write(all, rows, labels);
        }
        (Labels::Float(all), Labels::Float(labels)) => write(all, rows, labels),
        (Labels::Text(all), Labels::Text(labels)) => write(all, rows, labels),
        _ => debug_assert!(false, "the labels of all keys are of one kind"),
    }
}
