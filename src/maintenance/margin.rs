//! Removal of the support vector with the largest leave-one-out margin (Crammer, Kandola and Singer 2003).

use super::{Admission, Maintain, MaintenanceContext};
use crate::expansion::{KernelExpansion, OnEdit, Slot};
use crate::float::Real;
use crate::state::{Margins, WithNorm};

/// Their Figure 2, a support set of fixed size: at full budget, the support vector with the largest leave-one-out
/// margin is removed before the example is inserted.
#[derive(Debug, Clone)]
pub(crate) struct LargestMargin<T: Real> {
    pub(crate) margins: Margins<T>,
}

/// Their Figure 1, a support set of variable size: after each insertion, every old vector with a leave-one-out margin
/// of at least beta is removed, the largest first. If the model is still over budget, the old vector with the largest
/// margin is removed too.
#[derive(Debug, Clone)]
pub(crate) struct Distill<T: Real> {
    margins: Margins<T>,
    beta: f64,
    /// The vector to remove next.
    next: Option<Slot>,
    /// Whether the next removal is the last after this insertion, because only the budget requires it.
    is_last: bool,
}

impl<T: Real> Distill<T> {
    pub(crate) fn new(margins: Margins<T>, beta: f64) -> Self {
        Self { margins, beta, next: None, is_last: false }
    }
}

impl<T: Real> Maintain<T> for LargestMargin<T> {
    derived_state!(margins);

    fn admit(&mut self, context: MaintenanceContext<'_, T>, _: &[T]) -> Admission {
        let MaintenanceContext { expansion, budget, norm, .. } = context;
        if expansion.len() < budget {
            return Admission::Insert { sq_change: None };
        }
        // The oldest vector, if all margins are NaN.
        let largest = self.margins.largest(expansion.support(), None);
        let removed = largest.map_or_else(|| expansion.nth_oldest(0), |(slot, _)| slot);
        let derived_state = &mut WithNorm(&mut self.margins, norm);
        Admission::Insert { sq_change: Some(remove(expansion, removed, derived_state)) }
    }
}

impl<T: Real> Maintain<T> for Distill<T> {
    derived_state!(margins);

    fn must_reduce(&mut self, context: &mut MaintenanceContext<'_, T>) -> bool {
        if std::mem::take(&mut self.is_last) {
            return false;
        }
        let MaintenanceContext { expansion, budget, .. } = context;
        let largest = self.margins.largest(expansion.support(), Some(expansion.newest()));
        let exceeds_beta =
            largest.is_some_and(|(_, margin)| margin.to_f64() * expansion.factor() >= self.beta);
        self.is_last = !exceeds_beta && expansion.len() > *budget;
        // The oldest vector, if all margins are NaN.
        let removed = largest.map_or_else(|| expansion.nth_oldest(0), |(slot, _)| slot);
        self.next = (exceeds_beta || self.is_last).then_some(removed);
        self.next.is_some()
    }

    fn reduce(&mut self, context: MaintenanceContext<'_, T>) -> f64 {
        let MaintenanceContext { expansion, norm, .. } = context;
        let derived_state = &mut WithNorm(&mut self.margins, norm);
        self.next.take().map_or(0.0, |slot| remove(expansion, slot, derived_state))
    }
}

/// Removes a support vector; returns its `|alpha|^2 k(x, x)`.
#[inline(always)]
fn remove<T: Real>(
    expansion: &mut KernelExpansion<T>,
    slot: Slot,
    derived_state: &mut impl OnEdit<T>,
) -> f64 {
    let sq_change = expansion.coefficients().weights().get(slot.index()).to_f64();
    expansion.remove(slot, derived_state);
    sq_change
}
