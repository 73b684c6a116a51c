//! Rows of a label and pairs in order, without a comment, read where they stand.

use super::{LabelKind, Libsvm, TargetReader, number, skip_blanks};
use crate::float::Float;
use crate::plain;

impl<T: Float> Libsvm<T> {
    /// Reads the line that starts at `start` if it is a row of a label and pairs in order, without a comment; returns
    /// where the next line starts, and the highest index. Values and a target of a line that is none may have been
    /// added.
    pub(super) fn plain_line(
        &mut self,
        bytes: &[u8],
        start: usize,
        targets: &mut TargetReader,
    ) -> Option<(usize, u32)> {
        let mut pos = plain::word(bytes, start, |byte| matches!(byte, b':' | b',' | b'#'))?;
        if bytes[pos] == b':' {
            return None;
        }
        if targets.task() != LabelKind::Unlabelled {
            targets.read::<T>(&bytes[start..pos]).ok()?;
        }
        let mut last = 0;
        loop {
            let behind = pos;
            pos = skip_blanks(bytes, pos);
            let mut index = 0u64;
            let first = pos;
            pos = number::digits(bytes, pos, &mut index);
            if pos == first {
                return plain::line_end(bytes, pos).map(|next| (next, last));
            }
            let in_order = index > u64::from(last) && index <= self.limit && pos - first <= 19;
            if first == behind || !in_order || bytes.get(pos) != Some(&b':') {
                return None;
            }
            last = index as u32;
            let (value, end) = number::prefix(bytes, pos + 1)?;
            let value = number::fit(value)?;
            if value != T::ZERO {
                self.indices.push(last - 1);
                self.values.push(value);
            }
            pos = end;
        }
    }
}
