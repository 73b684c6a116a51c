//! Rows of bare numbers and a bare label, read where they stand.

use super::{Csv, LabelKind, Layout, TargetReader, fields, number};
use crate::float::Float;
use crate::plain;

impl<T: Float> Csv<T> {
    /// Reads the line that starts at `start` if it is a row of bare numbers and a bare label; returns where the next
    /// line starts. Values and a target of a line that is none may have been added.
    pub(super) fn plain_line(
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
                let end = plain::word(bytes, pos, |byte| byte == self.delimiter || byte == b'"')?;
                if targets.task() != LabelKind::Unlabelled {
                    targets.read::<T>(&bytes[pos..end]).ok()?;
                }
                pos = end;
            } else {
                let (value, end) = number::prefix(bytes, pos)?;
                self.values.push(number::fit(value)?);
                pos = end;
            }
            pos = fields::skip_blanks(bytes, pos, self.delimiter);
        }
        plain::line_end(bytes, pos)
    }
}
