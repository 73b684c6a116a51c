//! The kernel values among support vectors, by slot.

use super::buffer::SimdBuffer;
use crate::float::Real;
use crate::slot::Slot;

/// `k_ij`, a row to the slot. What rows and columns of free slots hold means nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct KernelMatrix<T: Real>(Vec<SimdBuffer<T>>);

impl<T: Real> KernelMatrix<T> {
    /// Room for `n_simd` SIMD vectors of slots.
    pub(crate) fn grow(&mut self, n_simd: usize) {
        for row in &mut self.0 {
            row.grow(n_simd);
        }
        self.0.resize(n_simd * T::LANES, SimdBuffer::zeros(n_simd));
    }

    /// The kernel row of a slot.
    #[inline(always)]
    pub(crate) fn row(&self, slot: Slot) -> &SimdBuffer<T> {
        &self.0[slot.index()]
    }

    /// Sets the row and the column of a live slot, `k_ii` at its own place.
    #[inline(always)]
    pub(crate) fn set(&mut self, slot: Slot, k: &SimdBuffer<T>, k_ii: T, live: impl Iterator<Item = Slot>) {
        for other in live.filter(|other| *other != slot) {
            self.0[other.index()].set(slot.index(), k.get(other.index()));
        }
        let row = &mut self.0[slot.index()];
        row.as_mut_slice().iter_mut().zip(k.as_slice()).for_each(|(to, from)| *to = *from);
        row.set(slot.index(), k_ii);
    }
}
