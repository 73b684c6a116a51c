//! CSV: one row per line, with numbers, categories and a target.

use crate::error::{Expected, TextError};
use crate::field::{self, Delimiter};
use crate::number;
use crate::rows::{Categories, Rows, Target};

/// What a field of each line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A numeric feature.
    Number,
    /// A categorical feature.
    Category,
    /// The target.
    Target,
    /// Neither.
    Ignored,
}

/// The CSV format.
///
/// - Fields may be quoted (RFC 4180: `""` is a quote). A line break within quotes is an error. Blanks around a field are
///   ignored, except within quotes.
/// - Missing values are [`MISSING`](crate::MISSING) and the given texts: NaN, or a category of code -1. A label that is
///   missing is an error, unless it is one of the classes.
#[derive(Debug, Clone)]
pub struct Csv {
    /// The kind of each field of a line.
    pub kinds: Vec<Kind>,
    /// What separates fields.
    pub delimiter: Delimiter,
    /// The decimal sign of numbers.
    pub decimal: u8,
    /// Texts of missing values in addition to the usual ones.
    pub missing: Vec<String>,
    /// Labels that are never missing.
    pub classes: Vec<String>,
    /// Whether the next line that is not blank is a header, which is skipped.
    pub header: bool,
}

impl Csv {
    pub(crate) fn prepare(&self, rows: &mut Rows) {
        let n_categories = self.kinds.iter().filter(|&&kind| kind == Kind::Category).count();
        rows.categories = vec![Categories::default(); n_categories];
    }

    /// Reads a line; returns whether it is a row.
    pub(crate) fn read_line(&mut self, line: &[u8], rows: &mut Rows) -> Result<bool, TextError> {
        if line.trim_ascii().is_empty() || std::mem::take(&mut self.header) {
            return Ok(false);
        }
        let mut next = Some(0);
        let mut category = 0;
        for (at, &kind) in self.kinds.iter().enumerate() {
            let Some(start) = next else { return Err(self.wrong_count(line, at)) };
            if kind == Kind::Number
                && let Some((value, following)) = self.plain_number(line, start)
                && rows.values.push(value)
            {
                next = following;
                continue;
            }
            next = self
                .read_field(line, start, (kind, &mut category), rows)
                .map_err(|error| self.wrong_field(line, at, error))?;
        }
        match next {
            None => Ok(true),
            Some(_) => Err(self.wrong_count(line, self.kinds.len())),
        }
    }

    /// A number without quotes, and where the next field starts.
    #[inline(always)]
    fn plain_number(&self, line: &[u8], start: usize) -> Option<(f64, Option<usize>)> {
        if self.decimal != b'.' {
            return None;
        }
        let (value, end) = number::prefix(line, self.delimiter.skip_blanks(line, start))?;
        Some((value, self.delimiter.next(line, end)?))
    }

    /// Reads any field; returns where the next one starts.
    fn read_field(
        &self,
        line: &[u8],
        start: usize,
        (kind, category): (Kind, &mut usize),
        rows: &mut Rows,
    ) -> Result<Option<usize>, TextError> {
        let field = field::read(line, start, self.delimiter)?;
        let text = &*field.text;
        match (kind, &mut rows.target) {
            (Kind::Number, _) => {
                let is_missing = number::is_missing_number(text) || self.is_given(text);
                let value =
                    if is_missing { f64::NAN } else { number::finite(text, self.decimal, field.start)? };
                if !rows.values.push(value) {
                    return Err(TextError::new(field.start, Expected::Range(rows.values.name()), text));
                }
            }
            (Kind::Category, _) => {
                let column = &mut rows.categories[*category];
                *category += 1;
                if number::is_missing(text) || self.is_given(text) {
                    column.push_missing();
                } else {
                    column.push(utf8(text, field.start)?);
                }
            }
            (Kind::Target, Target::Labels(labels)) => {
                let label = utf8(text, field.start)?;
                // A number that marks missing features may be a label.
                let is_missing = number::is_missing(text)
                    || (self.is_given(text) && !number::is_number(text, self.decimal));
                if is_missing && !self.classes.iter().any(|class| class == label) {
                    return Err(TextError::new(field.start, Expected::Target, text));
                }
                labels.push(label);
            }
            (Kind::Target, Target::Numbers(numbers)) => match number::finite(text, self.decimal, field.start)
            {
                Ok(value) => numbers.push(value),
                Err(_) if number::is_missing_number(text) || self.is_given(text) => {
                    return Err(TextError::new(field.start, Expected::Target, text));
                }
                Err(error) => return Err(error),
            },
            (Kind::Target, Target::None) | (Kind::Ignored, _) => {}
        }
        Ok(field.next)
    }

    fn is_given(&self, text: &[u8]) -> bool {
        self.missing.iter().any(|missing| missing.as_bytes() == text)
    }

    /// The error about a field, or about the number of fields if it is wrong.
    #[cold]
    fn wrong_field(&self, line: &[u8], at: usize, error: TextError) -> TextError {
        match field::read_all(line, self.delimiter) {
            Ok(fields) if fields.len() != self.kinds.len() => {
                self.wrong_count(line, fields.len().min(self.kinds.len()))
            }
            _ => error.in_field(at),
        }
    }

    /// The error about a line with another number of fields, or about a field after the last one.
    #[cold]
    fn wrong_count(&self, line: &[u8], read: usize) -> TextError {
        match field::read_all(line, self.delimiter) {
            Ok(fields) => {
                let offset = fields.get(read).map_or(line.len(), |field| field.start);
                let got = format!("{} fields", fields.len());
                TextError::new(offset, Expected::Fields(self.kinds.len()), got.as_bytes())
            }
            Err(error) => error,
        }
    }
}

fn utf8(text: &[u8], offset: usize) -> Result<&str, TextError> {
    std::str::from_utf8(text).map_err(|_| TextError::new(offset, Expected::Utf8, text))
}
