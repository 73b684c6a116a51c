//! The caches of Crammer, Kandola and Singer (2003): the support vector whose leave-one-out
//! margin is largest is removed.

use super::{Admission, Maintain, MaintenanceContext};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::persist::Persist;
use crate::store::{Keep, KernelExpansion, NewVector, Slot};

/// A cache of fixed size (their Figure 2): when it is full, the vector with the largest margin under the model without
/// it makes room before the newcomer comes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LargestMargin;

/// A cache of variable size (their Figure 1): after each insertion every old vector goes whose margin without itself is
/// at least beta, the largest first. A budget bounds it too: if the model is still over it then, the old one with the
/// largest margin goes anyway.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Distill {
    beta: f64,
    next: Option<Slot>,
    /// Whether the next one goes for the budget alone: that ends it.
    ends: bool,
}

impl Distill {
    pub(crate) fn new(beta: f64) -> Self {
        Self { beta, next: None, ends: false }
    }
}

const MARGINS: Keep = Keep { norm2: false, gram: false, neighbours: 0, margins: true };

impl Persist for LargestMargin {}

impl<T: Real> Maintain<T> for LargestMargin {
    fn requires(&self) -> Keep {
        MARGINS
    }

    fn admit(&mut self, model: MaintenanceContext<'_, T>, _: NewVector<'_, T>) -> Admission {
        if model.store.len() < model.budget {
            return Admission::Insert { sq_change: None };
        }
        let MaintenanceContext { store, kernel, .. } = model;
        // Where no margin is a number, the oldest.
        let leaver = store.largest_margin(None).map_or_else(|| store.nth_oldest(0), |(slot, _)| slot);
        Admission::Insert { sq_change: Some(remove(store, kernel, leaver)) }
    }

    fn reduce(&mut self, _: MaintenanceContext<'_, T>) -> f64 {
        // It is never over budget.
        0.0
    }
}

impl Persist for Distill {}

impl<T: Real> Maintain<T> for Distill {
    fn requires(&self) -> Keep {
        MARGINS
    }

    fn exceeded(&mut self, model: &mut MaintenanceContext<'_, T>) -> bool {
        if std::mem::take(&mut self.ends) {
            return false;
        }
        let MaintenanceContext { store, budget, .. } = model;
        let surest = store.largest_margin(Some(store.newest()));
        let is_sure = surest.is_some_and(|(_, margin)| margin.to_f64() * store.scale() >= self.beta);
        self.ends = !is_sure && store.len() > *budget;
        // Where no margin is a number, the oldest.
        let leaver = surest.map_or_else(|| store.nth_oldest(0), |(slot, _)| slot);
        self.next = (is_sure || self.ends).then_some(leaver);
        self.next.is_some()
    }

    fn reduce(&mut self, model: MaintenanceContext<'_, T>) -> f64 {
        let MaintenanceContext { store, kernel, .. } = model;
        self.next.take().map_or(0.0, |slot| remove(store, kernel, slot))
    }
}

/// Removes a support vector; returns its `|alpha|^2 k(x, x)`.
#[inline(always)]
fn remove<T: Real>(store: &mut KernelExpansion<T>, kernel: AnyKernel, slot: Slot) -> f64 {
    let sq_change = store.expansion().weights().get(slot.index()).to_f64();
    store.remove(kernel, slot);
    sq_change
}
