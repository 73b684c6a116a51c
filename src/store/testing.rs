//! The edits at a SIMD level of the test's choice.

use super::{KernelExpansion, MergedPair, NewVector, Slot};
use crate::float::Real;
use crate::kernel::{AnyKernel, Radial};
use crate::label::Label;
use crate::ops::merge::{Partner, PartnerSearch};
use crate::ops::{Level, Ops, SimdBuffer};
use crate::row::Row;

impl<T: Real> KernelExpansion<T> {
    /// From now on at this level.
    fn moved_to(&mut self, level: Level) -> &mut Self {
        self.support.ops = Ops::at(level);
        self
    }
}

/// The kernel row of `x`, and its scores without the scale.
pub(crate) fn scores<T: Real>(
    level: Level,
    store: &KernelExpansion<T>,
    kernel: AnyKernel,
    x: Row<'_, T>,
) -> (SimdBuffer<T>, Vec<T>) {
    let (mut k, mut f) = (SimdBuffer::zeros(store.vectors()), vec![T::ZERO; store.outputs()]);
    store.clone().moved_to(level).scores(kernel, (x, kernel.row_stat(x)), &mut k, &mut f);
    (k, f)
}

/// The kernel row of `x` by slot, for the slots below `n`.
pub(crate) fn row<T: Real>(
    level: Level,
    store: &KernelExpansion<T>,
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
    store: &mut KernelExpansion<T>,
    kernel: AnyKernel,
    x: Row<'_, T>,
    row: &[T],
) -> Slot {
    insert_labelled(level, store, kernel, x, row, Label::of_class(1, 3))
}

/// The same with a label.
pub(crate) fn insert_labelled<T: Real>(
    level: Level,
    store: &mut KernelExpansion<T>,
    kernel: AnyKernel,
    x: Row<'_, T>,
    row: &[T],
    label: Label,
) -> Slot {
    let (k, f) = scores(level, store, kernel, x);
    let new = NewVector { x, norm: kernel.row_stat(x), label, row, f: &f, k: &k };
    store.moved_to(level).insert(kernel, new)
}

pub(crate) fn commit_insert<T: Real>(level: Level, store: &mut KernelExpansion<T>, kernel: AnyKernel) {
    store.moved_to(level).commit_insert(kernel);
}

pub(crate) fn remove<T: Real>(level: Level, store: &mut KernelExpansion<T>, kernel: AnyKernel, slot: Slot) {
    store.moved_to(level).remove(kernel, slot);
}

pub(crate) fn merge<T: Real>(
    level: Level,
    store: &mut KernelExpansion<T>,
    kernel: AnyKernel,
    merger: MergedPair<'_, T>,
) {
    store.moved_to(level).merge(kernel, merger);
}

pub(crate) fn project<T: Real>(
    level: Level,
    store: &mut KernelExpansion<T>,
    kernel: AnyKernel,
    slot: Slot,
) -> f64 {
    store.moved_to(level).project(kernel, slot)
}

pub(crate) fn refresh<T: Real>(level: Level, store: &mut KernelExpansion<T>, kernel: AnyKernel) {
    store.moved_to(level).refresh(kernel);
}

pub(crate) fn rescale<T: Real>(level: Level, store: &mut KernelExpansion<T>, kernel: AnyKernel, factor: f64) {
    store.moved_to(level).rescale(kernel, factor);
}

pub(crate) fn largest_margin<T: Real>(
    level: Level,
    store: &mut KernelExpansion<T>,
    but: Option<Slot>,
) -> Option<(Slot, T)> {
    store.moved_to(level).largest_margin(but)
}

pub(crate) fn smallest<T: Real>(level: Level, store: &KernelExpansion<T>) -> Slot {
    store.clone().moved_to(level).smallest()
}

pub(crate) fn partner<T: Real>(
    level: Level,
    store: &KernelExpansion<T>,
    search: &mut PartnerSearch<T>,
    kernel: Radial,
    m: Slot,
) -> Option<Partner> {
    store.clone().moved_to(level).partner(search, kernel, m)
}

pub(crate) fn partner_of_newest<T: Real>(
    level: Level,
    store: &KernelExpansion<T>,
    search: &mut PartnerSearch<T>,
    k: &SimdBuffer<T>,
    m: Slot,
) -> Option<Partner> {
    store.clone().moved_to(level).partner_of_newest(search, k, m)
}
