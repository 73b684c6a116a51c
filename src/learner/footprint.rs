//! The memory of a model, by its parameters. It is an estimate, which `tests/footprint.rs` compares with what is allocated.

use super::Learner;
use crate::float::Real;
use crate::ops::{PANEL, ROWS};
use crate::panels::vectors_for;
use crate::params::{Average, CheckedSpec, Maintenance, Metric, Scale};
use crate::store::{LARGE, Store};

/// Numbers of type T for each support vector beside the vector and its coefficients: norms, weights, kernel rows.
const NUMBERS: usize = 10;
/// Bytes of its label, its age and its slot.
const OTHERS: usize = 40;
/// Bytes of the buffers of a learner that do not depend on its size, and what an allocator adds to some dozens of them.
const BUFFERS: usize = 3000;
/// The same of a learned metric with what serves and scales beside it.
const BUFFERS_OF_METRIC: usize = 8000;
/// Numbers for each feature: rows that are scaled, mapped or removed, linear parts apart.
const OF_FEATURE: usize = 16;

impl CheckedSpec {
    /// About the memory of a model with room for so many support vectors, in bytes; none where they cannot be counted.
    pub(crate) fn bytes_of<T: Real>(&self, vectors: usize, features: usize, outputs: usize) -> Option<usize> {
        let number = size_of::<T>();
        // Until maintenance makes room there is one more.
        let used = vectors.checked_add(1)?.checked_next_multiple_of(T::LANES)?;
        // Without a budget whole panels are added.
        let slots = match self.capacity() {
            Some(_) => vectors_for::<T>(vectors).checked_mul(T::LANES)?,
            None => vectors.checked_next_multiple_of(PANEL * T::LANES)?,
        };
        let columns = features.checked_add(outputs)?.checked_add(NUMBERS)?;
        let store = slots.checked_mul(columns.checked_mul(number)?.checked_add(OTHERS)?)?;
        let averages = match self.spec().average {
            Average::Last => 0,
            // Two means at most.
            Average::Suffix(_) | Average::Late => slots.checked_mul(outputs)?.checked_mul(2 * number)?,
            Average::Random => store.checked_mul(2)?.checked_add(2 * size_of::<Store<T>>())?,
        };
        let (of_slot, of_pair) = self.maintenance_of::<T>();
        // Squares are set aside for all support vectors that may come.
        let squared = slots.max(self.capacity().unwrap_or(0).checked_next_multiple_of(T::LANES)?);
        let maintenance = slots
            .checked_mul(of_slot)?
            .checked_add(squared.checked_mul(squared)?.checked_mul(of_pair)? / 2)?;
        let rows = features.checked_mul(OF_FEATURE * number)?;
        let is_large = used.checked_mul(features)?.checked_mul(number)? > LARGE;
        let ahead = if is_large {
            features.checked_mul(2)?.checked_add(slots)?.checked_mul(ROWS * number)?
        } else {
            0
        };
        [self.beside::<T>(features, outputs)?, store, averages, maintenance, rows, ahead]
            .into_iter()
            .try_fold(BUFFERS, usize::checked_add)
    }

    /// What does not depend on the number of support vectors: the metric, the linear part and the scaling.
    fn beside<T: Real>(&self, features: usize, outputs: usize) -> Option<usize> {
        let number = size_of::<T>();
        let metric = match self.spec().metric {
            Metric::None => 0,
            Metric::Auto | Metric::Diagonal | Metric::Full => {
                // A, its steps and scratch.
                let side = self.spec().metric.most(features).map_or(0, |most| most.min(features));
                side.checked_mul(side)?.checked_mul(4 * number)?.checked_add(BUFFERS_OF_METRIC)?
            }
        };
        // It, its steps and its means.
        let linear = if self.spec().linear.is_some() {
            features.checked_add(outputs)?.checked_mul(outputs)?.checked_mul(3 * number)?
        } else {
            0
        };
        let scaling = match self.spec().scale {
            Scale::None => 0,
            Scale::Online => features.checked_mul(8 * size_of::<f64>())?,
        };
        metric.checked_add(linear)?.checked_add(scaling)
    }

    /// What maintenance keeps: bytes for each support vector, and twice the bytes for each pair of them.
    fn maintenance_of<T: Real>(&self) -> (usize, usize) {
        let number = size_of::<T>();
        match self.spec().maintenance {
            Maintenance::None
            | Maintenance::Stop
            | Maintenance::Random
            | Maintenance::Oldest
            | Maintenance::Smallest
            | Maintenance::Simple
            | Maintenance::Forgetron
            | Maintenance::Bogd => (0, 0),
            Maintenance::Merge | Maintenance::MergeNewest => (10 * number, 0),
            Maintenance::ProjectNn => (16, 0),
            Maintenance::Nn if self.spec().neighbors() > 1 => (22 * number, 2 * number),
            Maintenance::Nn => (22 * number, 0),
            // A triangle of f64, and rows of it.
            Maintenance::Project
            | Maintenance::ProjectBest
            | Maintenance::Joint
            | Maintenance::Projectron
            | Maintenance::ProjectronPlus => (264, 8),
            // A square of kernel values, with room to grow.
            Maintenance::Margin | Maintenance::Distill => (0, 3 * number),
        }
    }
}

impl<T: Real> Learner<T> {
    /// About the memory that the model takes, in bytes: its vectors, their coefficients, what maintenance and averages
    /// keep of them, the metric, the linear part with its means, and buffers.
    #[must_use]
    pub fn memory(&self) -> usize {
        let bytes = self.spec.bytes_of::<T>(self.store.len(), self.n_features(), self.n_outputs());
        bytes.map_or(usize::MAX, |bytes| bytes.saturating_add(size_of::<Self>()))
    }
}
