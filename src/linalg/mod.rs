//! Linear algebra over slots.

/// Where a support vector lives; slots do not move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot(pub u32);

impl Slot {
    /// As an index.
    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}
