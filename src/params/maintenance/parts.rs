//! The parameters and derived state from which strategies are built.

use crate::float::Real;
use crate::maintenance::AnyStrategy;
use crate::params::{CheckedSpec, Spec};
use crate::rules::PassiveAggressive;
use crate::state::{Gram, Margins, Norm};
use crate::store::KernelExpansion;

/// The parameters and the empty model that a strategy is built for.
pub(crate) struct StrategyParts<'a, T: Real> {
    pub(crate) checked: &'a CheckedSpec,
    pub(crate) model: &'a KernelExpansion<T>,
}

impl<T: Real> StrategyParts<'_, T> {
    /// The parameters.
    pub(crate) fn spec(&self) -> &Spec {
        self.checked.spec()
    }

    /// The number of neighbours.
    pub(super) fn neighbors(&self) -> usize {
        self.spec().effective_neighbors()
    }

    /// Maximum number of support vectors; 0 if unbounded.
    pub(super) fn capacity(&self) -> usize {
        self.checked.capacity().unwrap_or(0)
    }

    /// The passive-aggressive rule, for strategies that minimise its objective.
    pub(super) fn rule(&self) -> PassiveAggressive {
        self.checked.passive_aggressive()
    }

    /// An empty Gram factor.
    pub(super) fn gram(&self) -> Gram {
        Gram::new(self.model.ops().solver(), self.capacity())
    }

    /// Leave-one-out margins of no support vector.
    pub(super) fn margins(&self) -> Margins<T> {
        Margins::new(self.model.outputs())
    }

    /// The squared norm of an empty model.
    pub(super) fn norm(&self) -> Norm<T> {
        Norm::new(self.model.outputs())
    }
}

/// Calls the constructor of a strategy. It gives closures in the table their parameter type.
pub(super) fn build<'a, T: Real>(
    parts: &StrategyParts<'a, T>,
    new: impl FnOnce(&StrategyParts<'a, T>) -> AnyStrategy<T>,
) -> AnyStrategy<T> {
    new(parts)
}
