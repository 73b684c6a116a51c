//! The memory of a model, by its parameters. It is an estimate, which `tests/footprint.rs` compares with what is allocated.

use super::Learner;
use crate::float::Real;
use crate::linalg::INITIAL_CAPACITY;
use crate::ops::{BLOCK_ROWS, PANEL};
use crate::panels::n_simd_for;
use crate::params::{Average, CheckedSpec, MetricLearning, Scale, StrategyState};
use crate::store::{BLOCK_MIN_BYTES, KernelExpansion};

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

/// What a store has room for.
#[derive(Clone, Copy)]
struct Room {
    vectors: usize,
    slots: usize,
    /// Whether rows are looked at in blocks, where the store is large.
    looks_ahead: bool,
}

impl CheckedSpec {
    /// About the memory of a model of so many support vectors, in bytes; none where they cannot be counted.
    pub(crate) fn bytes_of<T: Real>(&self, vectors: usize, features: usize, outputs: usize) -> Option<usize> {
        // Without a budget whole panels are added.
        let slots = match self.capacity() {
            Some(_) => n_simd_for::<T>(vectors).checked_mul(T::LANES)?,
            None => vectors.checked_next_multiple_of(PANEL * T::LANES)?,
        };
        let room = Room { vectors, slots, looks_ahead: true };
        self.bytes_with_room::<T>(room, features, outputs)
    }

    fn bytes_with_room<T: Real>(&self, room: Room, features: usize, outputs: usize) -> Option<usize> {
        let Room { vectors, slots, looks_ahead } = room;
        let number = size_of::<T>();
        // Until maintenance makes room there is one more.
        let used = vectors.checked_add(1)?.checked_next_multiple_of(T::LANES)?;
        let columns = features.checked_add(outputs)?.checked_add(NUMBERS)?;
        let store = slots.checked_mul(columns.checked_mul(number)?.checked_add(OTHERS)?)?;
        let averages = match self.spec().average {
            Average::Last => 0,
            // Two means at most.
            Average::Suffix(_) | Average::Late => slots.checked_mul(outputs)?.checked_mul(2 * number)?,
            Average::Random => store.checked_mul(2)?.checked_add(2 * size_of::<KernelExpansion<T>>())?,
        };
        let maintenance = self.maintenance_of::<T>(slots)?;
        let rows = features.checked_mul(OF_FEATURE * number)?;
        let is_large = used.checked_mul(features)?.checked_mul(number)? > BLOCK_MIN_BYTES;
        let ahead = if is_large && looks_ahead {
            features.checked_mul(2)?.checked_add(slots)?.checked_mul(BLOCK_ROWS * number)?
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
            MetricLearning::None => 0,
            MetricLearning::Auto | MetricLearning::Diagonal | MetricLearning::Full => {
                // A, its steps and scratch.
                let side =
                    self.spec().metric.max_matrix_features(features).map_or(0, |most| most.min(features));
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

    /// The memory of the strategy's own state. Its buffers are allocated for the full budget.
    fn maintenance_of<T: Real>(&self, slots: usize) -> Option<usize> {
        let number = size_of::<T>();
        let max_slots = slots.max(self.capacity().unwrap_or(0).checked_next_multiple_of(T::LANES)?);
        match self.spec().maintenance.entry().state {
            StrategyState::None => Some(0),
            // A triangle of f64, and some of its rows.
            StrategyState::Gram => {
                let side = slots.max(max_slots.min(INITIAL_CAPACITY));
                side.checked_mul(side)?.checked_mul(4)?.checked_add(slots.checked_mul(264)?)
            }
            StrategyState::Neighbours => {
                let of_pair = if self.spec().effective_neighbors() > 1 { number } else { 0 };
                slots.checked_mul(slots)?.checked_mul(of_pair)?.checked_add(slots.checked_mul(22 * number)?)
            }
            // A square matrix, with room to grow by half.
            StrategyState::KernelMatrix => {
                slots.checked_mul(slots)?.checked_mul(3 * number).map(|bytes| bytes / 2)
            }
            StrategyState::MergeSearch => max_slots.checked_mul(10 * number),
            StrategyState::Shortlist => slots.checked_mul(16),
        }
    }
}

impl<T: Real> Learner<T> {
    /// About the memory that the model takes, in bytes: its vectors, their coefficients, what maintenance and averages
    /// keep of them, the metric, the linear part with its means, and buffers.
    #[must_use]
    pub fn memory(&self) -> usize {
        let (vectors, slots) = (self.model.len(), self.model.vectors() * T::LANES);
        let room = Room { vectors, slots, looks_ahead: self.input.has_final_gamma() };
        let bytes = self.spec.bytes_with_room::<T>(room, self.n_features(), self.n_outputs());
        bytes.map_or(usize::MAX, |bytes| bytes.saturating_add(size_of::<Self>()))
    }
}
