//! Removing keys, one or those that were not seen for a number of rows.

use super::index::Key;
use super::{KeyCounts, KeyedModels};
use crate::error::{Error, Result};

impl KeyedModels {
    /// Removes the model of a key. Returns false for an unknown key. The last key takes its place in the order of keys.
    /// The next save writes a new file.
    pub fn remove(&mut self, key: &Key) -> bool {
        let Some(slot) = self.index.swap_remove(key) else { return false };
        self.cache.swap_remove(slot);
        self.counts.swap_remove(slot as usize);
        self.has_removed_keys = true;
        true
    }

    /// Removes the keys that have none of the last `rows` rows of all keys. Returns their number. The order of the
    /// other keys stays. If keys were removed, the next save writes a new file.
    ///
    /// # Errors
    /// If `rows` is 0.
    pub fn remove_unseen(&mut self, rows: u64) -> Result<usize> {
        if rows == 0 {
            return Err(Error::parameter("rows", "an integer of at least 1", 0));
        }
        let is_seen = |counts: &KeyCounts| self.n_rows.saturating_sub(counts.last_row) < rows;
        let seen: Vec<bool> = self.counts.iter().map(is_seen).collect();
        let n_unseen = seen.iter().filter(|seen| !**seen).count();
        if n_unseen > 0 {
            self.index.retain(&seen);
            self.cache.retain(&seen);
            self.counts = self.counts.iter().copied().filter(is_seen).collect();
            self.has_removed_keys = true;
        }
        Ok(n_unseen)
    }
}
