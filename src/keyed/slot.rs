//! The place of a model in the cache.

use super::model_file::Location;
use crate::model::Model;

/// A model in memory.
#[derive(Debug)]
pub(super) struct Resident {
    pub(super) model: Box<Model>,
    pub(super) memory: usize,
    /// Location of an equal model in a file, if there is one.
    pub(super) copy: Option<Location>,
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
    Spilled(Location),
    /// Checked out by a running call, or lost in a call that panicked.
    CheckedOut,
}
