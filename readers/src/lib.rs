//! Streaming readers of text: LIBSVM and CSV, as push parsers that are fed bytes in pieces of any size.
//!
//! [`Parser`] cuts the bytes into lines and knows where it is; a [`Format`] reads one line. However the bytes are
//! cut into pieces, the rows are the same, or the error is. Memory is bounded: by the rows of the bytes fed since the
//! last [`Parser::take`], [`MAX_LINE`] and [`MAX_LABELS`].
//!
//! - A line ends with `\n` or `\r\n`; the last one may end with the data. Blank lines are skipped.
//! - A UTF-8 byte order mark at the start is passed over.
//! - Numbers are rounded exactly to `f64`, then to the type `T`; a number that is not finite there is refused.
//!
//! ```
//! use budgetrs_readers::{Libsvm, Parser, ParsedTargets, LabelKind};
//!
//! let mut parser = Parser::new("train.txt", LabelKind::Classification, Libsvm::<f32>::new());
//! parser.feed(b"+1 1:0.5 3:2\n-1 2:")?;
//! parser.feed(b"1e-1\n")?;
//! parser.finish()?;
//! let rows = parser.take();
//! assert_eq!(rows.row(1), (&[1][..], &[0.1][..]));
//! assert_eq!((rows.n_rows(), rows.n_columns), (2, 3));
//! assert_eq!(rows.targets, ParsedTargets::Classes(vec![0, 1]));
//! # Ok::<(), budgetrs_readers::TextError>(())
//! ```
#![forbid(unsafe_code)]

mod csv;
mod eight;
mod error;
mod fault;
mod fields;
mod float;
mod labels;
mod libsvm;
mod number;
mod plain;
mod recent;
mod rounding;
mod rows;
mod targets;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use csv::Csv;
pub use error::{OptionError, TextError};
pub use fault::{Fault, Verdict, shown};
pub use float::Float;
pub use labels::{LabelName, MAX_LABEL_BYTES, MAX_LABELS};
pub use libsvm::{Libsvm, MAX_FEATURES, MAX_UNSTATED};
pub use rows::{DenseRows, SparseRows};
pub use targets::{LabelKind, ParsedTargets, TargetReader};

use std::io::BufRead;

/// Most bytes of a line, its line feed not counted: 16 MiB.
pub const MAX_LINE: usize = 1 << 24;

/// A text format of one row per line.
pub trait Format {
    /// A batch of rows.
    type Rows;

    /// Reads one line, which comes without its line end; whether it was a row. A refused line leaves the rows before
    /// it as they are.
    ///
    /// # Errors
    /// When the line is no row of this format.
    fn line(&mut self, line: &[u8], targets: &mut TargetReader) -> Verdict<bool>;

    /// Reads the lines that the bytes begin with, line ends included, as long as they are rows without anything
    /// unusual: returns how many bytes that were, and how many rows. What comes then is for [`Format::line`], which
    /// reads all lines; of these it makes the same. Called at the start of a line, but not of the data.
    fn plain_lines(&mut self, bytes: &[u8], targets: &mut TargetReader) -> (usize, usize) {
        let _ = (bytes, targets);
        (0, 0)
    }

    /// Hands out the rows read since the last call.
    fn take(&mut self, targets: ParsedTargets) -> Self::Rows;

    /// Number of features: as specified; else the largest index so far (LIBSVM) or the number of columns (CSV).
    fn n_columns(&self) -> usize;
}

/// All well, or the first thing in the data that cannot be read.
type Fed = std::result::Result<(), TextError>;

/// A push parser: feed it bytes, take the complete rows.
///
/// After an error it returns that error again, whatever it is fed; the rows before the error can still be taken.
#[derive(Debug, Clone)]
pub struct Parser<F> {
    name: String,
    format: F,
    targets: TargetReader,
    /// The bytes of a line whose end has not come yet.
    pending: Vec<u8>,
    /// Lines read so far.
    lines: u64,
    /// Rows that can be taken.
    ready: usize,
    failed: Option<TextError>,
}

impl<F: Format> Parser<F> {
    /// A parser at the start of the data; `name` is what its messages call the file.
    pub fn new(name: impl Into<String>, task: LabelKind, format: F) -> Self {
        let targets = TargetReader::new(task);
        Self { name: name.into(), format, targets, pending: Vec::new(), lines: 0, ready: 0, failed: None }
    }

