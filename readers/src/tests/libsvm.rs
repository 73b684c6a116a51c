//! LIBSVM input with its rows or its exact message, worked out by hand.

use super::{Libsvm, OptionError, Parser, Task, check, libsvm, printed, read};
use crate::{Label, MAX_FEATURES};

#[test]
fn rows() {
    check(
        || libsvm(Task::Classification),
        &[
            (b"", ""),
            (b"\n\n", ""),
            (b"1 1:0.5 3:2\n-1 2:1\n", "1 | 0:0.5 2:2\n-1 | 1:1\n"),
            (b"+1 1:1\n1.0 1:1\n1e0 1:1", "1 | 0:1\n1 | 0:1\n1 | 0:1\n"),
            (b"\xef\xbb\xbf1 1:1\n", "1 | 0:1\n"),
            (b"\xef\xbb\xbf", ""),
            (b"1 1:1\r\n\r\n2 2:2\r\n", "1 | 0:1\n2 | 1:2\n"),
            (b"1 1:1\r", "1 | 0:1\n"),
            (b" \t1\t 1:1  2:2 \t\n \t \n", "1 | 0:1 1:2\n"),
            (b"# head\n1 1:1 # tail 2:2\n #\n2 1:1#tail\n3#\n4 #", "1 | 0:1\n2 | 0:1\n3 | \n4 | \n"),
            (b"spam 1:1\nham 1:2\nspam\nC++\n0.5", "spam | 0:1\nham | 0:2\nspam | \nC++ | \n0.5 | \n"),
            (b"1\n2", "1 | \n2 | \n"),
            (b"1 3:3 1:1 2:2", "1 | 0:1 1:2 2:3\n"),
            (b"1 1:0 2:-0.0 3:1e-60 4:4", "1 | 3:4\n"),
            (b"1 3:0 2:2 1:0", "1 | 1:2\n"),
            (b"1 001:+1. 2:.5 3:-2.5E-1", "1 | 0:1 1:0.5 2:-0.25\n"),
            (b"1 16777216:1", "1 | 16777215:1\n"),
            (b"1 1:3.4028235e38", "1 | 0:340282346638528860000000000000000000000\n"),
            ("née 1:1".as_bytes(), "née | 0:1\n"),
        ],
    );
}

