//! Tests of the readers: tables of texts with their rows or their error, and properties.

mod csv;
mod libsvm;
mod properties;

use crate::{
    Categories, Csv, Delimiter, Floats, Format, Kind, Libsvm, Reader, Rows, Target, Task, TextError,
};
use std::fmt::Write;

/// A CSV format: `kinds` as in Python, one letter for each field.
fn csv(kinds: &str) -> Csv {
    let kind = |letter| match letter {
        'n' => Kind::Number,
        'c' => Kind::Category,
        't' => Kind::Target,
        _ => Kind::Ignored,
    };
    Csv {
        kinds: kinds.chars().map(kind).collect(),
        delimiter: Delimiter::Byte(b','),
        decimal: b'.',
        missing: Vec::new(),
        classes: Vec::new(),
        header: false,
    }
}

/// The rows of a text in pieces, printed one per line, and then the error.
fn read<'a>(format: impl Into<Format>, task: Task, pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut reader = Reader::new(format, Rows::new(task, true));
    let mut found = String::new();
    let mut outcome: Result<(), TextError> = Ok(());
    for piece in pieces {
        outcome = reader.feed(piece);
        print(&mut found, &reader.take());
        if outcome.is_err() {
            break;
        }
    }
    outcome = outcome.and_then(|()| reader.finish());
    print(&mut found, &reader.take());
    if let Err(error) = outcome {
        let field = error.field.map_or(String::new(), |field| format!(" in field {field}"));
        writeln!(found, "{error}{field}").expect("a string");
    }
    found
}

fn print(found: &mut String, rows: &Rows) {
    let Floats::F32(values) = &rows.values else { panic!("single precision") };
    let n_rows = rows.lines.len();
    let is_sparse = rows.indptr.len() > 1;
    for (row, line) in rows.lines.iter().enumerate() {
        write!(found, "{line}:").expect("a string");
        if is_sparse {
            let range = rows.indptr[row] as usize..rows.indptr[row + 1] as usize;
            for at in range {
                write!(found, " {}:{}", rows.indices[at], values[at]).expect("a string");
            }
        } else {
            for value in &values[row * values.len() / n_rows..][..values.len() / n_rows] {
                write!(found, " {value}").expect("a string");
            }
        }
        for Categories { codes, names, .. } in &rows.categories {
            let text = usize::try_from(codes[row]).map_or("-", |code| &names[code]);
            write!(found, " [{text}]").expect("a string");
        }
        match &rows.target {
            Target::Labels(labels) => write!(found, " | {}", labels.names[labels.codes[row] as usize]),
            Target::Numbers(numbers) => write!(found, " | {}", numbers[row]),
            Target::None => Ok(()),
        }
        .expect("a string");
        found.push('\n');
    }
}

/// Compares each text with what is printed of it.
fn check<F: Into<Format>>(format: impl Fn() -> F, task: Task, cases: &[(&[u8], &str)]) {
    for (text, expected) in cases {
        let expected = if expected.is_empty() { String::new() } else { format!("{expected}\n") };
        assert_eq!(read(format(), task, [*text]), expected, "{}", text.escape_ascii());
    }
}

#[test]
fn an_error_is_kept_and_rows_before_it_can_be_taken() {
    let mut reader = Reader::new(Libsvm::default(), Rows::new(Task::Regression, false));
    let error = reader.feed(b"1 1:1\n2 x\n3 1:1\n").unwrap_err();
    assert_eq!((reader.feed(b"1 1:1\n"), reader.finish()), (Err(error.clone()), Err(error.clone())));
    assert_eq!(
        (error.line, error.column, error.field, error.expected.code(), &*error.got),
        (2, 3, None, "pair", "x")
    );
    let rows = reader.take();
    assert_eq!(
        (rows.lines, rows.values, rows.target),
        (vec![1], Floats::F64(vec![1.0]), Target::Numbers(vec![1.0]))
    );
    assert_eq!(reader.n_ready(), 0);
}
