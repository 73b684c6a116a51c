//! CSV: rows of numbers with a label, one per line.

mod fast_path;
mod header;
mod options;

use crate::fields::{self, Field};
use crate::float::Float;
use crate::format::{Format, MAX_LINE};
use crate::parse_error::{ParseError, ParseResult, quote};
use crate::rows::{DenseRows, with_capacity_of};
use crate::targets::{ParsedTargets, TargetReader, Task};
use crate::{missing, number};
use header::looks_like_header;
use std::borrow::Cow;

/// The CSV format, parsed into [`DenseRows`] of type `T`.
///
/// - All lines have the same number of fields. Fields may be quoted (RFC 4180: `""` is a quote). A line break within
///   quotes is an error. Blanks around a field are ignored, except within quotes.
/// - Features are numbers. Missing values are an empty field, `?`, `-`, `.`, `\N`, the texts of `pandas.read_csv` such
///   as `NA`, `nan`, `null` and `None` in any case, and [`with_missing_words`](Self::with_missing_words). They are NaN
///   after [`with_missing`](Self::with_missing), otherwise an error. There are no comments.
/// - The decimal sign is a point, unless [`with_decimal`](Self::with_decimal) specifies a comma.
/// - The label is the last field, unless [`with_label_column`](Self::with_label_column) specifies another. If the task
///   is unlabelled, all fields are features, except a specified label column, which is skipped.
/// - [`with_header`](Self::with_header) says whether the first line is a header. By default it is a header if its
///   features are text. Text and numbers together are an error, so that a damaged first row is not taken for a header.
#[derive(Debug, Clone)]
pub struct Csv<T> {
    delimiter: u8,
    header: Option<bool>,
    label_column: Option<i64>,
    n_features: Option<usize>,
    max_features: usize,
    missing: bool,
    missing_words: Vec<String>,
    decimal: u8,
    /// Determined by the first line.
    layout: Option<Layout>,
    names: Option<Vec<String>>,
    values: Vec<T>,
    rows: usize,
}

/// The fields of every line.
#[derive(Debug, Clone, Copy)]
struct Layout {
    fields: usize,
    /// Index of the field that is not a feature.
    label: Option<usize>,
}

impl Layout {
    fn features(self) -> usize {
        self.fields - usize::from(self.label.is_some())
    }
}

impl<T: Float> Default for Csv<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Float> Csv<T> {
    /// The names of the features, once a header has been parsed.
    #[must_use]
    pub fn feature_names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// Determines the layout from the first line, and whether this line is a header.
    fn parse_first_line(&mut self, line: &[u8], task: Task) -> ParseResult<(Layout, bool)> {
        let fields = fields::parse_all(line, self.delimiter)?;
        let layout = self.layout(fields.len(), task)?;
        let features =
            || fields.iter().enumerate().filter(|&(i, _)| Some(i) != layout.label).map(|(_, f)| *f);
        let is_header = match self.header {
            Some(specified) => specified,
            None => looks_like_header(
                line,
                |text| self.is_missing(text),
                |text| self.parse_text(text).is_some() || number::is_not_finite_word(text),
                features,
            )?,
        };
        if is_header {
            let name = |field: Field| String::from_utf8_lossy(&field.text(line)).into_owned();
            self.names = Some(features().map(name).collect());
        }
        Ok((layout, is_header))
    }

