//! [`FreeList`]: an allocator of ranges of a file.

use std::collections::{BTreeMap, BTreeSet};

/// The free ranges of a file. Allocation is best fit: it takes the smallest range that is large enough, or extends the
/// file. Adjacent free ranges are merged.
#[derive(Debug, Default)]
pub(super) struct FreeList {
    /// End of the file. The range before it is in use.
    end: u64,
    /// Length of each free range, by its offset.
    by_offset: BTreeMap<u64, u64>,
    /// Length and offset of each free range.
    by_length: BTreeSet<(u64, u64)>,
}

impl FreeList {
    /// Allocates `length` bytes. Returns their offset.
    pub(super) fn allocate(&mut self, length: u64) -> u64 {
        let Some(&(free_length, offset)) = self.by_length.range((length, 0)..).next() else {
            let offset = self.end;
            self.end += length;
            return offset;
        };
        self.remove(offset, free_length);
        if free_length > length {
            self.insert(offset + length, free_length - length);
        }
        offset
    }

    /// Frees bytes that were allocated.
    pub(super) fn free(&mut self, mut offset: u64, mut length: u64) {
        if let Some((&before, &before_length)) = self.by_offset.range(..offset).next_back()
            && before + before_length == offset
        {
            self.remove(before, before_length);
            (offset, length) = (before, length + before_length);
        }
        if let Some(&after_length) = self.by_offset.get(&(offset + length)) {
            self.remove(offset + length, after_length);
            length += after_length;
        }
        if offset + length == self.end { self.end = offset } else { self.insert(offset, length) }
    }

    fn insert(&mut self, offset: u64, length: u64) {
        self.by_offset.insert(offset, length);
        self.by_length.insert((length, offset));
    }

    fn remove(&mut self, offset: u64, length: u64) {
        self.by_offset.remove(&offset);
        self.by_length.remove(&(length, offset));
    }
}

#[cfg(test)]
mod tests {
    use super::FreeList;
    use crate::rng::Rng;

    /// Compared with a table of bytes in use.
    #[test]
    fn ranges_do_not_overlap_and_none_is_lost() {
        let (mut list, mut rng) = (FreeList::default(), Rng::new(3));
        let (mut taken, mut in_use) = (Vec::new(), vec![false; 1 << 16]);
        for _ in 0..4000 {
            if rng.index(5) < 3 || taken.is_empty() {
                let length = 1 + rng.index(40) as u64;
                let offset = list.allocate(length);
                for byte in &mut in_use[offset as usize..][..length as usize] {
                    assert!(!std::mem::replace(byte, true));
                }
                taken.push((offset, length));
            } else {
                let (offset, length) = taken.swap_remove(rng.index(taken.len()));
                in_use[offset as usize..][..length as usize].fill(false);
                list.free(offset, length);
            }
            let used: u64 = taken.iter().map(|(_, length)| length).sum();
            let free: u64 = list.by_offset.values().sum();
            assert_eq!(used + free, list.end);
            assert_eq!(list.by_offset.len(), list.by_length.len());
        }
        for (offset, length) in taken {
            list.free(offset, length);
        }
        assert_eq!((list.end, list.by_offset.len()), (0, 0));
    }
}
