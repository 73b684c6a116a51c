//! [`Parser`]: cuts bytes into lines, and keeps track of the position for errors.

use crate::error::{OptionError, TextError};
use crate::format::{Format, MAX_LINE};
use crate::labels::Label;
use crate::parse_error::ParseError;
use crate::targets::{TargetReader, Task};
use std::io::BufRead;

/// A push parser: feed it bytes, take the complete rows.
///
/// After an error every further call to [`Parser::feed`] and [`Parser::finish`] returns a copy of this error. The rows
/// before the error can still be taken.
#[derive(Debug, Clone)]
pub struct Parser<F> {
    name: String,
    format: F,
    targets: TargetReader,
    /// The start of a line whose end has not been fed yet.
    pending: Vec<u8>,
    n_lines: u64,
    /// Complete rows that have not been taken.
    n_ready: usize,
    error: Option<TextError>,
}

impl<F: Format> Parser<F> {
    /// Creates a parser at the start of a file. Errors begin with `name`.
    pub fn new(name: impl Into<String>, task: Task, format: F) -> Self {
        let targets = TargetReader::new(task);
        Self { name: name.into(), format, targets, pending: Vec::new(), n_lines: 0, n_ready: 0, error: None }
    }

    /// Specifies all class labels. Targets are indices into this list, and any other label is an error.
    ///
    /// Use it for data of a trained model; without it the parser numbers labels in order of appearance. Labels are made
    /// canonical: `Text("1")` and `Float(1.0)` become `Int(1)`, as in a file.
    ///
    /// # Errors
    /// [`OptionError`] if the task is not classification, if the list is empty or longer than
    /// [`MAX_LABELS`](crate::MAX_LABELS), if a label is not finite or occurs twice, or if bytes have been fed already.
    pub fn with_labels(mut self, labels: &[Label]) -> Result<Self, OptionError> {
        if self.n_lines > 0 || !self.pending.is_empty() {
            return Err(OptionError::TooLate);
        }
        self.targets = self.targets.with_labels(labels)?;
        Ok(self)
    }

    /// Parses all complete lines, and buffers the start of the last line if its end is missing.
    ///
    /// # Errors
    /// [`TextError`], the first place that cannot be parsed.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Result<(), TextError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        loop {
            bytes = self.fast_path(bytes);
            let Some(end) = find_line_feed(bytes) else { break };
            if self.pending.is_empty() {
                self.parse_line(&bytes[..end])?;
            } else {
                self.buffer(&bytes[..end])?;
                self.parse_pending()?;
            }
            bytes = &bytes[end + 1..];
        }
        self.buffer(bytes)
    }

    /// Parses the last line if its line end is missing. Call it once all bytes have been fed; a second call does
    /// nothing.
    ///
    /// # Errors
    /// As [`Parser::feed`].
    pub fn finish(&mut self) -> Result<(), TextError> {
        match &self.error {
            Some(error) => Err(error.clone()),
            None if self.pending.is_empty() => Ok(()),
            None => self.parse_pending(),
        }
    }

    /// Returns the complete rows that have not been taken before, perhaps none.
    pub fn take(&mut self) -> F::Rows {
        self.n_ready = 0;
        self.format.take(self.targets.take())
    }

    /// Number of rows that [`Parser::take`] would return.
    #[must_use]
    pub fn n_ready(&self) -> usize {
        self.n_ready
    }

    /// Number of features: as specified, else the largest index so far (LIBSVM) or the number of columns (CSV).
    #[must_use]
    pub fn n_columns(&self) -> usize {
        self.format.n_columns()
    }

    /// Number of lines parsed so far, blank lines and comments included.
    #[must_use]
    pub fn n_lines(&self) -> u64 {
        self.n_lines
    }

    /// The class labels: as specified, else in order of appearance. The targets of rows are indices into this list. It
    /// is empty unless the task is classification.
    #[must_use]
    pub fn labels(&self) -> &[Label] {
        self.targets.labels()
    }

    /// The format, with its state so far, such as the column names of a CSV header.
    #[must_use]
    pub fn format(&self) -> &F {
        &self.format
    }

    /// Parses the simple lines at the start of `bytes` and returns the rest.
    fn fast_path<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        if self.n_lines == 0 || !self.pending.is_empty() {
            return bytes;
        }
        let (n_bytes, n_rows) = self.format.fast_path(bytes, &mut self.targets);
        self.n_lines += n_rows as u64;
        self.n_ready += n_rows;
        &bytes[n_bytes..]
    }

    /// Appends bytes to the pending line, up to [`MAX_LINE`].
    fn buffer(&mut self, bytes: &[u8]) -> Result<(), TextError> {
        if self.pending.len() + bytes.len() > MAX_LINE {
            self.n_lines += 1;
            return Err(self.fail(too_long()));
        }
        self.pending.extend_from_slice(bytes);
        Ok(())
    }

    fn parse_pending(&mut self) -> Result<(), TextError> {
        let mut line = std::mem::take(&mut self.pending);
        let outcome = self.parse_line(&line);
        line.clear();
        self.pending = line;
        outcome
    }

    fn parse_line(&mut self, line: &[u8]) -> Result<(), TextError> {
        self.n_lines += 1;
        if line.len() > MAX_LINE {
            return Err(self.fail(too_long()));
        }
        let line = if self.n_lines == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        match self.format.parse_line(line.strip_suffix(b"\r").unwrap_or(line), &mut self.targets) {
            Ok(is_row) => {
                self.n_ready += usize::from(is_row);
                self.targets.commit();
                Ok(())
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    #[cold]
    fn fail(&mut self, error: ParseError) -> TextError {
        self.targets.rollback(self.n_ready);
        self.pending = Vec::new();
        let error = TextError {
            name: self.name.clone(),
            line: self.n_lines,
            column: error.offset as u64 + 1,
            expected: error.expected,
            got: error.got,
        };
        self.error = Some(error.clone());
        error
    }
}

fn too_long() -> ParseError {
    ParseError::new(MAX_LINE, format!("a line of at most {MAX_LINE} bytes"), "more")
}

/// Position of the first line feed.
#[inline]
fn find_line_feed(bytes: &[u8]) -> Option<usize> {
    // `skip_until` gives access to the standard library's vectorised memchr.
    let mut rest = bytes;
    let n_skipped = rest.skip_until(b'\n').expect("a slice can always be read");
    n_skipped.checked_sub(1).filter(|&last| bytes[last] == b'\n')
}
