//! Properties: cuts between pieces do not matter, slow parsers agree, and written matrices are parsed unchanged.

use super::{AsRows, Csv, Format, Libsvm, Outcome, Parser, Row, Task, csv, libsvm, read};
use crate::testing::fixed_cases;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Bytes that resemble LIBSVM or CSV.
fn near_text() -> impl Strategy<Value = Vec<u8>> {
    let likely = prop::sample::select(vec![
        "1", "2", "-1", "+1", "1.5", "0", "1 1:1", "1:2", "2:0.5", "3:1 2:1", ":", " ", "\t", ",", "\n",
        "\n", "\n", "\r\n", "1,2\n", "1,2,3\n", "4,5\n", "a,b\n",
    ]);
    let rare = prop::sample::select(vec![
        "#",
        "# x",
        "\r",
        "\"",
        "\"\"",
        "\"a\"",
        "a",
        "né",
        "nan",
        "inf",
        "1e999",
        "1e39",
        "1e-60",
        "qid:1",
        "0:1",
        ".",
        "e3",
        "-",
        "99999999:1",
        "16777216:1",
        "123456789012345678901",
        "\u{feff}",
        "\0",
        ";",
    ]);
    let fragment = prop_oneof![
        12 => likely.prop_map(|text: &str| text.as_bytes().to_vec()),
        3 => rare.prop_map(|text: &str| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..3),
    ];
    let anything = prop::collection::vec(fragment, 0..40).prop_map(|fragments| fragments.concat());
    prop_oneof![anything, near_lines()]
}

/// Mostly valid lines of both formats, so that some errors follow many valid rows.
fn near_lines() -> impl Strategy<Value = Vec<u8>> {
    let value = prop::sample::select(vec![
        "0",
        "1",
        "-2.5",
        "+3e-1",
        ".5",
        " 7 ",
        "1e-60",
        "123456789.123456789",
        "-0.31941400183476239",
        "12345678901234567890.5E-3",
    ]);
    let label = prop::sample::select(vec!["1", "+1.0", "-1", "2", "0.5", "12345678901234567890", "1e20"]);
    let end = prop::sample::select(vec!["\n", "\r\n", " \n", "\n\n"]);
    let pair = (prop_oneof![20 => 1..40u32, 1 => Just(0)], value.clone());
    let sparse =
        (label.clone(), prop::collection::vec(pair, 0..4), end.clone()).prop_map(|(label, pairs, end)| {
            let pairs: Vec<String> = pairs.iter().map(|(j, x)| format!("{j}:{}", x.trim())).collect();
            format!("{label} {}{end}", pairs.join(" "))
        });
    let dense =
        (value.clone(), value, label, end).prop_map(|(x, y, label, end)| format!("{x},{y},{label}{end}"));
    let text = prop::sample::select(vec![
        "1 1:1 x\n",
        "# x\n",
        "x,y,class\n",
        "1,2,a\n",
        "a 1:1\n",
        ",,\n",
        "1,,3\n",
        "1",
    ]);
    let sparse = prop_oneof![20 => sparse, 1 => text.clone().prop_map(str::to_owned)];
    let dense = prop_oneof![20 => dense, 1 => text.prop_map(str::to_owned)];
    let lines = prop_oneof![prop::collection::vec(sparse, 0..12), prop::collection::vec(dense, 0..12)];
    lines.prop_map(|lines| lines.concat().into_bytes())
}

/// The text in pieces. A cut beyond the end makes an empty piece.
fn pieces<'a>(text: &'a [u8], cuts: &BTreeSet<usize>) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for &cut in cuts {
        let cut = cut.min(text.len());
        pieces.push(&text[from..cut]);
        from = cut;
    }
    pieces.push(&text[from..]);
    pieces
}

fn tasks() -> impl Strategy<Value = Task> {
    prop::sample::select(vec![Task::Classification, Task::Regression, Task::Unlabelled])
}

fn cut_does_not_matter<F: Format<Rows: AsRows>>(
    parser: impl Fn() -> Parser<F>,
    text: &[u8],
    cuts: &BTreeSet<usize>,
) {
    let whole = read(parser(), [text]);
    assert_eq!(read(parser(), pieces(text, cuts)), whole);
    assert_eq!(read(parser(), text.chunks(1)), whole);
}

/// The lines of a text without their line ends, numbered from 1.
fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = text.strip_suffix('\n').unwrap_or(text);
    (1..).zip(text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)))
}

fn finite(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|value| (*value as f32).is_finite())
}

