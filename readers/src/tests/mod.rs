//! Tests of whole parsers: tables of cases, and properties of random bytes.

mod csv;
mod libsvm;
mod properties;

use super::{Csv, Libsvm};
use super::{
    DenseRows, Format, Label, MAX_LABELS, MAX_LINE, OptionError, ParsedTargets, Parser, SparseRows, Task,
};
use std::fmt::Write;

/// A parsed row: its target as text, and its values as pairs (column, value).
type Row = (String, Vec<(u32, f64)>);

/// The result of parsing a text: rows, number of columns, labels and error message.
#[derive(Debug, Clone, PartialEq)]
struct Outcome {
    rows: Vec<Row>,
    n_columns: usize,
    labels: Vec<Label>,
    error: Option<String>,
}

/// Conversion of sparse and dense batches to rows.
trait AsRows {
    fn as_rows(&self, labels: &[Label]) -> Vec<Row>;
}

fn target(targets: &ParsedTargets, i: usize, labels: &[Label]) -> String {
    match targets {
        ParsedTargets::Classes(classes) => labels[classes[i] as usize].to_string(),
        ParsedTargets::Values(values) => values[i].to_string(),
        ParsedTargets::None => String::new(),
    }
}

impl<T: Into<f64> + Copy> AsRows for SparseRows<T> {
    fn as_rows(&self, labels: &[Label]) -> Vec<Row> {
        assert_eq!((self.indptr[0], *self.indptr.last().unwrap()), (0, self.indices.len()));
        assert_eq!(self.indices.len(), self.values.len());
        let row = |i| {
            let (columns, values) = self.row(i);
            assert!(
                columns.is_sorted_by(|a, b| a < b) && columns.iter().all(|&j| (j as usize) < self.n_columns)
            );
            let pairs = columns.iter().zip(values).map(|(&j, &x)| (j, x.into())).collect();
            (target(&self.targets, i, labels), pairs)
        };
        (0..self.n_rows()).map(row).collect()
    }
}

impl<T: Into<f64> + Copy> AsRows for DenseRows<T> {
    fn as_rows(&self, labels: &[Label]) -> Vec<Row> {
        let row = |i| {
            let pairs = self.row(i).iter().zip(0..).map(|(&x, j)| (j, x.into())).collect();
            (target(&self.targets, i, labels), pairs)
        };
        (0..self.n_rows).map(row).collect()
    }
}

/// Feeds the pieces, and takes the rows after each piece.
fn read<'a, F: Format<Rows: AsRows>>(
    mut parser: Parser<F>,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Outcome {
    let mut rows = Vec::new();
    let mut error = None;
    let mut take = |parser: &mut Parser<F>| {
        let ready = parser.n_ready();
        let batch = parser.take().as_rows(parser.labels());
        assert_eq!((ready, parser.n_ready()), (batch.len(), 0));
        rows.extend(batch);
    };
    for piece in pieces {
        let outcome = parser.feed(piece);
        if let Some(first) = &error {
            assert_eq!(outcome.as_ref().err(), Some(first), "the error stays");
        }
        error = error.or(outcome.err());
        take(&mut parser);
    }
    let outcome = parser.finish();
    if let Some(first) = &error {
        assert_eq!(outcome.as_ref().err(), Some(first), "the error stays");
    }
    error = error.or(outcome.err());
    take(&mut parser);
    assert_eq!(parser.finish().err(), error, "the end stays the end");
    take(&mut parser);
    let labels = parser.labels().to_vec();
    Outcome { rows, n_columns: parser.n_columns(), labels, error: error.map(|error| error.to_string()) }
}

/// The rows as lines `1 | 0:0.5 2:1`, then the error if there is one.
fn printed(outcome: &Outcome) -> String {
    let mut out = String::new();
    for (target, pairs) in &outcome.rows {
        let pairs: Vec<String> = pairs.iter().map(|(j, x)| format!("{j}:{x}")).collect();
        writeln!(out, "{target} | {}", pairs.join(" ")).expect("writing to a string does not fail");
    }
    out + outcome.error.as_deref().unwrap_or_default()
}

