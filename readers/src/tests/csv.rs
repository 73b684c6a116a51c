//! CSV input with its rows or its exact message, worked out by hand.

use super::{Csv, Parser, Task, check, csv, printed, read};

#[test]
fn rows() {
    check(
        || csv(Task::Classification),
        &[
            (b"", ""),
            (b"\n \n", ""),
            (b"1,2,a\n3,4,b\n", "a | 0:1 1:2\nb | 0:3 1:4\n"),
            (b"1,2,a\r\n\r\n3,4,b", "a | 0:1 1:2\nb | 0:3 1:4\n"),
            (b"\xef\xbb\xbf1,a\n", "a | 0:1\n"),
            (b"1 ,\t2, a b \n", "a b | 0:1 1:2\n"),
            (b"\"1\",2,\"a,b\"\n3, \"4\" ,\"say \"\"hi\"\"\"", "a,b | 0:1 1:2\nsay \"hi\" | 0:3 1:4\n"),
            (b"1,+1\n0,1.0\n2,\"1\"", "1 | 0:1\n1 | 0:0\n1 | 0:2\n"),
            (b"x,y,class\n1,2,a", "a | 0:1 1:2\n"),
            (b"\n\"x, y\",1\n2,a", "a | 0:2\n"),
            (b",x,class\n1,2,a", "a | 0:1 1:2\n"),
            (b"1,class\n2,a", "class | 0:1\na | 0:2\n"),
            (b"x,y,class\n", ""),
            (b"1e-60,2,a", "a | 0:0 1:2\n"),
        ],
    );
}

#[test]
fn errors() {
    check(
        || csv(Task::Classification),
        &[
            (b"1\n", "f:1:1: expected a label and at least one feature, delimited by `,`, got 1 field"),
            (b"1;2;a\n", "f:1:1: expected a label and at least one feature, delimited by `,`, got 1 field"),
            (b"1,2,a\n3,a\n", "a | 0:1 1:2\nf:2:3: expected a number in field 2, got `a`"),
            (b"1,2,a\n3,4\n", "a | 0:1 1:2\nf:2:4: expected 3 fields, got 2 fields"),
            (b"1,2,a\n3,4,b,5,6\n", "a | 0:1 1:2\nf:2:7: expected 3 fields, got 5 fields"),
            (b"1,2,a\n3,4,b,\n", "a | 0:1 1:2\nf:2:7: expected 3 fields, got 4 fields"),
            (b"1,2,a\n7\n", "a | 0:1 1:2\nf:2:2: expected 3 fields, got 1 field"),
            (
                b"1,2,a\n3,,b",
                "a | 0:1 1:2\nf:2:3: expected a number in field 2, got an empty field (a missing value)",
            ),
            (
                b"1,2,a\n \"\",4,b",
                "a | 0:1 1:2\nf:2:3: expected a number in field 1, got an empty field (a missing value)",
            ),
            (
                b"1,2,a\n3,4, ",
                "a | 0:1 1:2\nf:2:6: expected a label in field 3, got an empty field (a missing value)",
            ),
            (b"1,2,\" \"", "f:1:6: expected a label, got ` `"),
            (b"1,2,nan", "f:1:5: expected a label in field 3, got `nan` (a missing value)"),
            (b"1,2,a\n1, 2.5.1,a", "a | 0:1 1:2\nf:2:4: expected a number in field 2, got `2.5.1`"),
            (b"nan,2,a", "f:1:1: expected a number in field 1, got `nan` (a missing value)"),
            (b"1,-inf,a", "f:1:3: expected a number in field 2 that is finite, got `-inf`"),
            (b"1,\"1e39\",a", "f:1:4: expected a number in field 2 within the range of float32, got `1e39`"),
            (
                b"1,\" 2\",a\n",
                "f:1:4: expected a number, or a statement that the first line is a header, got ` 2`",
            ),
            (b"1,2,a\n1,\" 2\",a\n", "a | 0:1 1:2\nf:2:4: expected a number in field 2, got ` 2`"),
            (
                b"1,2x,a\n3,4,b",
                "f:1:3: expected a number, or a statement that the first line is a header, got `2x`",
            ),
            (
                b"x,2019,class",
                "f:1:1: expected a number, or a statement that the first line is a header, got `x`",
            ),
            (b"1,2,a#b\n1,2 #,b", "a#b | 0:1 1:2\nf:2:3: expected a number in field 2, got `2 #`"),
            (
                b"1,2,\"a\nb\"",
                "f:1:5: expected a closing quote in this line (line breaks within quotes are not supported), got `\"a`",
            ),
            (
                b"1,2,\"a\"\"",
                "f:1:5: expected a closing quote in this line (line breaks within quotes are not supported), got `\"a\"\"`",
            ),
            (b"1,2,\"a\" b,3", "f:1:9: expected the delimiter after a closing quote, got `b,3`"),
            (b"1,2,a\"b\"", "f:1:6: expected quotes around a whole field, got `\"b\"`"),
            (b"1,2,\xff", "f:1:5: expected a label in UTF-8, got `\\xff`"),
            (b"1,2,a\rb", "f:1:5: expected a label without control characters, got `a\\rb`"),
            (
                b"1\x00,2,a",
                "f:1:1: expected a number, or a statement that the first line is a header, got `1\\u{0}`",
            ),
        ],
    );
}

