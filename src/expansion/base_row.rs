//! The base row: what a row of zeros becomes after preprocessing.

use crate::batch::Row;
use crate::float::Real;
use crate::kernel::{AnyKernel, Linear};
use crate::ops::{Differences, Ops, SimdBuffer, SupportView};
use crate::slot::Slot;

/// The base row b of an expansion whose rows are given by their differences from it: standardised sparse rows
/// differ from b only where they are not zero. b is fixed for the rows of a block, because results must not
/// depend on how rows are divided into batches.
#[derive(Debug, Clone, Default)]
pub(crate) struct BaseRow<T: Real> {
    z: Vec<T>,
    squared_norm: T,
    /// `|s_j|^2 - 2 b.s_j` of each support vector.
    offsets: SimdBuffer<T>,
}

impl<T: Real> BaseRow<T> {
    /// b; None if rows are not given by differences.
    pub(super) fn get(&self) -> Option<&[T]> {
        (!self.z.is_empty()).then_some(&self.z)
    }

    /// b and its squared norm, for [`Differences::push`].
    #[inline(always)]
    pub(super) fn with_norm(&self) -> (&[T], T) {
        (&self.z, self.squared_norm)
    }

    #[inline(always)]
    pub(super) fn is_set(&self) -> bool {
        !self.z.is_empty()
    }

    /// The support vectors for rows given by their differences.
    #[inline(always)]
    pub(super) fn stored<'a>(&'a self, stored: SupportView<'a, T>) -> SupportView<'a, T> {
        SupportView { row_stats: &self.offsets, ..stored }
    }

    pub(super) fn unset(&mut self) {
        self.z.clear();
    }

    /// Sets b, and computes the offsets of all support vectors.
    pub(super) fn set(&mut self, z: &[T], ops: Ops<T>, stored: SupportView<'_, T>) {
        self.z.clear();
        self.z.extend_from_slice(z);
        let b = Row::Dense(z);
        self.squared_norm = b.squared_norm();
        self.offsets.grow(stored.panels.n_simd);
        ops.kernel_row(AnyKernel::Linear(Linear), stored, (b, T::ZERO), &mut self.offsets);
        for (offsets, row_stats) in self.offsets.as_mut_slice().iter_mut().zip(stored.row_stats.as_slice()) {
            for (offset, &row_stat) in offsets.values_mut().iter_mut().zip(row_stats.values()) {
                *offset = row_stat - (*offset + *offset);
            }
        }
    }

    /// Computes the offset of a slot whose vector is now `s`, and returns it; `row_stat` is `|s|^2`.
    pub(super) fn replace(&mut self, ops: Ops<T>, slot: Slot, s: &[T], row_stat: T) -> T {
        let product = ops.inner_product(&self.z, s);
        let offset = row_stat - (product + product);
        self.offsets.set(slot.index(), offset);
        offset
    }

    pub(super) fn grow(&mut self, n_simd: usize) {
        self.offsets.grow(n_simd);
    }

    /// Appends features that are zero in every support vector.
    pub(super) fn add_features(&mut self, features: usize) {
        if self.is_set() {
            self.z.resize(features, T::ZERO);
        }
    }

    /// The squared distances of a row to every support vector, into `sums`; `differences` is a buffer.
    #[inline(always)]
    pub(super) fn accumulate(
        &self,
        ops: Ops<T>,
        stored: SupportView<'_, T>,
        (z, differences): (&[T], &mut Differences<T>),
        sums: &mut SimdBuffer<T>,
    ) {
        differences.start(1, z.len());
        differences.push(z, self.with_norm());
        ops.accumulate_differences(self.stored(stored), differences, std::slice::from_mut(sums));
    }
}
