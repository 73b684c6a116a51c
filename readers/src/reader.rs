//! [`Reader`]: cuts bytes into lines, and keeps track of the line for errors.

use crate::csv::Csv;
use crate::error::{Expected, MAX_LINE, TextError};
use crate::libsvm::Libsvm;
use crate::rows::Rows;

/// A format of text with one row per line.
#[derive(Debug, Clone)]
pub enum Format {
    /// CSV.
    Csv(Csv),
    /// LIBSVM text.
    Libsvm(Libsvm),
}

impl From<Csv> for Format {
    fn from(csv: Csv) -> Self {
        Self::Csv(csv)
    }
}

impl From<Libsvm> for Format {
    fn from(libsvm: Libsvm) -> Self {
        Self::Libsvm(libsvm)
    }
}

/// A reader: feed it bytes, take the complete rows.
///
/// After an error every further call to [`Reader::feed`] and [`Reader::finish`] returns a copy of this error. The rows
/// before the error can still be taken.
#[derive(Debug, Clone)]
pub struct Reader {
    format: Format,
    rows: Rows,
    /// The start of a line whose end has not been fed yet.
    pending: Vec<u8>,
    n_lines: u64,
    error: Option<TextError>,
}

impl Reader {
    /// Creates a reader at the start of a text, with rows that are empty.
    pub fn new(format: impl Into<Format>, mut rows: Rows) -> Self {
        let format = format.into();
        if let Format::Csv(csv) = &format {
            csv.prepare(&mut rows);
        }
        Self { format, rows, pending: Vec::new(), n_lines: 0, error: None }
    }

    /// Reads all complete lines, and keeps the start of a line whose end is missing.
    ///
    /// # Errors
    /// [`TextError`], the first place that cannot be read.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Result<(), TextError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            if self.pending.is_empty() {
                self.read_line(&bytes[..end])?;
            } else {
                self.pending.extend_from_slice(&bytes[..end]);
                self.read_pending()?;
            }
            bytes = &bytes[end + 1..];
        }
        self.pending.extend_from_slice(bytes);
        if self.pending.len() > MAX_LINE { self.read_pending() } else { Ok(()) }
    }

    /// Reads the last line if its line end is missing. Call it when all bytes have been fed.
    ///
    /// # Errors
    /// As [`Reader::feed`].
    pub fn finish(&mut self) -> Result<(), TextError> {
        match &self.error {
            Some(error) => Err(error.clone()),
            None if self.pending.is_empty() => Ok(()),
            None => self.read_pending(),
        }
    }

    /// Returns the complete rows that have not been taken before, perhaps none.
    pub fn take(&mut self) -> Rows {
        self.rows.take()
    }

    /// The number of complete rows that have not been taken.
    #[must_use]
    pub fn n_ready(&self) -> usize {
        self.rows.lines.len()
    }

    /// The number of features of LIBSVM text: the given number, or the largest index so far.
    #[must_use]
    pub fn n_features(&self) -> u64 {
        match &self.format {
            Format::Csv(_) => 0,
            Format::Libsvm(libsvm) => libsvm.n_features,
        }
    }

    fn read_pending(&mut self) -> Result<(), TextError> {
        let mut line = std::mem::take(&mut self.pending);
        let outcome = self.read_line(&line);
        line.clear();
        self.pending = line;
        outcome
    }

    fn read_line(&mut self, line: &[u8]) -> Result<(), TextError> {
        self.n_lines += 1;
        let line = if self.n_lines == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        let n_values = self.rows.values.len();
        let outcome = if line.len() > MAX_LINE {
            Err(TextError::new(MAX_LINE, Expected::ShortLine, b"more"))
        } else {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            match &mut self.format {
                Format::Csv(csv) => csv.read_line(line, &mut self.rows),
                Format::Libsvm(libsvm) => libsvm.read_line(line, &mut self.rows),
            }
        };
        match outcome {
            Ok(true) => self.rows.lines.push(self.n_lines),
            Ok(false) => {}
            Err(error) => {
                self.rows.drop_partial(n_values);
                let error = TextError { line: self.n_lines, ..error };
                self.error = Some(error.clone());
                return Err(error);
            }
        }
        Ok(())
    }
}