#[test]
fn specified_header() {
    let stated = |header| Parser::new("f", Task::Classification, Csv::<f64>::new().with_header(header));
    check(|| stated(true), &[(b"\n1,2\n3,4", "4 | 0:3\n"), (b"1,2", ""), (b"a,b\n1,x", "x | 0:1\n")]);
    check(
        || stated(false),
        &[(b"1,2\n3,4", "2 | 0:1\n4 | 0:3\n"), (b"a,b", "f:1:1: expected a number in field 1, got `a`")],
    );

    let mut parser = stated(true);
    assert_eq!(parser.format().feature_names(), None);
    parser.feed(b"a ,\"b \"\"2\"\"\",,class\n").unwrap();
    let names = ["a", "b \"2\"", ""].map(String::from);
    assert_eq!(parser.format().feature_names(), Some(&names[..]));
    let rows = parser.take();
    assert_eq!((parser.n_columns(), rows.n_rows, rows.n_columns), (3, 0, 3));
}

#[test]
fn label_column_and_tasks() {
    let at = |task, position| Parser::new("f", task, Csv::<f32>::new().with_label_column(position));
    let text = b"1,2,3\n4,5,6\n";
    for (position, expected) in [
        (0, "1 | 0:2 1:3\n4 | 0:5 1:6\n"),
        (1, "2 | 0:1 1:3\n5 | 0:4 1:6\n"),
        (-1, "3 | 0:1 1:2\n6 | 0:4 1:5\n"),
        (-3, "1 | 0:2 1:3\n4 | 0:5 1:6\n"),
        (3, "f:1:1: expected enough fields for the label column 3, got 3 fields"),
        (-4, "f:1:1: expected enough fields for the label column -4, got 3 fields"),
        (i64::MIN, "f:1:1: expected enough fields for the label column -9223372036854775808, got 3 fields"),
    ] {
        check(|| at(Task::Classification, position), &[(text, expected)]);
        check(|| at(Task::Regression, position), &[(text, expected)]);
    }
    check(|| at(Task::Unlabelled, 1), &[(b"1,?,3\n4,,6\n", " | 0:1 1:3\n | 0:4 1:6\n")]);
    check(
        || csv(Task::Unlabelled),
        &[
            (b"1,2\n3,4\n", " | 0:1 1:2\n | 0:3 1:4\n"),
            (b"1\n2", " | 0:1\n | 0:2\n"),
            (b"x,y\n1,2", " | 0:1 1:2\n"),
        ],
    );
    check(
        || csv(Task::Regression),
        &[
            (b"x,y\n1,\"2.5\"\n", "2.5 | 0:1\n"),
            (b"1,y\n", "f:1:3: expected a number as the target, got `y`"),
            (b"1,1e39\n", "f:1:3: expected a number as the target within the range of float32, got `1e39`"),
        ],
    );
}

#[test]
fn delimiter_and_number_of_features() {
    let by = |delimiter| {
        Parser::new("f", Task::Classification, Csv::<f32>::new().with_delimiter(delimiter).unwrap())
    };
    check(
        || by(b';'),
        &[
            (b"1;2;a,b\n", "a,b | 0:1 1:2\n"),
            (
                b"1,5;2;a\n1;2;b",
                "f:1:1: expected a number, or a statement that the first line is a header, got `1,5`",
            ),
        ],
    );
    check(
        || by(b'\t'),
        &[
            (b"1\t 2\ta\n", "a | 0:1 1:2\n"),
            (
                b"1\t2\ta\n\t\t\n",
                "a | 0:1 1:2\nf:2:1: expected a number in field 1, got an empty field (a missing value)",
            ),
        ],
    );
    check(|| by(b' '), &[(b"1\t 2 a\n", "a | 0:1 1:2\n")]);
    for bad in *b"\"\r\n+-.0eE" {
        assert!(Csv::<f32>::new().with_delimiter(bad).is_err(), "{bad}");
    }
    let message = Csv::<f32>::new().with_delimiter(b'e').unwrap_err().to_string();
    assert_eq!(
        message,
        "delimiter must be a byte that is no letter, digit, sign, point, quote or line end, got `e`"
    );

    let stated = |task| Parser::new("f", task, Csv::<f32>::new().with_n_features(2).unwrap());
    check(
        || stated(Task::Classification),
        &[(b"1,2,3", "3 | 0:1 1:2\n"), (b"1,2", "f:1:1: expected 2 features and a label, got 2 fields")],
    );
    check(|| stated(Task::Unlabelled), &[(b"1,2,3", "f:1:1: expected 2 features, got 3 fields")]);
    assert_eq!(read(stated(Task::Regression), [&b""[..]]).n_columns, 2);
    let message = Csv::<f32>::new().with_n_features(0).unwrap_err().to_string();
    assert_eq!(message, "n_features must be at least 1, got 0");
}