fn libsvm(task: Task) -> Parser<Libsvm<f32>> {
    Parser::new("f", task, Libsvm::new())
}

fn csv(task: Task) -> Parser<Csv<f32>> {
    Parser::new("f", task, Csv::new())
}

/// Parses each text in one piece and byte by byte, and compares the result with the expected text.
fn check<F: Format<Rows: AsRows>>(parser: impl Fn() -> Parser<F>, cases: &[(&[u8], &str)]) {
    for &(text, expected) in cases {
        let whole = read(parser(), [text]);
        assert_eq!(printed(&whole), expected, "{}", text.escape_ascii());
        assert_eq!(read(parser(), text.chunks(1)), whole, "byte by byte: {}", text.escape_ascii());
    }
}

#[test]
fn too_long_lines_are_errors() {
    let message = "f:2:16777217: expected a line of at most 16777216 bytes, got more";
    let row = b"1 1:1\n";
    for (length, refused) in [(MAX_LINE, false), (MAX_LINE + 1, true)] {
        // A comment, and a row with an error before the line gets too long.
        for start in ["# ", "1 x "] {
            let mut text = row.to_vec();
            text.extend_from_slice(start.as_bytes());
            text.resize(row.len() + length, b' ');
            text.extend_from_slice(b"\n2 2:2\n");
            let expected = match (refused, start) {
                (true, _) => Some(message.to_owned()),
                (false, "1 x ") => Some("f:2:3: expected INDEX:VALUE, got `x`".to_owned()),
                (false, _) => None,
            };
            for piece in [text.len(), 1 << 20, text.len() - 8, text.len() - 7, text.len() - 6] {
                let outcome = read(libsvm(Task::Classification), text.chunks(piece));
                assert_eq!(outcome.error, expected, "{length} {start} {piece}");
                assert_eq!(outcome.rows.len(), if expected.is_some() { 1 } else { 2 });
            }
            text.truncate(row.len() + length);
            assert_eq!(read(libsvm(Task::Classification), [&text[..]]).error, expected, "without an end");
        }
    }
}

#[test]
fn labels_of_invalid_rows_are_dropped() {
    let outcome = read(libsvm(Task::Classification), [&b"a 1:1\nb 1:x\n"[..]]);
    assert_eq!(outcome.labels, [Label::Text("a".into())]);
    assert_eq!(outcome.n_columns, 1);
    let mut known = libsvm(Task::Classification).with_labels(&[Label::Int(1), Label::Int(2)]).unwrap();
    assert!(known.feed(b"1 1:1\n3 1:1\n").is_err());
    assert_eq!(known.labels(), [Label::Int(1), Label::Int(2)]);
}

#[test]
fn labels_after_the_first_bytes_are_an_error() {
    let known = [Label::Int(1)];
    let mut started = libsvm(Task::Classification);
    started.feed(b"1").unwrap();
    let message = started.with_labels(&known).unwrap_err().to_string();
    assert_eq!(message, "the labels must be given before the first bytes");
    let message = csv(Task::Regression).with_labels(&known).unwrap_err().to_string();
    assert_eq!(message, "labels must be left out unless the task is classification, got labels");
}

#[test]
fn regression_has_no_labels() {
    let rows = MAX_LABELS + 1;
    let lines: Vec<String> = (0..rows).map(|i| format!("{i}.25 1:1\n")).collect();
    let text = lines.concat();
    let mut numbers = libsvm(Task::Regression);
    numbers.feed(text.as_bytes()).unwrap();
    assert!(numbers.labels().is_empty());
    let expected = (0..rows).map(|i| i as f64 + 0.25).collect();
    assert_eq!(numbers.take().targets, ParsedTargets::Values(expected));
    let refused = libsvm(Task::Classification).feed(text.as_bytes()).unwrap_err();
    assert_eq!((refused.line, refused.column), (rows as u64, 1));
}
