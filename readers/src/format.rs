//! [`Format`]: what a text format implements, so that [`Parser`](crate::Parser) can read it.

use crate::parse_error::ParseResult;
use crate::targets::{ParsedTargets, TargetReader};

/// Maximum number of bytes of a line, without its line feed: 16 MiB.
pub const MAX_LINE: usize = 1 << 24;
/// Default limit of the number of features, so that a typing error in an index does not allocate gigabytes.
pub const DEFAULT_MAX_FEATURES: usize = 1 << 24;

/// A text format with one row per line.
///
/// Implement it for a new format. [`Parser`](crate::Parser) cuts the bytes into lines, adds file and line to
/// errors, and undoes the target of a row that failed.
pub trait Format {
    /// A batch of rows.
    type Rows;

    /// Parses one line, passed without its line end. Returns false for a line without a row, such as a header or a
    /// comment. If the line is invalid, the rows before it stay as they are.
    ///
    /// # Errors
    /// [`ParseError`](crate::ParseError), with the byte offset in the line, if the line is not a row of this format.
    fn parse_line(&mut self, line: &[u8], targets: &mut TargetReader) -> ParseResult<bool>;

    /// Parses the simple lines at the start of `bytes`, which include their line ends. Returns the number of bytes
    /// parsed and the number of rows.
    ///
    /// An optimisation: the fast path finds the end of a line while it parses the numbers. It stops at the first line
    /// that is not simple; [`Format::parse_line`] parses that line, and must accept simple lines with the same result.
    /// The parser calls the fast path at the start of a line, but never at the start of the file.
    fn fast_path(&mut self, bytes: &[u8], targets: &mut TargetReader) -> (usize, usize) {
        let _ = (bytes, targets);
        (0, 0)
    }

    /// Returns the rows parsed since the last call.
    fn take(&mut self, targets: ParsedTargets) -> Self::Rows;

    /// Number of features: as specified, else the largest index so far (LIBSVM) or the number of columns (CSV).
    fn n_columns(&self) -> usize;
}
