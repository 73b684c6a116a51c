//! CSV with its rows or its error, worked out by hand.

use super::{check, csv, read};
use crate::{Delimiter, FieldKind, Task, sample};

#[test]
fn rows() {
    check(
        || csv("nnt"),
        Task::Classification,
        &[
            (b"", ""),
            (b"\n \n", ""),
            (b"1,2,a\n3,4,b\n", "1: 1 2 | a\n2: 3 4 | b"),
            (b"1,2,a\r\n\r\n3,4,b", "1: 1 2 | a\n3: 3 4 | b"),
            (b"\xef\xbb\xbf1,2,a\n", "1: 1 2 | a"),
            (b"1 ,\t2, a b \n", "1: 1 2 | a b"),
            (b"\"1\",2,\"a,b\"\n3, \"4\" ,\"say \"\"hi\"\"\"", "1: 1 2 | a,b\n2: 3 4 | say \"hi\""),
            (b"+1,-.5e1,\" \"", "1: 1 -5 |  "),
            (
                b",?,a\nNA,-,b\n.,Null,c\n-nan,1,d",
                "1: NaN NaN | a\n2: NaN NaN | b\n3: NaN NaN | c\n4: NaN 1 | d",
            ),
            (b"1e-60,0x,a", "1:7: expected a number, got `0x` in field 1"),
        ],
    );
    check(|| csv("t-n"), Task::Regression, &[(b"1.5,x,2\n", "1: 2 | 1.5")]);
    check(|| csv("tn"), Task::Unlabelled, &[(b",2\n", "1: 2")]);
    check(
        || csv("cnct"),
        Task::Classification,
        &[(b"x,1,,a\n-,2,NA,b\nx,3,none,a", "1: 1 [x] [-] | a\n2: 2 [-] [-] | b\n3: 3 [x] [none] | a")],
    );
}

#[test]
fn options() {
    let blanks = || crate::Csv { delimiter: Delimiter::Blanks, ..csv("nct") };
    check(
        blanks,
        Task::Classification,
        &[
            (b"  1  x\ta \n2 \"a b\"  b", "1: 1 [x] | a\n2: 2 [a b] | b"),
            (b"1 x\n", "1:4: expected 3 fields, got `2 fields`"),
        ],
    );
    let comma = || crate::Csv { delimiter: Delimiter::Byte(b';'), decimal: b',', ..csv("nt") };
    check(
        comma,
        Task::Regression,
        &[(b"1,5;-2,25\n", "1: 1.5 | -2.25"), (b"1.5;2\n", "1:1: expected a number, got `1.5` in field 0")],
    );
    let header = || crate::Csv { header: true, ..csv("nt") };
    check(header, Task::Regression, &[(b"\n1,2\n3,4\n", "3: 3 | 4")]);
    let missing =
        || crate::Csv { missing: vec!["x".into(), "-9".into()], classes: vec!["NA".into()], ..csv("nct") };
    check(
        missing,
        Task::Classification,
        &[
            (b"x,x,NA\n-9,-9,-9", "1: NaN [-] | NA\n2: -9 [-] | -9"),
            (b"1,a,x", "1:5: expected a label or target, got `x` in field 2"),
        ],
    );
}

#[test]
fn errors() {
    check(
        || csv("nnt"),
        Task::Classification,
        &[
            (b"1,2,a\n3,4\n", "1: 1 2 | a\n2:4: expected 3 fields, got `2 fields`"),
            (b"1,a\n", "1:4: expected 3 fields, got `2 fields`"),
            (b"3,4,b,5,6\n", "1:7: expected 3 fields, got `5 fields`"),
            (b"1,2,a\n3,x,b\n4,5,c", "1: 1 2 | a\n2:3: expected a number, got `x` in field 1"),
            (b"1, 2.5.1,a", "1:4: expected a number, got `2.5.1` in field 1"),
            (b"1,-inf,a", "1:3: expected a number, got `-inf` in field 1"),
            (b"1,1e39,a", "1:3: expected a number within the range of float32, got `1e39` in field 1"),
            (b"1,1e999,a", "1:3: expected a number within the range of float64, got `1e999` in field 1"),
            (b"1,\" 2\",a", "1:3: expected a number, got ` 2` in field 1"),
            (b"1,2,\n", "1:5: expected a label or target, got nothing in field 2"),
            (
                b"1,2,\"a\nb\"",
                "1:5: expected quotes around a whole field that end in the same line, got `\"a` in field 2",
            ),
            (
                b"1,2,\"a\" b",
                "1:5: expected quotes around a whole field that end in the same line, got `\"a\" b` in field 2",
            ),
            (
                b"1,2,a\"b\"",
                "1:6: expected quotes around a whole field that end in the same line, got `\"b\"` in field 2",
            ),
            (b"1,2,\xff", "1:5: expected text in UTF-8, got `\\xff` in field 2"),
            (b"1\x00,2,a", "1:1: expected a number, got `1\\u{0}` in field 0"),
        ],
    );
    let long = format!("1,{},a", "x".repeat(41));
    let expected = format!("1:3: expected a number, got `{}...` in field 1\n", "x".repeat(40));
    assert_eq!(read(csv("nnt"), Task::Classification, [long.as_bytes()]), expected);
}

#[test]
fn a_sample_of_the_first_lines() {
    let text = b"\xef\xbb\xbfa, b ,c\n1,x,\n\n1e999,y,\n2,x,z\n3\n";
    let found = sample(text, Delimiter::Byte(b','), b'.', &["y".into()], 1);
    let first: Vec<_> = found.first.iter().map(|(text, kind)| (&**text, *kind)).collect();
    assert_eq!(first, [("a", FieldKind::Text), ("b", FieldKind::Text), ("c", FieldKind::Text)]);
    let counts: Vec<_> = found.columns.iter().map(|column| (column.numbers, column.texts.len())).collect();
    assert_eq!(counts, [(3, 0), (0, 1), (0, 1)]);
    assert_eq!((found.columns[1].texts["x"], found.columns[2].texts["z"]), ((2, 2), (1, 5)));
    let kinds = sample(b"1,?,x\n", Delimiter::Byte(b','), b'.', &[], 1).first;
    assert_eq!(
        kinds.iter().map(|found| found.1).collect::<Vec<_>>(),
        [FieldKind::Number, FieldKind::Missing, FieldKind::Text]
    );
}
