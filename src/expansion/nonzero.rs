//! The non-zero features of sparse support vectors. The features of a slot lie far apart in memory, so visiting all of
//! them can take longer than the other work of a wide row.

use crate::batch::Row;
use crate::float::Real;
use crate::slot::Slot;

/// The non-zero features of each slot that holds an unchanged sparse row. It is a cache: never saved, and without
/// influence on results.
#[derive(Debug, Clone, Default)]
pub(crate) struct Nonzero(Vec<Features>);

#[derive(Debug, Clone, Default)]
struct Features {
    /// Whether all features outside `indices` are zero.
    known: bool,
    indices: Vec<u32>,
}

impl Nonzero {
    pub(super) fn grow(&mut self, slots: usize) {
        self.0.resize_with(slots, Features::default);
    }

    /// Records the features of a row of `features` features, written into a slot of zeros.
    pub(super) fn put<T: Real>(&mut self, slot: Slot, x: Row<'_, T>, features: usize) {
        let Features { known, indices } = &mut self.0[slot.index()];
        *known = match x {
            Row::Sparse(new, _) if new.len() < features / 2 => {
                indices.clear();
                indices.extend_from_slice(new);
                true
            }
            Row::Sparse(..) | Row::Dense(_) => false,
        };
    }

    /// Forgets the features of a slot whose vector changes.
    pub(super) fn forget(&mut self, slot: Slot) {
        self.0[slot.index()].known = false;
    }

    /// The features of a slot that may be non-zero; None if they are unknown.
    pub(super) fn of(&self, slot: Slot) -> Option<&[u32]> {
        let Features { known, indices } = &self.0[slot.index()];
        known.then_some(indices)
    }
}
