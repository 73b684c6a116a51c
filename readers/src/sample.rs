//! [`sample`]: the first lines of a CSV file, by which the kinds of its columns are chosen.

use crate::field::{self, Delimiter};
use crate::number;
use std::collections::HashMap;

/// What a field of the first line looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// A number.
    Number,
    /// A missing value in a column of numbers.
    Missing,
    /// Other text.
    Text,
}

/// The values of a column in the sample that are not missing in a column of numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values {
    /// How many values are numbers.
    pub numbers: u64,
    /// The other values: how often each occurs, and the line of its first occurrence.
    pub texts: HashMap<String, (u64, u64)>,
}

/// The first lines of a CSV file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sample {
    /// The fields of the first line that is not blank.
    pub first: Vec<(String, FieldKind)>,
    /// The values of each column in the following lines.
    pub columns: Vec<Values>,
}

/// Reads the first lines of a text: the first line, and then about `rows` lines, or more until each column has a value.
/// The sample ends before a line that is not valid, which the reader of the rows reports.
#[must_use]
pub fn sample(text: &[u8], delimiter: Delimiter, decimal: u8, missing: &[String], rows: usize) -> Sample {
    let mut sample = Sample::default();
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut read = 0;
    for (line, number) in text.split(|&byte| byte == b'\n').zip(1..) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Ok(fields) = field::read_all(line, delimiter) else { break };
        let is_missing = |text: &[u8]| {
            number::is_missing_number(text) || missing.iter().any(|given| given.as_bytes() == text)
        };
        if sample.first.is_empty() {
            let kind = |text: &[u8]| match () {
                () if is_missing(text) => FieldKind::Missing,
                () if number::is_number(text, decimal) => FieldKind::Number,
                () => FieldKind::Text,
            };
            let first = fields.iter().map(|field| (lossy(&field.text), kind(&field.text)));
            sample.first = first.collect();
            sample.columns = vec![Values::default(); fields.len()];
            continue;
        }
        if fields.len() != sample.first.len() {
            break;
        }
        for (field, column) in fields.iter().zip(&mut sample.columns) {
            if is_missing(&field.text) {
            } else if number::is_number(&field.text, decimal) {
                column.numbers += 1;
            } else {
                column.texts.entry(lossy(&field.text)).or_insert((0, number)).0 += 1;
            }
        }
        read += 1;
        if read >= rows && sample.columns.iter().all(|column| column.numbers > 0 || !column.texts.is_empty())
        {
            break;
        }
    }
    sample
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}
