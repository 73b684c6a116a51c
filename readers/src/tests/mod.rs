//! Tests of the parsers as a whole: case tables, and properties over random bytes.

mod csv;
mod libsvm;
mod properties;

use super::{Csv, Libsvm};
use super::{
    DenseRows, Format, LabelKind, LabelName, MAX_LABELS, MAX_LINE, OptionError, ParsedTargets, Parser,
    SparseRows,
};
use std::fmt::Write;

/// A row in plain sight: its target as text and its values as (column, value).
type Row = (String, Vec<(u32, f64)>);

/// What came of some data: rows, width, labels and the message of the error.
#[derive(Debug, Clone, PartialEq)]
struct Outcome {
    rows: Vec<Row>,
    n_columns: usize,
    labels: Vec<LabelName>,
    error: Option<String>,
}

/// Batches of either kind as rows in plain sight.
trait Plain {
    fn plain(&self, labels: &[LabelName]) -> Vec<Row>;
}

fn target(targets: &ParsedTargets, i: usize, labels: &[LabelName]) -> String {
    match targets {
        ParsedTargets::Classes(classes) => labels[classes[i] as usize].to_string(),
        ParsedTargets::Values(values) => values[i].to_string(),
        ParsedTargets::None => String::new(),
    }
}

impl<T: Into<f64> + Copy> Plain for SparseRows<T> {
    fn plain(&self, labels: &[LabelName]) -> Vec<Row> {
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

impl<T: Into<f64> + Copy> Plain for DenseRows<T> {
    fn plain(&self, labels: &[LabelName]) -> Vec<Row> {
        let row = |i| {
            let pairs = self.row(i).iter().zip(0..).map(|(&x, j)| (j, x.into())).collect();
            (target(&self.targets, i, labels), pairs)
        };
        (0..self.n_rows).map(row).collect()
    }
}

/// Feeds the pieces and takes whatever is ready after each.
fn read<'a, F: Format<Rows: Plain>>(
    mut parser: Parser<F>,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Outcome {
    let mut rows = Vec::new();
    let mut error = None;
    let mut take = |parser: &mut Parser<F>| {
        let ready = parser.ready();
        let batch = parser.take().plain(parser.labels());
        assert_eq!((ready, parser.ready()), (batch.len(), 0));
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

/// `1 | 0:0.5 2:1` for each row, then the error if there is one.
fn shown(outcome: &Outcome) -> String {
    let mut out = String::new();
    for (target, pairs) in &outcome.rows {
        let pairs: Vec<String> = pairs.iter().map(|(j, x)| format!("{j}:{x}")).collect();
        writeln!(out, "{target} | {}", pairs.join(" ")).expect("writing to a string does not fail");
    }
    out + outcome.error.as_deref().unwrap_or_default()
}

fn libsvm(task: LabelKind) -> Parser<Libsvm<f32>> {
    Parser::new("f", task, Libsvm::new())
}

fn csv(task: LabelKind) -> Parser<Csv<f32>> {
    Parser::new("f", task, Csv::new())
}

/// Every case is read in one piece and byte by byte.
fn check<F: Format<Rows: Plain>>(parser: impl Fn() -> Parser<F>, cases: &[(&[u8], &str)]) {
    for &(text, expected) in cases {
        let whole = read(parser(), [text]);
        assert_eq!(shown(&whole), expected, "{}", text.escape_ascii());
        assert_eq!(read(parser(), text.chunks(1)), whole, "byte by byte: {}", text.escape_ascii());
    }
}

#[test]
fn a_line_has_a_longest_length() {
    let message = "f:2:16777217: expected a line of at most 16777216 bytes, got more";
    let row = b"1 1:1\n";
    for (length, refused) in [(MAX_LINE, false), (MAX_LINE + 1, true)] {
        // A comment, and a row with a fault that stands before the line gets too long.
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
                let outcome = read(libsvm(LabelKind::Classification), text.chunks(piece));
                assert_eq!(outcome.error, expected, "{length} {start} {piece}");
                assert_eq!(outcome.rows.len(), if expected.is_some() { 1 } else { 2 });
            }
            text.truncate(row.len() + length);
            assert_eq!(
                read(libsvm(LabelKind::Classification), [&text[..]]).error,
                expected,
                "without an end"
            );
        }
    }
}

#[test]
fn a_refused_row_leaves_no_label() {
    let outcome = read(libsvm(LabelKind::Classification), [&b"a 1:1\nb 1:x\n"[..]]);
    assert_eq!(outcome.labels, [LabelName::Text("a".into())]);
    assert_eq!(outcome.n_columns, 1);
    let mut known =
        libsvm(LabelKind::Classification).with_labels(&[LabelName::Int(1), LabelName::Int(2)]).unwrap();
    assert!(known.feed(b"1 1:1\n3 1:1\n").is_err());
    assert_eq!(known.labels(), [LabelName::Int(1), LabelName::Int(2)]);
}

#[test]
fn labels_can_be_given_only_before_the_first_bytes() {
    let known = [LabelName::Int(1)];
    let mut started = libsvm(LabelKind::Classification);
    started.feed(b"1").unwrap();
    let message = started.with_labels(&known).unwrap_err().to_string();
    assert_eq!(message, "the labels must be given before the first bytes");
    let message = csv(LabelKind::Regression).with_labels(&known).unwrap_err().to_string();
    assert_eq!(message, "labels must be left out unless the task is classification, got labels");
}

#[test]
fn targets_are_no_labels() {
    let rows = MAX_LABELS + 1;
    let lines: Vec<String> = (0..rows).map(|i| format!("{i}.25 1:1\n")).collect();
    let text = lines.concat();
    let mut numbers = libsvm(LabelKind::Regression);
    numbers.feed(text.as_bytes()).unwrap();
    assert!(numbers.labels().is_empty());
    let expected = (0..rows).map(|i| i as f64 + 0.25).collect();
    assert_eq!(numbers.take().targets, ParsedTargets::Values(expected));
    let refused = libsvm(LabelKind::Classification).feed(text.as_bytes()).unwrap_err();
    assert_eq!((refused.line, refused.column), (rows as u64, 1));
}
