//! The fast path: rows of unquoted numbers and an unquoted label.

use super::{Csv, Layout};
use crate::float::Float;
use crate::targets::{TargetReader, Task};
use crate::{fields, number, scan};

impl<T: Float> Csv<T> {
    /// Parses the line at `start` and returns the start of the next line. Returns `None` for any other line; values and
    /// a target of this line may have been appended, which the caller drops.
    pub(super) fn fast_line(
        &mut self,
        bytes: &[u8],
        start: usize,
        layout: Layout,
        targets: &mut TargetReader,
    ) -> Option<usize> {
        let mut pos = start;
        for index in 0..layout.fields {
            if index > 0 {
                pos = Some(pos + 1).filter(|_| bytes.get(pos) == Some(&self.delimiter))?;
            }
            pos = fields::skip_blanks(bytes, pos, self.delimiter);
            if Some(index) == layout.label {
                let end = scan::token_end(bytes, pos, |byte| byte == self.delimiter || byte == b'"')?;
                if targets.task() != Task::Unlabelled {
                    targets.read::<T>(&bytes[pos..end]).ok()?;
                }
                pos = end;
            } else {
                let (value, end) = number::parse_prefix(bytes, pos)?;
                self.values.push(number::finite_as(value)?);
                pos = end;
            }
            pos = fields::skip_blanks(bytes, pos, self.delimiter);
        }
        scan::next_line(bytes, pos)
    }
}
