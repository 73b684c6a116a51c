//! Moving the models that were not used for the longest time to a temporary file.

use super::cache::ModelCache;
use super::record_file::RecordFile;
use super::slot::{Place, Resident, Slot};
use crate::error::Result;

/// A temporary file with more outdated bytes than current ones, and than this, is written anew.
const MIN_OUTDATED: u64 = 64 << 20;

impl ModelCache {
    /// Spills the least recently used models if all models together exceed the memory limit.
    ///
    /// Frees as much below the limit as was used above it, at most half of the limit: single rows spill a model or two,
    /// large batches many. After an error all models are still in memory or in a file.
    pub(super) fn enforce_limit(&mut self, parallel: bool) -> Result<()> {
        let Some(excess) = self.memory.checked_sub(self.max_memory).filter(|excess| *excess > 0) else {
            return Ok(());
        };
        let target = self.max_memory.saturating_sub(excess.min(self.max_memory / 2));
        let (mut memory, mut to_spill) = (self.memory, Vec::new());
        for slot in self.recent.values() {
            if memory <= target {
                break;
            }
            let Slot::Resident(resident) = &self.slots[*slot as usize] else { continue };
            memory -= resident.memory;
            to_spill.push(*slot);
        }
        self.spill(&to_spill, parallel)
    }

    /// Moves models out of memory; those without a copy in a file are written.
    fn spill(&mut self, slots: &[u32], parallel: bool) -> Result<()> {
        let is_copied = |slot: &u32| {
            matches!(&self.slots[*slot as usize], Slot::Resident(Resident { copy: Some(_), .. }))
        };
        let (copied, changed): (Vec<u32>, Vec<u32>) = slots.iter().partition(|slot| is_copied(slot));
        for slot in copied {
            if let Slot::Resident(Resident { copy: Some(place), .. }) = self.check_out(slot) {
                self.slots[slot as usize] = Slot::Spilled(place);
            }
        }
        if changed.is_empty() {
            return Ok(());
        }
        let mut file = match self.temporary.take() {
            Some(file) => file,
            None => RecordFile::temporary(self.directory.as_deref())?,
        };
        let written = self.write_models(&changed, parallel, &mut file);
        self.temporary = Some(file);
        for (slot, location) in written? {
            self.check_out(slot);
            self.slots[slot as usize] = Slot::Spilled(Place::Temporary(location));
            self.current += u64::from(location.length);
        }
        self.compact()
    }

    /// Writes the temporary file anew if most of it is outdated.
    fn compact(&mut self) -> Result<()> {
        let end = self.temporary.as_ref().map_or(0, RecordFile::end);
        if end - self.current <= self.current.max(MIN_OUTDATED) {
            return Ok(());
        }
        let mut file = RecordFile::temporary(self.directory.as_deref())?;
        let mut places = Vec::new();
        for (slot, entry) in (0..).zip(&self.slots) {
            if let Slot::Resident(Resident { copy: Some(place @ Place::Temporary(location)), .. })
            | Slot::Spilled(place @ Place::Temporary(location)) = entry
            {
                places.push((slot, file.append(&self.file(*place)?.read(*location)?)?));
            }
        }
        for (slot, location) in places {
            match &mut self.slots[slot] {
                Slot::Resident(resident) => resident.copy = Some(Place::Temporary(location)),
                slot => *slot = Slot::Spilled(Place::Temporary(location)),
            }
        }
        self.temporary = Some(file);
        Ok(())
    }
}
