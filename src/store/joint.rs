//! What joint maintenance asks of the store: gifts from slot to slot, and who is near whom.

use super::neighbours::{Neighbours, Slots};
use super::{Newcomer, Slot, Store};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::ops::Lanes;
use crate::row::Row;
use fearless_simd::Simd;

impl<T: Real> Store<T> {
    /// Adds `share` times the coefficients of one slot to those of another. Only for rules that read no norm.
    #[inline(always)]
    pub(crate) fn give(&mut self, from: Slot, to: Slot, share: f64) {
        debug_assert!(self.norm2.is_none(), "a gift changes the norm by more than is known here");
        let share = T::from_f64(share);
        let row = &mut self.scratch.row;
        for (output, a) in row.iter_mut().enumerate() {
            *a = self.expansion.get(to, output) + share * self.expansion.get(from, output);
        }
        self.expansion.write(to, row, self.expansion.diags().get(to.index()));
    }

    /// Gives the coefficients `tau v` of one slot another length: `length v`. Only for rules that read no norm.
    pub(crate) fn redirect(&mut self, slot: Slot, length: f64) {
        debug_assert!(self.norm2.is_none(), "another length changes the norm by more than is known here");
        let length = T::from_f64(length);
        let row = &mut self.scratch.row;
        self.expansion.read(slot, row);
        for a in row.iter_mut().filter(|a| **a != T::ZERO) {
            *a = if *a > T::ZERO { length } else { -length };
        }
        self.expansion.write(slot, row, self.expansion.diags().get(slot.index()));
    }

    /// The nearest neighbours of every support vector.
    #[inline(always)]
    pub(crate) fn neighbours(&self) -> &Neighbours<T> {
        self.neighbours.as_ref().expect("the strategy that asks has asked to keep them")
    }

    /// Lends the neighbours and the buffers of a kernel row to an edit of theirs.
    #[inline(always)]
    fn with_neighbours(&mut self, edit: impl FnOnce(&Self, &mut Neighbours<T>, &mut [T], &mut Lanes<T>)) {
        let Some(mut neighbours) = self.neighbours.take() else { return };
        let (mut k, mut x) = (std::mem::take(&mut self.scratch.k), std::mem::take(&mut self.scratch.x));
        edit(self, &mut neighbours, &mut x, &mut k);
        (self.scratch.k, self.scratch.x) = (k, x);
        self.neighbours = Some(neighbours);
    }

    fn slots(&self) -> Slots<'_, T> {
        Slots { diags: self.expansion.diags(), age: &self.age, used: self.used() }
    }

    /// Tells the neighbours of a new slot. A dense row has its kernel row already; that of a sparse one is summed up in
    /// another order than between stored vectors.
    #[inline(never)]
    pub(super) fn introduce<S: Simd>(&mut self, s: S, kernel: AnyKernel, slot: Slot, new: &Newcomer<'_, T>) {
        let exceeds = self.capacity.is_some_and(|capacity| self.len() == capacity);
        self.with_neighbours(|store, neighbours, x, _| {
            let row = neighbours.row_mut();
            match new.x {
                Row::Dense(_) => {
                    row.lines_mut().iter_mut().zip(new.k.lines()).for_each(|(to, from)| *to = *from);
                }
                Row::Sparse(..) => store.row(s, kernel, slot, x, row),
            }
            s.vectorize(
                #[inline(always)]
                || neighbours.insert(s, slot, store.slots(), exceeds),
            );
        });
    }

    /// Tells the neighbours that a slot has gone.
    #[inline(never)]
    pub(super) fn forget<S: Simd>(&mut self, s: S, kernel: AnyKernel, slot: Slot) {
        self.with_neighbours(|store, neighbours, x, k| {
            let row = |slot, k: &mut Lanes<T>| store.row(s, kernel, slot, x, k);
            s.vectorize(
                #[inline(always)]
                || neighbours.remove(s, slot, store.slots(), row, k),
            );
        });
    }

    /// Finds all neighbours anew: they are not saved.
    pub(crate) fn find_neighbours<S: Simd>(&mut self, s: S, kernel: AnyKernel) {
        self.with_neighbours(|store, neighbours, x, k| {
            neighbours.refresh(s, store.slots(), |slot, k| store.row(s, kernel, slot, x, k), k);
        });
    }
}
