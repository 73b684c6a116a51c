//! Which parts of a file are free.

use std::collections::{BTreeMap, BTreeSet};

/// The free parts of a file; neighbours are one. What is asked for comes from the smallest that has room, or from the
/// end of the file, which grows.
#[derive(Debug, Default)]
pub(super) struct Extents {
    end: u64,
    /// The length of each, by its beginning.
    free: BTreeMap<u64, u64>,
    /// The same by length.
    sizes: BTreeSet<(u64, u64)>,
}

impl Extents {
    /// Takes so many bytes, and says where.
    pub(super) fn take(&mut self, bytes: u64) -> u64 {
        let Some(&(length, from)) = self.sizes.range((bytes, 0)..).next() else {
            let from = self.end;
            self.end += bytes;
            return from;
        };
        self.drop_free(from, length);
        if length > bytes {
            self.add_free(from + bytes, length - bytes);
        }
        from
    }

    /// Gives bytes back that were taken.
    pub(super) fn give(&mut self, mut from: u64, mut bytes: u64) {
        if let Some((&before, &length)) = self.free.range(..from).next_back()
            && before + length == from
        {
            self.drop_free(before, length);
            (from, bytes) = (before, bytes + length);
        }
        if let Some(&length) = self.free.get(&(from + bytes)) {
            self.drop_free(from + bytes, length);
            bytes += length;
        }
        if from + bytes == self.end { self.end = from } else { self.add_free(from, bytes) }
    }

    fn add_free(&mut self, from: u64, length: u64) {
        self.free.insert(from, length);
        self.sizes.insert((length, from));
    }

    fn drop_free(&mut self, from: u64, length: u64) {
        self.free.remove(&from);
        self.sizes.remove(&(length, from));
    }
}

#[cfg(test)]
mod tests {
    use super::Extents;
    use crate::rng::Rng;

    /// Beside a list of bytes.
    #[test]
    fn no_byte_is_taken_twice_and_none_is_lost() {
        let (mut extents, mut rng) = (Extents::default(), Rng::new(3));
        let (mut taken, mut bytes) = (Vec::new(), vec![false; 1 << 16]);
        for _ in 0..4000 {
            if rng.index(5) < 3 || taken.is_empty() {
                let length = 1 + rng.index(40) as u64;
                let from = extents.take(length);
                for byte in &mut bytes[from as usize..][..length as usize] {
                    assert!(!std::mem::replace(byte, true));
                }
                taken.push((from, length));
            } else {
                let (from, length) = taken.swap_remove(rng.index(taken.len()));
                bytes[from as usize..][..length as usize].fill(false);
                extents.give(from, length);
            }
            let used: u64 = taken.iter().map(|(_, length)| length).sum();
            let free: u64 = extents.free.values().sum();
            assert_eq!(used + free, extents.end);
            assert_eq!(extents.free.len(), extents.sizes.len());
        }
        for (from, length) in taken {
            extents.give(from, length);
        }
        assert_eq!((extents.end, extents.free.len()), (0, 0));
    }
}
