//! Estimates of a model's memory from its parameters. `tests/footprint.rs` compares them with allocated memory.

use super::Learner;
use crate::expansion::{BLOCK_MIN_BYTES, KernelExpansion};
use crate::float::Real;
use crate::input::input_bytes;
use crate::linalg::INITIAL_CAPACITY;
use crate::monitor::RecentRows;
use crate::ops::{BLOCK_ROWS, PANEL};
use crate::panels::n_simd_for;
use crate::params::{Average, CheckedSpec, Rule, Scaling, StrategyState};

/// Values of type T per support vector in addition to the vector and its coefficients: norms, weights, kernel rows.
const VALUES_PER_VECTOR: usize = 10;
/// Bytes per support vector for its label, insertion number and slot.
const BYTES_PER_VECTOR: usize = 40;
/// Bytes of a learner's buffers that do not depend on its size, with the overhead of the allocator.
const BUFFER_BYTES: usize = 3000;
/// Values of type T per feature in buffers for transformed and removed rows.
const VALUES_PER_FEATURE: usize = 16;

/// The size of a model.
#[derive(Clone, Copy)]
struct ModelSize {
    vectors: usize,
    slots: usize,
    /// Slots of the window of recent rows.
    recent_slots: usize,
    /// Features that the stored vectors have room for.
    spare_features: usize,
    /// Whether large models compute rows in blocks.
    uses_blocks: bool,
}

impl CheckedSpec {
    /// The estimated memory of a model of `vectors` support vectors, in bytes; None if the number overflows.
    pub(crate) fn estimated_bytes<T: Real>(
        &self,
        vectors: usize,
        features: usize,
        outputs: usize,
    ) -> Option<usize> {
        // An unbounded model grows by whole panels.
        let slots = match self.capacity() {
            Some(_) => n_simd_for::<T>(vectors).checked_mul(T::LANES)?,
            None => vectors.checked_next_multiple_of(PANEL * T::LANES)?,
        };
        let recent_slots = RecentRows::<T>::max_rows(self, features);
        let size = ModelSize { vectors, slots, recent_slots, spare_features: 0, uses_blocks: true };
        self.bytes_of_size::<T>(size, features, outputs)
    }

    fn bytes_of_size<T: Real>(&self, size: ModelSize, features: usize, outputs: usize) -> Option<usize> {
        let ModelSize { vectors, slots, recent_slots, spare_features, uses_blocks } = size;
        let number = size_of::<T>();
        // Maintenance follows the insertion, so there may be one vector more.
        let used = vectors.checked_add(1)?.checked_next_multiple_of(T::LANES)?;
        let columns =
            features.checked_add(spare_features)?.checked_add(outputs)?.checked_add(VALUES_PER_VECTOR)?;
        let bytes_per_slot = columns.checked_mul(number)?.checked_add(BYTES_PER_VECTOR)?;
        let expansion = slots.checked_mul(bytes_per_slot)?;
        let recent = recent_slots.checked_mul(bytes_per_slot)?;
        let averages = match self.spec().average {
            Average::Last => 0,
            // At most two means.
            Average::Suffix(_) | Average::Polynomial => {
                slots.checked_mul(outputs)?.checked_mul(2 * number)?
            }
            Average::Random => expansion.checked_mul(2)?.checked_add(2 * size_of::<KernelExpansion<T>>())?,
        };
        let errors = if self.has_intervals() { slots.checked_mul(number)? } else { 0 };
        let maintenance = self.maintenance_of::<T>(slots)?;
        let rows = features.checked_mul(VALUES_PER_FEATURE * number)?;
        let is_large = used.checked_mul(features)?.checked_mul(number)? > BLOCK_MIN_BYTES;
        // The base row of standardised rows, and the differences from it, each with its feature.
        let (base, difference) = if self.spec().scaling == Scaling::Online {
            let values = features.checked_mul(3)?.checked_add(slots)?;
            (values.checked_mul(number)?, number + size_of::<u32>())
        } else {
            (0, 0)
        };
        let blocks = if is_large && uses_blocks {
            let row =
                features.checked_mul(2 * number + difference)?.checked_add(slots.checked_mul(number)?)?;
            row.checked_mul(BLOCK_ROWS)?
        } else {
            0
        };
        [
            self.fixed_bytes::<T>(features, outputs)?,
            expansion,
            recent,
            averages,
            errors,
            maintenance,
            rows,
            base,
            blocks,
        ]
        .into_iter()
        .try_fold(BUFFER_BYTES, usize::checked_add)
    }

    /// The memory that does not depend on the number of support vectors: the pipeline and the linear term.
    fn fixed_bytes<T: Real>(&self, features: usize, outputs: usize) -> Option<usize> {
        // The linear term, its steps and its means.
        let linear = if self.spec().linear_weight.is_some() {
            let inputs = features.checked_mul(1 + usize::from(self.has_linear_excess()))?;
            // Classification has the correction of the scores too.
            let terms = if self.spec().rule() == Rule::OnlineKernel { 5 } else { 3 };
            inputs.checked_add(outputs)?.checked_mul(outputs)?.checked_mul(terms * size_of::<T>())?
        } else {
            0
        };
        input_bytes::<T>(self.spec(), features)?.checked_add(linear)
    }

    /// The memory of the strategy's derived state, whose buffers are allocated for the full budget.
    fn maintenance_of<T: Real>(&self, slots: usize) -> Option<usize> {
        let number = size_of::<T>();
        let max_slots = slots.max(self.capacity().unwrap_or(0).checked_next_multiple_of(T::LANES)?);
        match self.spec().maintenance.entry().state {
            StrategyState::None => Some(0),
            // A triangular matrix of f64, and some rows.
            StrategyState::Gram => {
                let side = slots.max(max_slots.min(INITIAL_CAPACITY));
                side.checked_mul(side)?.checked_mul(4)?.checked_add(slots.checked_mul(264)?)
            }
            StrategyState::Neighbours => {
                let pair_bytes = if self.spec().effective_neighbors() > 1 { number } else { 0 };
                slots
                    .checked_mul(slots)?
                    .checked_mul(pair_bytes)?
                    .checked_add(slots.checked_mul(22 * number)?)
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
    /// The estimated memory of the model in bytes: support vectors, coefficients, derived state, averages, metric,
    /// linear term and buffers.
    #[must_use]
    pub fn memory(&self) -> usize {
        let (vectors, slots) = (self.expansion.len(), self.expansion.n_simd() * T::LANES);
        let spare_features = self.expansion.support().spare_features();
        let recent_slots = self.monitors.recent_slots();
        let uses_blocks = self.input.has_final_gamma();
        let size = ModelSize { vectors, slots, recent_slots, spare_features, uses_blocks };
        let bytes = self.spec.bytes_of_size::<T>(size, self.n_features(), self.n_outputs());
        bytes.map_or(usize::MAX, |bytes| bytes.saturating_add(size_of::<Self>()))
    }
}
