//! Which features of a support vector may be other than zero, where it is a sparse row: they lie far apart in memory,
//! so that going through all of them can take longer than the rest of what a wide row costs.

use crate::batch::Row;
use crate::float::Real;
use crate::slot::Slot;

/// The features of each slot that holds a sparse row as it came; never saved, and it changes no result.
#[derive(Debug, Clone, Default)]
pub(crate) struct Nonzero(Vec<Features>);

#[derive(Debug, Clone, Default)]
struct Features {
    /// Whether there are no others.
    known: bool,
    list: Vec<u32>,
}

impl Nonzero {
    pub(super) fn grow(&mut self, slots: usize) {
        self.0.resize_with(slots, Features::default);
    }

    /// A slot whose features were zero gets a row of so many features.
    pub(super) fn put<T: Real>(&mut self, slot: Slot, x: Row<'_, T>, features: usize) {
        let Features { known, list } = &mut self.0[slot.index()];
        *known = match x {
            Row::Sparse(indices, _) if indices.len() < features / 2 => {
                list.clear();
                list.extend_from_slice(indices);
                true
            }
            Row::Sparse(..) | Row::Dense(_) => false,
        };
    }

    /// A slot gets another vector.
    pub(super) fn forget(&mut self, slot: Slot) {
        self.0[slot.index()].known = false;
    }

    /// The features of a slot that may be other than zero, where they are known.
    pub(super) fn of(&self, slot: Slot) -> Option<&[u32]> {
        let Features { known, list } = &self.0[slot.index()];
        known.then_some(list)
    }
}
