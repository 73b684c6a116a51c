//! The fast path: rows of a label and sorted pairs, without a comment.

use super::{Libsvm, skip_blanks};
use crate::float::Float;
use crate::targets::{TargetReader, Task};
use crate::{number, scan};

impl<T: Float> Libsvm<T> {
    /// Parses the line at `start`. Returns the start of the next line and the largest index. Returns `None`
    /// for any other line; values and a target of this line may have been appended, which the caller drops.
    pub(super) fn fast_line(
        &mut self,
        bytes: &[u8],
        start: usize,
        targets: &mut TargetReader,
    ) -> Option<(usize, u32)> {
        let mut pos = scan::token_end(bytes, start, |byte| matches!(byte, b':' | b',' | b'#'))?;
        if bytes[pos] == b':' {
            return None;
        }
        if targets.task() != Task::Unlabelled {
            targets.read::<T>(&bytes[start..pos]).ok()?;
        }
        let mut last = 0;
        loop {
            let token_end = pos;
            pos = skip_blanks(bytes, pos);
            let mut index = 0u64;
            let first = pos;
            pos = number::parse_digits(bytes, pos, &mut index);
            if pos == first {
                return scan::next_line(bytes, pos).map(|next| (next, last));
            }
            // Indices of 19 digits do not overflow.
            index = index.wrapping_add(u64::from(self.offset));
            let in_order = index > u64::from(last) && index <= self.limit && pos - first <= 19;
            if first == token_end || !in_order || bytes.get(pos) != Some(&b':') {
                return None;
            }
            last = index as u32;
            let (value, end) = number::parse_prefix(bytes, pos + 1)?;
            let value = number::finite_as(value)?;
            if value != T::ZERO {
                self.indices.push(last - 1);
                self.values.push(value);
            }
            pos = end;
        }
    }
}