/// All texts of missing values are NaN, or errors that say so. Texts given in addition count with their case.
#[test]
fn texts_of_missing_values() {
    let words = || vec!["unknown".to_owned()];
    let parser = |missing| {
        let format = Csv::<f32>::new().with_missing(missing).with_missing_words(words());
        Parser::new("f", Task::Classification, format)
    };
    for text in [
        "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A",
        "NA", "NULL", "NaN", "None", "n/a", "nan", "null", "NONE", "-", ".", "?", "\\N", "unknown",
    ] {
        for line in [
            format!("1,{text},a\n"),
            format!("1,\" {text}\",a\n").replace(' ', ""),
            format!("1,\t{text} ,a\n"),
        ] {
            if line.contains("#N/AN/A") {
                continue;
            }
            assert_eq!(printed(&read(parser(true), [line.as_bytes()])), "a | 0:1 1:NaN\n", "{line}");
            let error = printed(&read(parser(false), [line.as_bytes()]));
            assert!(
                error.ends_with(&format!("expected a number in field 2, got `{text}` (a missing value)")),
                "{error}"
            );
        }
    }
    for text in ["Unknown", "--", "..", "N.A.", "#DIV/0!"] {
        let error = printed(&read(parser(true), [format!("1,2,a\n1,{text},a\n").as_bytes()]));
        assert!(error.ends_with(&format!("f:2:3: expected a number in field 2, got `{text}`")), "{error}");
    }
}

/// A number may be such a text, in every row.
#[test]
fn numbers_that_are_missing() {
    let format = Csv::<f32>::new().with_missing(true).with_missing_words(vec!["-1".to_owned()]);
    let mut parser = Parser::new("f", Task::Regression, format);
    parser.feed(b"2,3\n-1,4\n5,6\n").unwrap();
    let error = parser.feed(b"7,8\n9,-1\n1,1x\n").unwrap_err().to_string();
    assert_eq!(error, "f:5:3: expected a target in field 2, got `-1` (a missing value)");
}

/// With a decimal comma, a point in a number is an error, also in a target.
#[test]
fn decimal_comma() {
    let by = |task| {
        let format = Csv::<f64>::new().with_delimiter(b';').unwrap().with_decimal(b',').unwrap();
        Parser::new("f", task, format)
    };
    check(
        || by(Task::Classification),
        &[
            (b"1,5;-,25e1;a,b\n+2;\"3,\";c.d", "a,b | 0:1.5 1:-2.5\nc.d | 0:2 1:3\n"),
            (b"x;y;z\n1,5;2;0,5\n1;2;1.5", "0.5 | 0:1.5 1:2\n1.5 | 0:1 1:2\n"),
            (
                b"1,5;2;a\n1.5;2;a",
                "a | 0:1.5 1:2\nf:2:1: expected a number in field 1 with the decimal sign `,`, got `1.5`",
            ),
            (
                b"1,5;2;a\n1.234,5;2;a",
                "a | 0:1.5 1:2\nf:2:1: expected a number in field 1 with the decimal sign `,`, got `1.234,5`",
            ),
            (b"1,5;2;a\n1,2,3;2;a", "a | 0:1.5 1:2\nf:2:1: expected a number in field 1, got `1,2,3`"),
        ],
    );
    check(
        || by(Task::Regression),
        &[
            (b"1,5;2,5\n1;-,5", "2.5 | 0:1.5\n-0.5 | 0:1\n"),
            (b"1,5;2.5", "f:1:5: expected a number as the target with the decimal sign `,`, got `2.5`"),
        ],
    );
    for bad in *b";x0\"" {
        assert!(Csv::<f32>::new().with_decimal(bad).is_err(), "{bad}");
    }
}

/// Every spelling of a missing value becomes NaN. Missing labels and infinite values are errors.
#[test]
fn missing_values() {
    let parser = || Parser::new("f", Task::Classification, Csv::<f32>::new().with_missing(true));
    let cases: [(&[u8], &str); 8] = [
        (b"1,,a\n , ,b\n", "a | 0:1 1:NaN\nb | 0:NaN 1:NaN\n"),
        (b"?,NA,a\n\"\",\"nan\",b\n", "a | 0:NaN 1:NaN\nb | 0:NaN 1:NaN\n"),
        (b"-NaN,na,a\n", "a | 0:NaN 1:NaN\n"),
        (b"x,y,class\n1,?,a\n", "a | 0:1 1:NaN\n"),
        (
            b"1,2,a\n1,2,\n",
            "a | 0:1 1:2\nf:2:5: expected a label in field 3, got an empty field (a missing value)",
        ),
        (b"1,inf,a\n", "f:1:3: expected a number in field 2 that is finite, got `inf`"),
        (b"1,??,a\n", "f:1:3: expected a number, or a statement that the first line is a header, got `??`"),
        (b"1,2,a\n,b\n", "a | 0:1 1:2\nf:2:2: expected a number in field 2, got `b`"),
    ];
    for (text, expected) in cases {
        assert_eq!(printed(&read(parser(), [text])), expected, "{}", text.escape_ascii());
        assert_eq!(
            printed(&read(parser(), text.chunks(1))),
            expected,
            "byte by byte: {}",
            text.escape_ascii()
        );
    }
}
