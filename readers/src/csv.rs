//! CSV: one row of numbers and a label per line.

mod header;
mod plain;

use super::fault::{Fault, Verdict, shown};
use super::fields::{self, Field};
use super::rows::{DenseRows, fresh};
use super::targets::{LabelKind, ParsedTargets, TargetReader};
use super::{Format, MAX_LINE, MAX_UNSTATED, number};
use crate::error::OptionError;
use crate::float::Float;
use header::looks_like_header;

/// CSV, read into dense rows of type `T`.
///
/// - Every line has the same number of fields. Fields may be quoted (RFC 4180: `""` is a quote), but a line break
///   within quotes is refused. Blanks around a field do not count, those within quotes do.
/// - An empty field, `?`, `NA` or `nan` is a missing value: NaN where that is asked for, else refused, as is other text
///   where a number should be. There are no comments.
/// - The label stands in the last field unless another is named. If the task is unlabelled all fields are features,
///   unless a label column is named, which is then passed over.
/// - Whether the first line is a header can be stated. If it is not, it is one when it has text and no numbers outside
///   the label column; text and numbers together are refused, so that a damaged first row is not lost. Names that are
///   numbers are only taken for a header when that is stated.
#[derive(Debug, Clone)]
pub struct Csv<T> {
    delimiter: u8,
    header: Option<bool>,
    label_column: Option<i64>,
    n_features: Option<usize>,
    max_features: usize,
    missing: bool,
    /// Known from the first line on.
    layout: Option<Layout>,
    names: Option<Vec<String>>,
    values: Vec<T>,
    rows: usize,
}

/// What every line looks like.
#[derive(Debug, Clone, Copy)]
struct Layout {
    fields: usize,
    /// The field that is not a feature.
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
    /// Commas, the label last, a header if the first line looks like one.
    #[must_use]
    pub fn new() -> Self {
        Self {
            delimiter: b',',
            header: None,
            label_column: None,
            n_features: None,
            max_features: MAX_UNSTATED,
            missing: false,
            layout: None,
            names: None,
            values: Vec::new(),
            rows: 0,
        }
    }

    /// Sets the byte between fields.
    ///
    /// # Errors
    /// When it can be part of a number, a quote or a line end.
    pub fn with_delimiter(mut self, delimiter: u8) -> Result<Self, OptionError> {
        if delimiter.is_ascii_alphanumeric() || b"+-.\"\r\n".contains(&delimiter) {
            let expected = "a byte that is no letter, digit, sign, point, quote or line end";
            return Err(OptionError::invalid("delimiter", expected, shown(&[delimiter])));
        }
        self.delimiter = delimiter;
        Ok(self)
    }

    /// States whether the first line that is not blank holds the names of the columns.
    #[must_use]
    pub fn with_header(mut self, header: bool) -> Self {
        self.header = Some(header);
        self
    }

    /// Names the field of the label: 0 is the first, -1 the last.
    #[must_use]
    pub fn with_label_column(mut self, position: i64) -> Self {
        self.label_column = Some(position);
        self
    }

    /// States the number of features, the label not counted.
    ///
    /// # Errors
    /// When it is 0.
    pub fn with_n_features(mut self, n_features: usize) -> Result<Self, OptionError> {
        if n_features == 0 {
            return Err(OptionError::invalid("n_features", "at least 1", n_features));
        }
        self.n_features = Some(n_features);
        Ok(self)
    }

    /// Limits the number of features where it is not stated; else it is [`MAX_UNSTATED`].
    ///
    /// # Errors
    /// When it is 0.
    pub fn with_max_features(mut self, max_features: usize) -> Result<Self, OptionError> {
        if max_features == 0 {
            return Err(OptionError::invalid("max_features", "at least 1", max_features));
        }
        self.max_features = max_features;
        Ok(self)
    }

    /// States whether features may be missing: they are NaN then.
    #[must_use]
    pub fn with_missing(mut self, missing: bool) -> Self {
        self.missing = missing;
        self
    }

    /// The names of the features, if the file has a header and it was read.
    #[must_use]
    pub fn feature_names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// Learns the layout from the first line; whether that is a header.
    fn first_line(&mut self, line: &[u8], task: LabelKind) -> Verdict<(Layout, bool)> {
        let fields = fields::all(line, self.delimiter)?;
        let layout = self.layout(fields.len(), task)?;
        let features =
            || fields.iter().enumerate().filter(|&(i, _)| Some(i) != layout.label).map(|(_, f)| *f);
        let is_header = match self.header {
            Some(stated) => stated,
            None => looks_like_header(line, self.missing, features)?,
        };
        if is_header {
            let name = |field: Field| String::from_utf8_lossy(&field.text(line)).into_owned();
            self.names = Some(features().map(name).collect());
        }
        Ok((layout, is_header))
    }

