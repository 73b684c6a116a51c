//! The caches of Crammer, Kandola and Singer (2003): the support vector whose leave-one-out
//! margin is largest is removed.

use super::{Admit, Maintain, Maintained};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::persist::Persist;
use crate::store::{Keep, Newcomer, Slot, Store};

/// A cache of fixed size (their Figure 2): when it is full, the vector with the largest margin under the model without
/// it makes room before the newcomer comes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fixed;

/// A cache of variable size (their Figure 1): after each insertion every old vector goes whose margin without itself is
/// at least beta, the largest first. A budget bounds it too: if the model is still over it then, the old one with the
/// largest margin goes anyway.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Distilled {
    beta: f64,
    next: Option<Slot>,
    /// Whether the next one goes for the budget alone: that ends it.
    ends: bool,
}

impl Distilled {
    pub(crate) fn new(beta: f64) -> Self {
        Self { beta, next: None, ends: false }
    }
}

const MARGINS: Keep = Keep { norm2: false, gram: false, neighbours: 0, margins: true };

impl Persist for Fixed {}

impl<T: Real> Maintain<T> for Fixed {
    fn keeps(&self) -> Keep {
        MARGINS
    }

    fn admit(&mut self, model: Maintained<'_, T>, _: Newcomer<'_, T>) -> Admit {
        if model.store.len() < model.budget {
            return Admit::Insert { lost: None };
        }
        let Maintained { store, kernel, .. } = model;
        // Where no margin is a number, the oldest.
        let leaver = store.largest_margin(None).map_or_else(|| store.nth(0), |(slot, _)| slot);
        Admit::Insert { lost: Some(remove(store, kernel, leaver)) }
    }

    fn restore(&mut self, _: Maintained<'_, T>) -> f64 {
        // It is never over budget.
        0.0
    }
}

impl Persist for Distilled {}

impl<T: Real> Maintain<T> for Distilled {
    fn keeps(&self) -> Keep {
        MARGINS
    }

    fn is_due(&mut self, model: &mut Maintained<'_, T>) -> bool {
        if std::mem::take(&mut self.ends) {
            return false;
        }
        let Maintained { store, budget, .. } = model;
        let surest = store.largest_margin(Some(store.youngest()));
        let is_sure = surest.is_some_and(|(_, margin)| margin.to_f64() * store.scale() >= self.beta);
        self.ends = !is_sure && store.len() > *budget;
        // Where no margin is a number, the oldest.
        let leaver = surest.map_or_else(|| store.nth(0), |(slot, _)| slot);
        self.next = (is_sure || self.ends).then_some(leaver);
        self.next.is_some()
    }

    fn restore(&mut self, model: Maintained<'_, T>) -> f64 {
        let Maintained { store, kernel, .. } = model;
        self.next.take().map_or(0.0, |slot| remove(store, kernel, slot))
    }
}

/// Removes a support vector; returns its `|alpha|^2 k(x, x)`.
#[inline(always)]
fn remove<T: Real>(store: &mut Store<T>, kernel: AnyKernel, slot: Slot) -> f64 {
    let lost = store.expansion().weights().get(slot.index()).to_f64();
    store.remove(kernel, slot);
    lost
}