/// The label by the documented rules, parsed by the standard library.
fn label(task: Task, text: &str) -> Option<String> {
    match task {
        Task::Unlabelled => Some(String::new()),
        Task::Regression => Some(finite(text)?.to_string()),
        Task::Classification => {
            let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
            if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Some(text.parse::<i64>().map_or(text.to_owned(), |value| value.to_string()));
            }
            match text.parse::<f64>() {
                Ok(value) if !value.is_finite() => None,
                Ok(value) if value.fract() == 0.0 && value.abs() < 9e18 => Some((value as i64).to_string()),
                Ok(value) => Some(format!("{value:?}")),
                Err(_) => (!text.is_empty() && !text.contains(char::is_control)).then(|| text.to_owned()),
            }
        }
    }
}

/// A slow parser of one LIBSVM line: `Err` if the line is invalid, `Ok(None)` if it has no row.
fn slow_libsvm(line: &str, task: Task) -> Result<Option<Row>, ()> {
    let row = line.split('#').next().unwrap_or_default();
    let comment = row.len() < line.len();
    let tokens: Vec<&str> = row.split([' ', '\t']).filter(|token| !token.is_empty()).collect();
    let Some(&first) = tokens.first() else { return Ok(None) };
    let labelled = task != Task::Unlabelled;
    if labelled
        && (first.contains([':', ','])
            || (comment && row.ends_with(first) && tokens.len() == 1 && first.parse::<f64>().is_err()))
    {
        return Err(());
    }
    let target = label(task, first).ok_or(())?;
    let pairs = if labelled || !first.contains(':') { &tokens[1..] } else { &tokens[..] };
    let mut row = BTreeMap::new();
    for pair in pairs {
        let (index, value) = pair.split_once(':').ok_or(())?;
        if !index.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(());
        }
        let index: u32 = index.parse().map_err(|_| ())?;
        let value = finite(value).ok_or(())?;
        if index == 0 || index > 1 << 24 || row.insert(index - 1, value as f32).is_some() {
            return Err(());
        }
    }
    let pairs = row.into_iter().filter(|&(_, value)| value != 0.0).map(|(j, x)| (j, f64::from(x)));
    Ok(Some((target, pairs.collect())))
}

/// A slow parser of a CSV file without quotes: its rows, and the number of the invalid line.
fn slow_csv(text: &str, task: Task) -> (Vec<Row>, Option<u64>) {
    let mut rows = Vec::new();
    let mut width = None;
    for (number, line) in lines(text) {
        if line.trim_matches([' ', '\t']).is_empty() {
            continue;
        }
        let mut fields: Vec<&str> = line.split(',').map(|field| field.trim_matches([' ', '\t'])).collect();
        let first = width.is_none();
        if *width.get_or_insert(fields.len()) != fields.len() {
            return (rows, Some(number));
        }
        let last = if task == Task::Unlabelled { Some("") } else { fields.pop() };
        if fields.is_empty() {
            return (rows, Some(number));
        }
        let is_text = |field: &&str| !["", "-", "."].contains(field) && field.parse::<f64>().is_err();
        if first && fields.iter().any(is_text) && !fields.iter().any(|field| field.parse::<f64>().is_ok()) {
            continue;
        }
        let values: Option<Vec<f64>> = fields.iter().map(|field| finite(field)).collect();
        match (values, last.and_then(|last| label(task, last))) {
            (Some(values), Some(target)) => {
                let pairs = (0..).zip(values.iter().map(|&x| f64::from(x as f32))).collect();
                rows.push((target, pairs));
            }
            _ => return (rows, Some(number)),
        }
    }
    (rows, None)
}

/// Compares rows, and the line number of the error.
fn assert_equal(outcome: &Outcome, rows: &[Row], refused: Option<u64>) {
    assert_eq!(outcome.rows, rows);
    let line = outcome.error.as_deref().map(|message| message.split(':').nth(1).expect("NAME:LINE:"));
    assert_eq!(line, refused.map(|line| line.to_string()).as_deref(), "{:?}", outcome.error);
}

