//! The edits at a processor level, one call each, so that the tests of several parts share their instances.

use super::{Merger, Newcomer, Slot, Store};
use crate::float::Real;
use crate::kernel::{AnyKernel, Rbf};
use crate::label::Label;
use crate::ops::{Lanes, dispatch};
use crate::row::Row;
use fearless_simd::Level;

/// The kernel row of `x`, and its scores without the scale.
#[inline(never)]
pub(crate) fn scores<T: Real>(
    level: Level,
    store: &Store<T>,
    kernel: AnyKernel,
    x: Row<'_, T>,
) -> (Lanes<T>, Vec<T>) {
    let (mut k, mut f) = (Lanes::zeros(store.vectors()), vec![T::ZERO; store.outputs()]);
    dispatch!(level, s => store.scores(s, kernel, x, kernel.norm(x), &mut k, &mut f));
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
#[inline(never)]
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
#[inline(never)]
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
    dispatch!(level, s => store.insert(s, kernel, new))
}

#[inline(never)]
pub(crate) fn settle<T: Real>(level: Level, store: &mut Store<T>) {
    dispatch!(level, s => store.settle(s));
}

#[inline(never)]
pub(crate) fn remove<T: Real>(level: Level, store: &mut Store<T>, kernel: AnyKernel, slot: Slot) {
    dispatch!(level, s => store.remove(s, kernel, slot));
}

#[inline(never)]
pub(crate) fn merge<T: Real>(level: Level, store: &mut Store<T>, kernel: Rbf, merger: Merger<'_, T>) {
    dispatch!(level, s => store.merge(s, kernel, merger));
}

#[inline(never)]
pub(crate) fn project<T: Real>(level: Level, store: &mut Store<T>, kernel: AnyKernel, slot: Slot) -> f64 {
    dispatch!(level, s => store.project(s, kernel, slot))
}

#[inline(never)]
pub(crate) fn refresh<T: Real>(level: Level, store: &mut Store<T>, kernel: AnyKernel) {
    dispatch!(level, s => store.refresh(s, kernel));
}

#[inline(never)]
pub(crate) fn rescale<T: Real>(level: Level, store: &mut Store<T>, factor: f64) {
    dispatch!(level, s => store.rescale(s, factor));
}

#[inline(never)]
pub(crate) fn surest<T: Real>(level: Level, store: &mut Store<T>, but: Option<Slot>) -> Option<(Slot, T)> {
    dispatch!(level, s => store.surest(s, but))
}

#[inline(never)]
pub(crate) fn smallest<T: Real>(level: Level, store: &Store<T>) -> Slot {
    dispatch!(level, s => store.smallest(s))
}