    fn layout(&self, fields: usize, task: LabelKind) -> Verdict<Layout> {
        let refuse = |expected: String| Err(Fault::new(0, expected, count(fields)));
        let column = match task {
            LabelKind::Unlabelled => self.label_column,
            _ => Some(self.label_column.unwrap_or(-1)),
        };
        let label = match column {
            None => None,
            Some(_) if fields < 2 => {
                return refuse(format!(
                    "a label and at least one feature, delimited by {}",
                    shown(&[self.delimiter])
                ));
            }
            Some(position) => {
                let index = if position < 0 { position + fields as i64 } else { position };
                match usize::try_from(index) {
                    Ok(index) if index < fields => Some(index),
                    _ => return refuse(format!("enough fields for the label column {position}")),
                }
            }
        };
        let layout = Layout { fields, label };
        match self.n_features {
            Some(stated) if stated != layout.features() => {
                let and_label = if label.is_some() { " and a label" } else { "" };
                let expected = format!("{stated} features{and_label}");
                refuse(expected)
            }
            None if layout.features() > self.max_features => {
                refuse(format!("at most {} features (max_features)", self.max_features))
            }
            _ => Ok(layout),
        }
    }

    fn row(&mut self, line: &[u8], layout: Layout, targets: &mut TargetReader) -> Verdict<()> {
        let mut start = Some(0);
        let mut index = 0;
        while let Some(pos) = start {
            if index == layout.fields {
                let more = fields::all(&line[pos..], self.delimiter).map_err(|fault| fault.moved(pos))?;
                return Err(Fault::new(pos, count(layout.fields), count(index + more.len())));
            }
            start = if Some(index) == layout.label {
                self.label(line, pos, index, targets)?
            } else {
                let (value, next) = self.number(line, pos, index)?;
                self.values.push(value);
                next
            };
            index += 1;
        }
        if index < layout.fields {
            return Err(Fault::new(line.len(), count(layout.fields), count(index)));
        }
        Ok(())
    }

    fn label(
        &self,
        line: &[u8],
        pos: usize,
        index: usize,
        targets: &mut TargetReader,
    ) -> Verdict<Option<usize>> {
        let field = fields::split(line, pos, self.delimiter)?;
        if targets.task() != LabelKind::Unlabelled {
            if field.is_empty() {
                return Err(missing("a label", field, index));
            }
            targets.read::<T>(&field.text(line)).map_err(|fault| fault.moved(field.start))?;
        }
        Ok(field.next)
    }

    #[inline]
    fn number(&self, line: &[u8], pos: usize, index: usize) -> Verdict<(T, Option<usize>)> {
        // Nearly every field is a bare number: reading it finds its end as well.
        if let Some((value, end)) = number::prefix(line, fields::skip_blanks(line, pos, self.delimiter)) {
            let stop = fields::skip_blanks(line, end, self.delimiter);
            if line.get(stop).is_none_or(|&byte| byte == self.delimiter)
                && let Some(value) = number::fit(value)
            {
                return Ok((value, fields::behind(line, stop)));
            }
        }
        self.other_number(line, pos, index)
    }

    /// The number in quotes, one that is missing, or the reason why the field is none.
    #[cold]
    fn other_number(&self, line: &[u8], pos: usize, index: usize) -> Verdict<(T, Option<usize>)> {
        let field = fields::split(line, pos, self.delimiter)?;
        if self.missing && number::is_missing_word(field.raw(line)) {
            return Ok((T::from_f64(f64::NAN), field.next));
        }
        if field.is_empty() {
            return Err(missing("a number", field, index));
        }
        let content = field.raw(line);
        if let Some(value) = number::whole(content).and_then(number::fit) {
            return Ok((value, field.next));
        }
        let what = format!("a number in field {}", index + 1);
        Err(number::fault::<T>(content, &what).moved(field.start))
    }
}

impl<T: Float> Format for Csv<T> {
    type Rows = DenseRows<T>;

    fn line(&mut self, line: &[u8], targets: &mut TargetReader) -> Verdict<bool> {
        if fields::skip_blanks(line, 0, self.delimiter) == line.len() {
            return Ok(false);
        }
        let layout = if let Some(layout) = self.layout {
            layout
        } else {
            let (layout, is_header) = self.first_line(line, targets.task())?;
            self.layout = Some(layout);
            if is_header {
                return Ok(false);
            }
            layout
        };
        let begin = self.values.len();
        match self.row(line, layout, targets) {
            Ok(()) => {
                self.rows += 1;
                Ok(true)
            }
            Err(fault) => {
                self.values.truncate(begin);
                Err(fault)
            }
        }
    }

    fn plain_lines(&mut self, bytes: &[u8], targets: &mut TargetReader) -> (usize, usize) {
        let Some(layout) = self.layout else { return (0, 0) };
        let (mut read, before) = (0, self.rows);
        let mut begin = self.values.len();
        while let Some(next) = self.plain_line(bytes, read, layout, targets)
            && next - read <= MAX_LINE
        {
            read = next;
            self.rows += 1;
            targets.keep();
            begin = self.values.len();
        }
        self.values.truncate(begin);
        targets.rewind(self.rows);
        (read, self.rows - before)
    }

    fn take(&mut self, targets: ParsedTargets) -> DenseRows<T> {
        let next = fresh(&self.values);
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

fn missing(what: &str, field: Field, index: usize) -> Fault {
    let expected = format!("{what} in field {}", index + 1);
    Fault::new(field.start, expected, "an empty field (a missing value)")
}

fn count(fields: usize) -> String {
    if fields == 1 { "1 field".to_owned() } else { format!("{fields} fields") }
}