    /// Fixes the set of labels, which are numbered in the order given; any other label is then refused.
    ///
    /// Labels are made canonical: `Text("1")` and `Float(1.0)` are `Int(1)`, as they are in a file.
    ///
    /// # Errors
    /// When the task is not classification, the list is empty or too long, a label is not finite or occurs twice, or
    /// bytes have been fed already.
    pub fn with_labels(mut self, labels: &[LabelName]) -> Result<Self, OptionError> {
        if self.lines > 0 || !self.pending.is_empty() {
            return Err(OptionError::TooLate);
        }
        self.targets = self.targets.with_labels(labels)?;
        Ok(self)
    }

    /// Reads the lines that end in these bytes and keeps the beginning of the next one.
    ///
    /// # Errors
    /// The first thing in the data that cannot be read.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Fed {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        loop {
            bytes = self.plain_lines(bytes);
            let Some(end) = line_feed(bytes) else { break };
            if self.pending.is_empty() {
                self.line(&bytes[..end])?;
            } else {
                self.keep(&bytes[..end])?;
                self.end_pending()?;
            }
            bytes = &bytes[end + 1..];
        }
        self.keep(bytes)
    }

    /// The data end here, and with them the last line. Without further bytes another call changes nothing.
    ///
    /// # Errors
    /// As [`Parser::feed`].
    pub fn finish(&mut self) -> Fed {
        match &self.failed {
            Some(error) => Err(error.clone()),
            None if self.pending.is_empty() => Ok(()),
            None => self.end_pending(),
        }
    }

    /// Hands out the rows that are complete and were not taken before.
    pub fn take(&mut self) -> F::Rows {
        self.ready = 0;
        self.format.take(self.targets.take())
    }

    /// Number of rows that can be taken.
    #[must_use]
    pub fn ready(&self) -> usize {
        self.ready
    }

    /// Number of features: as specified; else the largest index so far (LIBSVM) or the number of columns (CSV).
    #[must_use]
    pub fn n_columns(&self) -> usize {
        self.format.n_columns()
    }

    /// Lines read so far.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// The labels, each at the number that the rows carry: known ones as given, others in order of appearance.
    /// Empty unless the task is classification.
    #[must_use]
    pub fn labels(&self) -> &[LabelName] {
        self.targets.labels()
    }

    /// The format and what it has learned, such as the names of the columns.
    #[must_use]
    pub fn format(&self) -> &F {
        &self.format
    }

    /// Reads the lines without anything unusual that the bytes begin with; returns what comes behind them.
    fn plain_lines<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        if self.lines == 0 || !self.pending.is_empty() {
            return bytes;
        }
        let (read, rows) = self.format.plain_lines(bytes, &mut self.targets);
        self.lines += rows as u64;
        self.ready += rows;
        &bytes[read..]
    }

    /// Adds bytes to the pending line, as far as it may grow.
    fn keep(&mut self, bytes: &[u8]) -> Fed {
        if self.pending.len() + bytes.len() > MAX_LINE {
            self.lines += 1;
            return Err(self.fail(too_long()));
        }
        self.pending.extend_from_slice(bytes);
        Ok(())
    }

    fn end_pending(&mut self) -> Fed {
        let mut line = std::mem::take(&mut self.pending);
        let outcome = self.line(&line);
        line.clear();
        self.pending = line;
        outcome
    }

    fn line(&mut self, line: &[u8]) -> Fed {
        self.lines += 1;
        if line.len() > MAX_LINE {
            return Err(self.fail(too_long()));
        }
        let line = if self.lines == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        match self.format.line(line.strip_suffix(b"\r").unwrap_or(line), &mut self.targets) {
            Ok(is_row) => {
                self.ready += usize::from(is_row);
                self.targets.keep();
                Ok(())
            }
            Err(fault) => Err(self.fail(fault)),
        }
    }

    #[cold]
    fn fail(&mut self, fault: Fault) -> TextError {
        self.targets.rewind(self.ready);
        self.pending = Vec::new();
        let error = TextError {
            name: self.name.clone(),
            line: self.lines,
            column: fault.at as u64 + 1,
            expected: fault.expected,
            got: fault.got,
        };
        self.failed = Some(error.clone());
        error
    }
}

fn too_long() -> Fault {
    Fault::new(MAX_LINE, format!("a line of at most {MAX_LINE} bytes"), "more")
}

/// Where the first line feed stands.
#[inline]
fn line_feed(bytes: &[u8]) -> Option<usize> {
    // The way to the standard library's vectorised search.
    let mut rest = bytes;
    let read = rest.skip_until(b'\n').expect("a slice can always be read");
    read.checked_sub(1).filter(|&last| bytes[last] == b'\n')
}
