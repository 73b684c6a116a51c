//! The model of a key: in memory, in a file, or not there yet.

use super::record_file::Location;
use crate::model::Model;

/// The place of a model outside memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the temporary file.
    Temporary(Location),
    /// In the file of saved models.
    Saved(Location),
}

impl Place {
    pub(super) fn location(self) -> Location {
        let (Self::Temporary(location) | Self::Saved(location)) = self;
        location
    }
}

/// A model in memory.
#[derive(Debug)]
pub(super) struct Resident {
    pub(super) model: Box<Model>,
    pub(super) memory: usize,
    /// The place of an equal model in a file, if there is one.
    pub(super) copy: Option<Place>,
    /// Time of the last use.
    pub(super) last_used: u64,
}

/// The model of a key.
#[derive(Debug)]
pub(super) enum Slot {
    /// No row of the key was learned.
    Empty,
    /// In memory.
    Resident(Resident),
    /// In a file.
    Spilled(Place),
    /// Checked out by a running call, or lost in a call that panicked.
    CheckedOut,
}
