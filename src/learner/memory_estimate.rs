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
const VALUES_PER_VECTOR: f64 = 10.0;
/// Bytes per support vector for its label, insertion number and slot.
const BYTES_PER_VECTOR: f64 = 40.0;
/// Bytes of a learner's buffers that do not depend on its size, with the overhead of the allocator.
const BUFFER_BYTES: f64 = 3000.0;
/// Values of type T per feature in buffers for transformed and removed rows.
const VALUES_PER_FEATURE: f64 = 16.0;

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
    /// The estimated memory of a model of `vectors` support vectors, in bytes.
    pub(crate) fn estimated_bytes<T: Real>(&self, vectors: usize, features: usize, outputs: usize) -> usize {
        // An unbounded model grows by whole panels.
        let slots = match self.capacity() {
            Some(_) => n_simd_for::<T>(vectors) * T::LANES,
            None => vectors.next_multiple_of(PANEL * T::LANES),
        };
        let recent_slots = RecentRows::<T>::max_rows(self, features);
        let size = ModelSize { vectors, slots, recent_slots, spare_features: 0, uses_blocks: true };
        self.bytes_of_size::<T>(size, features, outputs)
    }

    /// The estimated bytes of a model of this size. Products of sizes do not overflow as floats, and the sum is converted
    /// to the nearest number of bytes.
    fn bytes_of_size<T: Real>(&self, size: ModelSize, features: usize, outputs: usize) -> usize {
        let number = size_of::<T>() as f64;
        // Maintenance follows the insertion, so there may be one vector more.
        let used = (size.vectors + 1).next_multiple_of(T::LANES) as f64;
        let [slots, recent_slots, spare, features_f, outputs_f] =
            [size.slots, size.recent_slots, size.spare_features, features, outputs].map(|n| n as f64);
        let columns = features_f + spare + outputs_f + VALUES_PER_VECTOR;
        let bytes_per_slot = columns * number + BYTES_PER_VECTOR;
        let expansion = slots * bytes_per_slot;
        let averages = match self.spec().average {
            Average::Last => 0.0,
            // At most two means.
            Average::Suffix(_) | Average::Polynomial => 2.0 * slots * outputs_f * number,
            Average::Random => 2.0 * (expansion + size_of::<KernelExpansion<T>>() as f64),
        };
        let errors = if self.has_intervals() { slots * number } else { 0.0 };
        // The base row of standardised rows, and the differences from it, each with its feature.
        let (base, difference) = if self.spec().scaling == Scaling::Online {
            ((3.0 * features_f + slots) * number, number + size_of::<u32>() as f64)
        } else {
            (0.0, 0.0)
        };
        let is_large = used * features_f * number > BLOCK_MIN_BYTES as f64;
        let blocks = if is_large && size.uses_blocks {
            BLOCK_ROWS as f64 * (features_f * (2.0 * number + difference) + slots * number)
        } else {
            0.0
        };
        let rows = features_f * VALUES_PER_FEATURE * number;
        let fixed = self.linear_bytes::<T>(features_f, outputs_f) + input_bytes::<T>(self.spec(), features);
        let models = expansion + recent_slots * bytes_per_slot + averages;
        let state = errors + self.maintenance_bytes::<T>(size.slots);
        (BUFFER_BYTES + fixed + models + state + rows + base + blocks) as usize
    }

    /// The memory of the linear term, its steps and its means.
    fn linear_bytes<T: Real>(&self, features: f64, outputs: f64) -> f64 {
        if self.spec().linear_weight.is_none() {
            return 0.0;
        }
        let inputs = if self.has_linear_excess() { 2.0 * features } else { features };
        // Classification has the correction of the scores too.
        let terms = if self.spec().rule() == Rule::OnlineKernel { 5.0 } else { 3.0 };
        (inputs + outputs) * outputs * terms * size_of::<T>() as f64
    }

    /// The memory of the strategy's derived state, whose buffers are allocated for the full budget.
    fn maintenance_bytes<T: Real>(&self, slots: usize) -> f64 {
        let max_slots = slots.max(self.capacity().unwrap_or(0).next_multiple_of(T::LANES));
        let side = slots.max(max_slots.min(INITIAL_CAPACITY)) as f64;
        let [slots, max_slots, number] = [slots, max_slots, size_of::<T>()].map(|n| n as f64);
        match self.spec().maintenance.entry().state {
            StrategyState::None => 0.0,
            // A triangular matrix of f64, and some rows.
            StrategyState::Gram => 4.0 * side * side + 264.0 * slots,
            StrategyState::Neighbours => {
                let pair_bytes = if self.spec().effective_neighbors() > 1 { number } else { 0.0 };
                slots * slots * pair_bytes + 22.0 * slots * number
            }
            // A square matrix, with room to grow by half.
            StrategyState::KernelMatrix => 1.5 * slots * slots * number,
            StrategyState::MergeSearch => 10.0 * max_slots * number,
            StrategyState::Shortlist => 16.0 * slots,
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
        bytes.saturating_add(size_of::<Self>())
    }
}