proptest! {
    #![proptest_config(fixed_cases(4096))]

    #[test]
    fn cuts_of_near_text(
        text in near_text(), cuts in prop::collection::btree_set(0..120usize, 0..8), task in tasks(),
    ) {
        cut_does_not_matter(|| libsvm(task), &text, &cuts);
        cut_does_not_matter(|| csv(task), &text, &cuts);
        let semicolons = || Csv::<f64>::new().with_delimiter(b';').unwrap().with_header(false).with_label_column(0);
        cut_does_not_matter(|| Parser::new("f", task, semicolons()), &text, &cuts);
    }

    #[test]
    fn cuts_of_any_bytes(
        text in prop::collection::vec(any::<u8>(), 0..200), cuts in prop::collection::btree_set(0..200usize, 0..8),
    ) {
        cut_does_not_matter(|| libsvm(Task::Classification), &text, &cuts);
        cut_does_not_matter(|| csv(Task::Unlabelled), &text, &cuts);
    }

    #[test]
    fn libsvm_equals_the_slow_parser(text in near_text(), task in tasks()) {
        let text = String::from_utf8_lossy(&text);
        let (mut rows, mut refused) = (Vec::new(), None);
        for (number, line) in lines(&text) {
            let Ok(row) = slow_libsvm(line, task) else {
                refused = Some(number);
                break;
            };
            rows.extend(row);
        }
        assert_equal(&read(libsvm(task), [text.as_bytes()]), &rows, refused);
    }

    #[test]
    fn csv_equals_the_slow_parser(text in near_text(), task in tasks()) {
        let text = String::from_utf8_lossy(&text).replace('"', "");
        let (rows, refused) = slow_csv(&text, task);
        assert_equal(&read(csv(task), [text.as_bytes()]), &rows, refused);
    }

    #[test]
    fn a_decimal_comma_is_a_decimal_point(
        text in near_text(), cuts in prop::collection::btree_set(0..120usize, 0..8), task in tasks(),
    ) {
        // A lone point is a missing value, a lone comma is not.
        let blanks = [b' ', b'\t', b'\r', b'"'];
        prop_assume!(!text.split(|byte| b",;\n".contains(byte)).any(|field| {
            field.iter().filter(|byte| !blanks.contains(byte)).eq([b'.'].iter())
        }));
        let exchanged = |decimal: u8| {
            let other = |byte: &u8| match byte { b',' => b';', b'.' => decimal, byte => *byte };
            text.iter().map(other).collect::<Vec<_>>()
        };
        let format = |decimal| Csv::<f64>::new().with_delimiter(b';').unwrap().with_decimal(decimal).unwrap();
        let comma = || Parser::new("f", task, format(b','));
        let (point, found) =
            (read(Parser::new("f", task, format(b'.')), [&exchanged(b'.')[..]]), read(comma(), [&exchanged(b',')[..]]));
        let line = |outcome: &Outcome| outcome.error.as_deref().map(|error| error.split(':').nth(1).map(str::to_owned));
        prop_assert_eq!(found.rows.len(), point.rows.len());
        prop_assert_eq!(line(&found), line(&point));
        if task != Task::Classification {
            prop_assert_eq!(&found.rows, &point.rows);
        }
        cut_does_not_matter(comma, &exchanged(b','), &cuts);
    }

    #[test]
    fn sparse_matrices_round_trip(
        matrix in prop::collection::vec(
            (any::<i32>(), prop::collection::btree_map(0..1000u32, any::<u64>(), 0..20)), 0..20),
        shuffle in any::<u64>(),
        scientific in any::<bool>(),
    ) {
        let mut text = String::new();
        let mut rows: Vec<Row> = Vec::new();
        for (target, row) in &matrix {
            let row: Vec<(u32, f64)> = row.iter().map(|(&j, &bits)| (j, f64::from_bits(bits)))
                .filter(|(_, x)| x.is_finite() && *x != 0.0).collect();
            let mut written = row.clone();
            written.sort_by_key(|&(j, _)| shuffle.wrapping_mul(u64::from(2 * j + 1)) >> 32);
            write!(text, "{target}").unwrap();
            for (j, x) in written {
                if scientific { write!(text, " {}:{x:e}", j + 1) } else { write!(text, "\t{}:{x}", j + 1) }.unwrap();
            }
            text.push_str(if scientific { "\r\n" } else { " # row\n\n" });
            rows.push((target.to_string(), row));
        }
        let parser = Parser::new("f", Task::Classification, Libsvm::<f64>::new());
        assert_equal(&read(parser, [text.as_bytes()]), &rows, None);
    }

    #[test]
    fn dense_matrices_and_text_labels_round_trip(
        matrix in prop::collection::vec(("[ -~é]{1,12}", prop::array::uniform3(any::<u64>())), 1..20),
        quote_numbers in any::<bool>(),
    ) {
        let mut text = String::new();
        let mut rows: Vec<Row> = Vec::new();
        for (name, bits) in &matrix {
            // Prefixed with a letter, since blank and numeric labels have other rules.
            let name = format!("x{name}");
            let row = bits.map(f64::from_bits).map(|x| if x.is_finite() { x } else { 0.5 });
            for x in row {
                if quote_numbers { write!(text, "\"{x:?}\",") } else { write!(text, "{x:e},") }.unwrap();
            }
            writeln!(text, "\"{}\"", name.replace('"', "\"\"")).unwrap();
            rows.push((name, (0..).zip(row).collect()));
        }
        let parser = Parser::new("f", Task::Classification, Csv::<f64>::new());
        assert_equal(&read(parser, [text.as_bytes()]), &rows, None);
    }
}
