//! The rate of budget maintenance of NBSGD (Le et al. 2016, Algorithm 3).

use super::MaintenanceContext;
use crate::float::Real;

/// Over budget, an insertion at example t is followed by a removal with probability `min(beta/t, 1)`. Above the maximum
/// size it is always followed by a removal. The number of support vectors grows with the stream, but ever more slowly.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NbsgdRate {
    beta: f64,
    max_size: usize,
    /// Whether a support vector was removed since the insertion; false between examples.
    reduced: bool,
}

impl NbsgdRate {
    pub(crate) fn new(beta: f64, max_size: usize) -> Self {
        Self { beta, max_size, reduced: false }
    }

    /// After an insertion, and again after the reduction: at most one support vector is removed.
    pub(super) fn must_reduce<T: Real>(&mut self, context: &mut MaintenanceContext<'_, T>) -> bool {
        if std::mem::take(&mut self.reduced) || context.expansion.len() <= context.budget {
            return false;
        }
        let is_drawn = context.rng.uniform() < (self.beta / context.scored.example.t as f64).min(1.0);
        self.reduced = is_drawn || context.expansion.len() > self.max_size;
        self.reduced
    }
}
