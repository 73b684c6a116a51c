//! The newest support vector, while its vector waits outside the panels.

use crate::float::Real;
use crate::slot::Slot;

/// A vector that maintenance may merge at once stays here until maintenance is done. The features of a slot lie far
/// apart in memory, so writing, reading and clearing one takes longer than the rest of an insertion.
#[derive(Debug, Clone, Default)]
pub(crate) struct WaitingVector<T: Real> {
    /// Whether new vectors wait here. Only merging of the newest support vector may read the expansion while one waits.
    pub(super) is_enabled: bool,
    slot: Option<Slot>,
    x: Vec<T>,
}

impl<T: Real> WaitingVector<T> {
    pub(super) fn put(&mut self, slot: Slot, x: &[T]) {
        self.slot = Some(slot);
        self.x.clear();
        self.x.extend_from_slice(x);
    }

    /// The vector of a slot, if it waits here.
    #[inline(always)]
    pub(super) fn of(&self, slot: Slot) -> Option<&[T]> {
        (self.slot == Some(slot)).then_some(&self.x)
    }

    /// Forgets the vector of a slot, if it waits here; returns whether it did.
    #[inline(always)]
    pub(super) fn forget(&mut self, slot: Slot) -> bool {
        self.slot.take_if(|waiting| *waiting == slot).is_some()
    }

    /// The slot of the waiting vector.
    #[inline(always)]
    pub(super) fn slot(&self) -> Option<Slot> {
        self.slot
    }

    /// The waiting vector.
    pub(super) fn x(&self) -> &[T] {
        &self.x
    }
}