    fn layout(&self, fields: usize, task: Task) -> ParseResult<Layout> {
        let error = |expected: String| Err(ParseError::new(0, expected, field_count(fields)));
        let column = match task {
            Task::Unlabelled => self.label_column,
            _ => Some(self.label_column.unwrap_or(-1)),
        };
        let label = match column {
            None => None,
            Some(_) if fields < 2 => {
                return error(format!(
                    "a label and at least one feature, delimited by {}",
                    quote(&[self.delimiter])
                ));
            }
            Some(position) => {
                let index = if position < 0 { position + fields as i64 } else { position };
                match usize::try_from(index) {
                    Ok(index) if index < fields => Some(index),
                    _ => return error(format!("enough fields for the label column {position}")),
                }
            }
        };
        let layout = Layout { fields, label };
        match self.n_features {
            Some(n_features) if n_features != layout.features() => {
                let and_label = if label.is_some() { " and a label" } else { "" };
                error(format!("{n_features} features{and_label}"))
            }
            None if layout.features() > self.max_features => {
                error(format!("at most {} features (max_features)", self.max_features))
            }
            _ => Ok(layout),
        }
    }

    fn parse_row(&mut self, line: &[u8], layout: Layout, targets: &mut TargetReader) -> ParseResult<()> {
        let mut start = Some(0);
        let mut index = 0;
        while let Some(pos) = start {
            if index == layout.fields {
                let more =
                    fields::parse_all(&line[pos..], self.delimiter).map_err(|error| error.shifted(pos))?;
                return Err(ParseError::new(
                    pos,
                    field_count(layout.fields),
                    field_count(index + more.len()),
                ));
            }
            start = if Some(index) == layout.label {
                self.parse_label(line, pos, index, targets)?
            } else {
                let (value, next) = self.parse_number(line, pos, index)?;
                self.values.push(value);
                next
            };
            index += 1;
        }
        if index < layout.fields {
            return Err(ParseError::new(line.len(), field_count(layout.fields), field_count(index)));
        }
        Ok(())
    }

    fn parse_label(
        &self,
        line: &[u8],
        pos: usize,
        index: usize,
        targets: &mut TargetReader,
    ) -> ParseResult<Option<usize>> {
        let field = fields::parse(line, pos, self.delimiter)?;
        if targets.task() != Task::Unlabelled {
            let (content, is_number) = (field.raw(line), targets.task() == Task::Regression);
            // Other texts of a missing value may be classes.
            let is_missing = field.is_empty()
                || (is_number || number::is_not_finite_word(content)) && self.is_missing(content);
            if is_missing {
                let what = if is_number { "a target" } else { "a label" };
                return Err(missing_field(what, field, content, index));
            }
            let text = field.text(line);
            let text = if self.decimal == b'.' { text } else { self.label_text(text) };
            if self.decimal != b'.' && targets.task() == Task::Regression && field.raw(line).contains(&b'.') {
                return Err(self.decimal_error("a number as the target", line, field));
            }
            targets.read::<T>(&text).map_err(|error| error.shifted(field.start))?;
        }
        Ok(field.next)
    }