#[test]
fn errors() {
    check(
        || libsvm(Task::Classification),
        &[
            (
                b"1 1:1\n1:0.5 2:1",
                "1 | 0:1\nf:2:1: expected a label before the first INDEX:VALUE, got `1:0.5`",
            ),
            (b"a:b 1:1", "f:1:1: expected a label before the first INDEX:VALUE, got `a:b`"),
            (b" 1,2 1:1", "f:1:2: expected one label (several to a row are not supported), got `1,2`"),
            (b"nan 1:1", "f:1:1: expected a label that is finite, got `nan`"),
            (b"\xff 1:1", "f:1:1: expected a label in UTF-8, got `\\xff`"),
            (b"a\x00 1:1", "f:1:1: expected a label without control characters, got `a\\u{0}`"),
            (b"1\r2 1:1", "f:1:1: expected a label without control characters, got `1\\r2`"),
            (b"\x1f\x8b\x08\x00", "f:1:1: expected a label in UTF-8, got `\\u{1f}\\x8b\\u{8}\\u{0}`"),
            (b"C# 1:1", "f:1:1: expected a label of text and a blank before the comment, got `C# 1:1`"),
            (b"1 2", "f:1:3: expected INDEX:VALUE, got `2`"),
            (b"1 qid:3 1:1", "f:1:3: expected INDEX:VALUE (query ids are not supported), got `qid:3`"),
            (b"1 a:1", "f:1:3: expected INDEX:VALUE with an index from 1 on, got `a:1`"),
            (b"1 -1:1", "f:1:3: expected INDEX:VALUE with an index from 1 on, got `-1:1`"),
            (b"1 +1:1", "f:1:3: expected INDEX:VALUE with an index from 1 on, got `+1:1`"),
            (b"1 :1", "f:1:3: expected INDEX:VALUE with an index from 1 on, got `:1`"),
            (b"1 00:1", "f:1:3: expected an index from 1 on, got `00`"),
            (b"1 16777217:1", "f:1:3: expected an index of at most 16777216 (max_features), got `16777217`"),
            (
                b"1 18446744073709551617:1",
                "f:1:3: expected an index of at most 16777216 (max_features), got `18446744073709551617`",
            ),
            (b"1 1:", "f:1:5: expected a number after the colon, got nothing"),
            (b"1 1: 5", "f:1:5: expected a number after the colon, got nothing"),
            (b"1 1:# 5", "f:1:5: expected a number after the colon, got nothing"),
            (b"1 1 :5", "f:1:3: expected INDEX:VALUE, got `1`"),
            (b"1 1:2:3", "f:1:5: expected a number after the colon, got `2:3`"),
            (b"1 1:2,5", "f:1:5: expected a number after the colon, got `2,5`"),
            (b"1 1:0x1p3", "f:1:5: expected a number after the colon, got `0x1p3`"),
            (b"1 1:2\r 2:1", "f:1:5: expected a number after the colon, got `2\\r`"),
            (b"1 1:nan", "f:1:5: expected a number after the colon that is finite, got `nan`"),
            (b"1 1:-Inf", "f:1:5: expected a number after the colon that is finite, got `-Inf`"),
            (
                b"1 1:1e999",
                "f:1:5: expected a number after the colon within the range of float64, got `1e999`",
            ),
            (
                b"1 1:3.5e38",
                "f:1:5: expected a number after the colon within the range of float32, got `3.5e38`",
            ),
            (b"1 1:1 1:2", "f:1:7: expected each index once in a row, got index 1 again"),
            (b"1 1:0 1:0", "f:1:7: expected each index once in a row, got index 1 again"),
            (b"1 3:1 2:1 4:1 2:2 3:2", "f:1:15: expected each index once in a row, got index 2 again"),
            (b"1 1:1 1:2 x", "f:1:7: expected each index once in a row, got index 1 again"),
            (b"1 2:1 1:2 x 2:3", "f:1:11: expected INDEX:VALUE, got `x`"),
            (b"\xef\xbb\xbf1 x", "f:1:3: expected INDEX:VALUE, got `x`"),
            (b"1 1:1\n\xef\xbb\xbf2 2", "1 | 0:1\nf:2:6: expected INDEX:VALUE, got `2`"),
            (b"1 1:1\n#\n2 2:2 zz\n3 3:3\n", "1 | 0:1\nf:3:7: expected INDEX:VALUE, got `zz`"),
        ],
    );
}

#[test]
fn regression_and_unlabelled() {
    check(
        || libsvm(Task::Regression),
        &[
            (b"+1 1:1\n0.25\n-1e-3 2:1", "1 | 0:1\n0.25 | \n-0.001 | 1:1\n"),
            (b"1\nabc 1:1", "1 | \nf:2:1: expected a number as the target, got `abc`"),
            (b" inf 1:1", "f:1:2: expected a number as the target that is finite, got `inf`"),
            (b"1e39", "f:1:1: expected a number as the target within the range of float32, got `1e39`"),
            (b"1:1", "f:1:1: expected a label before the first INDEX:VALUE, got `1:1`"),
        ],
    );
    check(
        || libsvm(Task::Unlabelled),
        &[
            (b"1:1 2:2\n?? 1:1\n1,2 2:2\nx\n", " | 0:1 1:2\n | 0:1\n | 1:2\n | \n"),
            (b"x y:1", "f:1:3: expected INDEX:VALUE with an index from 1 on, got `y:1`"),
            (b"x y", "f:1:3: expected INDEX:VALUE, got `y`"),
        ],
    );
}

#[test]
fn specified_labels() {
    let known = [Label::Text("no".into()), Label::Int(7)];
    check(
        || libsvm(Task::Classification).with_labels(&known).expect("two labels"),
        &[
            (b"7.0\nno", "7 | \nno | \n"),
            (b"7\n 8 1:1", "7 | \nf:2:2: expected one of the known labels `no`, `7`, got `8`"),
        ],
    );
}

