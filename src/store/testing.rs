//! The edits at a SIMD level of the test's choice.

use super::{Merger, Newcomer, Slot, Store};
use crate::float::Real;
use crate::kernel::{AnyKernel, Radial};
use crate::label::Label;
use crate::ops::merge::{Partner, Search};
use crate::ops::{Lanes, Level, Ops};
use crate::row::Row;

impl<T: Real> Store<T> {
    /// From now on at this level.
    fn moved_to(&mut self, level: Level) -> &mut Self {
        self.support.ops = Ops::at(level);
        self
    }
}

/// The kernel row of `x`, and its scores without the scale.
pub(crate) fn scores<T: Real>(
    level: Level,
    store: &Store<T>,
    kernel: AnyKernel,
    x: Row<'_, T>,
) -> (Lanes<T>, Vec<T>) {
    let (mut k, mut f) = (Lanes::zeros(store.vectors()), vec![T::ZERO; store.outputs()]);
    store.clone().moved_to(level).scores(kernel, (x, kernel.norm(x)), &mut k, &mut f);
    (k, f)
}

/// The kernel row of `x` by slot, for the slots below `n`.
pub(crate) fn row<T: Real>(
    level: Level,
    store: &Store<T>,
    kernel: AnyKernel,
    x: Row<'_, T>,
    n: usize,
) -> Vec<T> {
    let (k, _) = scores(level, store, kernel, x);
    (0..n).map(|slot| k.get(slot)).collect()
}

/// A support vector with these coefficients.
pub(crate) fn insert<T: Real>(
    level: Level,
    store: &mut Store<T>,
    kernel: AnyKernel,
    x: Row<'_, T>,
    row: &[T],
) -> Slot {
    insert_labelled(level, store, kernel, x, row, Label::of_class(1, 3))
}

/// The same with a label.
pub(crate) fn insert_labelled<T: Real>(
    level: Level,
    store: &mut Store<T>,
    kernel: AnyKernel,
    x: Row<'_, T>,
    row: &[T],
    label: Label,
) -> Slot {
    let (k, f) = scores(level, store, kernel, x);
    let new = Newcomer { x, norm: kernel.norm(x), label, row, f: &f, k: &k };
    store.moved_to(level).insert(kernel, new)
}

pub(crate) fn settle<T: Real>(level: Level, store: &mut Store<T>, kernel: AnyKernel) {
    store.moved_to(level).settle(kernel);
}

pub(crate) fn remove<T: Real>(level: Level, store: &mut Store<T>, kernel: AnyKernel, slot: Slot) {
    store.moved_to(level).remove(kernel, slot);
}

pub(crate) fn merge<T: Real>(level: Level, store: &mut Store<T>, kernel: AnyKernel, merger: Merger<'_, T>) {
    store.moved_to(level).merge(kernel, merger);
}

pub(crate) fn project<T: Real>(level: Level, store: &mut Store<T>, kernel: AnyKernel, slot: Slot) -> f64 {
    store.moved_to(level).project(kernel, slot)
}

pub(crate) fn refresh<T: Real>(level: Level, store: &mut Store<T>, kernel: AnyKernel) {
    store.moved_to(level).refresh(kernel);
}

pub(crate) fn rescale<T: Real>(level: Level, store: &mut Store<T>, kernel: AnyKernel, factor: f64) {
    store.moved_to(level).rescale(kernel, factor);
}

pub(crate) fn largest_margin<T: Real>(
    level: Level,
    store: &mut Store<T>,
    but: Option<Slot>,
) -> Option<(Slot, T)> {
    store.moved_to(level).largest_margin(but)
}

pub(crate) fn smallest<T: Real>(level: Level, store: &Store<T>) -> Slot {
    store.clone().moved_to(level).smallest()
}

pub(crate) fn partner<T: Real>(
    level: Level,
    store: &Store<T>,
    search: &mut Search<T>,
    kernel: Radial,
    m: Slot,
) -> Option<Partner> {
    store.clone().moved_to(level).partner(search, kernel, m)
}

pub(crate) fn partner_of_newest<T: Real>(
    level: Level,
    store: &Store<T>,
    search: &mut Search<T>,
    k: &Lanes<T>,
    m: Slot,
) -> Option<Partner> {
    store.clone().moved_to(level).partner_of_newest(search, k, m)
}