    /// The text of a label with a decimal point, if the label is a number.
    fn label_text<'a>(&self, text: Cow<'a, [u8]>) -> Cow<'a, [u8]> {
        if self.parse_text(&text).is_none() {
            return text;
        }
        text.iter().map(|&byte| if byte == self.decimal { b'.' } else { byte }).collect::<Vec<_>>().into()
    }

    fn decimal_error(&self, what: &str, line: &[u8], field: Field) -> ParseError {
        let expected = format!("{what} with the decimal sign {}", quote(&[self.decimal]));
        ParseError::new(field.start, expected, quote(field.raw(line)))
    }

    /// Parses a text that consists of a number and nothing else.
    fn parse_text(&self, text: &[u8]) -> Option<f64> {
        if self.decimal == b'.' {
            return number::parse(text);
        }
        let pointed = text.iter().map(|&byte| match byte {
            b'.' => b'?',
            byte if byte == self.decimal => b'.',
            byte => byte,
        });
        number::parse(&pointed.collect::<Vec<_>>())
    }

    fn is_missing(&self, text: &[u8]) -> bool {
        missing::is_csv_text(text) || self.missing_words.iter().any(|word| word.as_bytes() == text)
    }

    #[inline]
    fn parse_number(&self, line: &[u8], pos: usize, index: usize) -> ParseResult<(T, Option<usize>)> {
        // Most fields are plain numbers: parsing the number finds the end of the field too.
        if self.decimal == b'.'
            && let Some((value, end)) =
                number::parse_prefix(line, fields::skip_blanks(line, pos, self.delimiter))
        {
            let stop = fields::skip_blanks(line, end, self.delimiter);
            if line.get(stop).is_none_or(|&byte| byte == self.delimiter)
                && let Some(value) = number::finite_as(value)
            {
                return Ok((value, fields::next_start(line, stop)));
            }
        }
        self.parse_unusual_number(line, pos, index)
    }

    /// Parses a quoted number or a missing value, or returns the error for other text.
    #[cold]
    fn parse_unusual_number(&self, line: &[u8], pos: usize, index: usize) -> ParseResult<(T, Option<usize>)> {
        let field = fields::parse(line, pos, self.delimiter)?;
        let content = field.raw(line);
        if self.is_missing(content) {
            if self.missing {
                return Ok((T::from_f64(f64::NAN), field.next));
            }
            return Err(missing_field("a number", field, content, index));
        }
        if let Some(value) = self.parse_text(content).and_then(number::finite_as) {
            return Ok((value, field.next));
        }
        let what = format!("a number in field {}", index + 1);
        if self.decimal != b'.' && content.contains(&b'.') {
            return Err(self.decimal_error(&what, line, field));
        }
        Err(number::parse_error::<T>(content, &what).shifted(field.start))
    }
}

impl<T: Float> Format for Csv<T> {
    type Rows = DenseRows<T>;

    fn parse_line(&mut self, line: &[u8], targets: &mut TargetReader) -> ParseResult<bool> {
        if fields::skip_blanks(line, 0, self.delimiter) == line.len() {
            return Ok(false);
        }
        let layout = if let Some(layout) = self.layout {
            layout
        } else {
            let (layout, is_header) = self.parse_first_line(line, targets.task())?;
            self.layout = Some(layout);
            if is_header {
                return Ok(false);
            }
            layout
        };
        let begin = self.values.len();
        match self.parse_row(line, layout, targets) {
            Ok(()) => {
                self.rows += 1;
                Ok(true)
            }
            Err(error) => {
                self.values.truncate(begin);
                Err(error)
            }
        }
    }

    fn fast_path(&mut self, bytes: &[u8], targets: &mut TargetReader) -> (usize, usize) {
        // It takes every number as a number.
        let is_number = |word: &String| number::parse(word.as_bytes()).is_some();
        let is_plain = self.decimal == b'.' && !self.missing_words.iter().any(is_number);
        let Some(layout) = self.layout.filter(|_| is_plain) else { return (0, 0) };
        let (mut read, before) = (0, self.rows);
        let mut begin = self.values.len();
        while let Some(next) = self.fast_line(bytes, read, layout, targets)
            && next - read <= MAX_LINE
        {
            read = next;
            self.rows += 1;
            targets.commit();
            begin = self.values.len();
        }
        self.values.truncate(begin);
        targets.rollback(self.rows);
        (read, self.rows - before)
    }

    fn take(&mut self, targets: ParsedTargets) -> DenseRows<T> {
        let next = with_capacity_of(&self.values);
        DenseRows {
            values: std::mem::replace(&mut self.values, next),
            n_rows: std::mem::take(&mut self.rows),
            n_columns: self.n_columns(),
            targets,
        }
    }

    fn n_columns(&self) -> usize {
        self.layout.map(Layout::features).or(self.n_features).unwrap_or(0)
    }
}

fn missing_field(what: &str, field: Field, content: &[u8], index: usize) -> ParseError {
    let got = if field.is_empty() { "an empty field".to_owned() } else { quote(content) };
    ParseError::new(field.start, format!("{what} in field {}", index + 1), format!("{got} (a missing value)"))
}

fn field_count(fields: usize) -> String {
    if fields == 1 { "1 field".to_owned() } else { format!("{fields} fields") }
}