#[test]
fn number_of_features() {
    let stated = |n| Parser::new("f", Task::Classification, Libsvm::<f64>::new().with_n_features(n).unwrap());
    check(
        || stated(3),
        &[
            (b"1 3:1\n2 1:1", "1 | 2:1\n2 | 0:1\n"),
            (b"1 3:1 4:1", "f:1:7: expected an index of at most 3 for 3 features, got `4`"),
        ],
    );
    check(
        || stated(MAX_FEATURES),
        &[
            (b"1 2147483647:1", "1 | 2147483646:1\n"),
            (
                b"1 2147483648:1",
                "f:1:3: expected an index of at most 2147483647 for 2147483647 features, got `2147483648`",
            ),
        ],
    );
    assert_eq!(read(stated(9), [&b"1 1:1"[..]]).n_columns, 9);
    for n in [0, MAX_FEATURES + 1] {
        let message = Libsvm::<f32>::new().with_n_features(n).unwrap_err().to_string();
        assert_eq!(message, format!("n_features must be in 1..=2147483647, got {n}"));
    }
    // Otherwise it is the largest index so far: explicit zeros count, invalid rows do not.
    let mut parser = libsvm(Task::Classification);
    let mut widths = Vec::new();
    for line in ["\n", "1 2:1\n", "1 5:0 1:1\n", "1 3:1\n", "1 9:1 x\n"] {
        let outcome = parser.feed(line.as_bytes());
        assert_eq!(outcome.is_err(), line.contains('x'));
        widths.push((parser.n_columns(), parser.take().n_columns));
    }
    assert_eq!(widths, [(0, 0), (2, 2), (5, 5), (5, 5), (5, 5)]);
}

#[test]
fn maximum_number_of_features() {
    let limited = || Libsvm::<f32>::new().with_max_features(2).unwrap();
    check(
        || Parser::new("f", Task::Classification, limited()),
        &[
            (b"1 1:1 2:2\n", "1 | 0:1 1:2\n"),
            (b"1 1:1\n1 1:1 3:2\n", "1 | 0:1\nf:2:7: expected an index of at most 2 (max_features), got `3`"),
        ],
    );
    let stated = || Libsvm::<f32>::new().with_n_features(3).unwrap().with_max_features(2).unwrap();
    check(|| Parser::new("f", Task::Classification, stated()), &[(b"1 1:1 3:2\n", "1 | 0:1 2:2\n")]);
    for refused in [0, MAX_FEATURES + 1] {
        let error = Libsvm::<f32>::new().with_max_features(refused).unwrap_err();
        assert!(matches!(error, OptionError::Invalid { name: "max_features", .. }));
    }
    let narrow = || crate::Csv::<f32>::new().with_max_features(2).unwrap();
    check(
        || Parser::new("f", Task::Classification, narrow()),
        &[
            (b"1,2,a\n", "a | 0:1 1:2\n"),
            (b"1,2,3,a\n", "f:1:1: expected at most 2 features (max_features), got 4 fields"),
        ],
    );
}

#[test]
fn missing_values() {
    let parser = || Parser::new("f", Task::Classification, Libsvm::<f32>::new().with_missing(true));
    let cases: [(&[u8], &str); 5] = [
        (b"1 1:nan 3:2\n2 2:? # no\n", "1 | 0:NaN 2:2\n2 | 1:NaN\n"),
        (b"1 3:2 1:NA\n", "1 | 0:NaN 2:2\n"),
        (b"1 1:\n", "f:1:5: expected a number after the colon, got nothing"),
        (b"1 1:inf\n", "f:1:5: expected a number after the colon that is finite, got `inf`"),
        (b"nan 1:1\n", "f:1:1: expected a label that is finite, got `nan`"),
    ];
    for (text, expected) in cases {
        assert_eq!(printed(&read(parser(), [text])), expected, "{}", text.escape_ascii());
    }
}

/// Indices that start at 0: the first feature has index 0.
#[test]
fn zero_based_indices() {
    let parser = || {
        let format = Libsvm::<f32>::new().with_zero_based(true).with_n_features(3).unwrap();
        Parser::new("f", Task::Classification, format)
    };
    check(
        parser,
        &[
            (b"1 0:1 2:2\n2 1:3\n", "1 | 0:1 2:2\n2 | 1:3\n"),
            (b"1 2:2 0:1 # unsorted\n1 00:5", "1 | 0:1 2:2\n1 | 0:5\n"),
            (b"1 0:1 3:1", "f:1:7: expected an index of at most 2 for 3 features, got `3`"),
            (b"1 0:1 0:1", "f:1:7: expected each index once in a row, got index 0 again"),
            (b"1 -1:1", "f:1:3: expected INDEX:VALUE with an index from 0 on, got `-1:1`"),
            (
                b"1 18446744073709551615:1",
                "f:1:3: expected an index of at most 2 for 3 features, got `18446744073709551615`",
            ),
        ],
    );
    assert_eq!(read(parser(), [&b"1 0:1\n"[..]]).n_columns, 3);
}
