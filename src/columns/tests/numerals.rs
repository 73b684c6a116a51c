//! Columns that should not be categorical.

use super::towns;
use crate::columns::Columns;
use std::collections::BTreeSet;

#[test]
fn columns_that_should_not_be_categorical_are_reported() {
    static CODES: [i64; 1500] = {
        let mut codes = [0; 1500];
        let mut row = 0;
        while row < codes.len() {
            codes[row] = row as i64;
            row += 1;
        }
        codes
    };
    let grown = |count: usize, prefix: &str| {
        let categories: Vec<String> = (0..count).map(|number| format!("{prefix}{number}")).collect();
        let table = towns(&CODES[..count], &categories.iter().map(String::as_str).collect::<Vec<_>>());
        Columns::of(&table).extended_by(&table, None, false).unwrap().unwrap()
    };
    let names = |columns: &Columns, rows| -> Vec<String> {
        let suspicious = columns.suspicious(rows, &BTreeSet::new());
        suspicious.into_iter().map(|(name, _)| name.to_owned()).collect()
    };
    // Categories that repeat are no reason, except more than 1000 numbers.
    assert!(names(&grown(1000, ""), 5000).is_empty());
    assert_eq!(names(&grown(1500, ""), 5000), ["town"]);
    assert!(names(&grown(1500, "n"), 5000).is_empty());
    // Most rows have a category of their own.
    assert_eq!(names(&grown(100, "n"), 150), ["town"]);
    assert!(names(&grown(100, "n"), 200).is_empty());
    assert!(names(&grown(29, "n"), 29).is_empty());
    assert!(grown(100, "n").suspicious(150, &BTreeSet::from(["town".to_owned()])).is_empty());
}

#[test]
fn a_message_says_what_the_categories_look_like() {
    static CODES: [i64; 40] = {
        let mut codes = [0; 40];
        let mut row = 0;
        while row < codes.len() {
            codes[row] = row as i64;
            row += 1;
        }
        codes
    };
    let message = |category: &dyn Fn(i64) -> String| {
        let categories: Vec<String> = CODES.iter().map(|row| category(*row)).collect();
        let table = towns(&CODES, &categories.iter().map(String::as_str).collect::<Vec<_>>());
        let columns = Columns::of(&table).extended_by(&table, None, false).unwrap().unwrap();
        columns.suspicious(10_000, &BTreeSet::new()).pop().map(|(_, message)| message)
    };
    let cases: [(&str, &dyn Fn(i64) -> String); 12] = [
        ("decimal comma", &|i| format!("{i},5")),
        ("decimal comma", &|i| format!("-{i},25")),
        ("decimal comma", &|i| format!("1.{i:03},50")),
        ("thousands separators", &|i| format!("1,{i:03}")),
        ("thousands separators", &|i| format!("1 234 {i:03}")),
        ("thousands separators", &|i| format!("1'{i:03}.50")),
        ("percentages", &|i| format!("{i}.5 %")),
        ("percentages", &|i| format!("{i},5%")),
        ("amounts of money", &|i| format!("$1,{i:03}.00")),
        ("amounts of money", &|i| format!("{i},99 €")),
        ("amounts of money", &|i| format!("EUR {i}")),
        ("exponent D", &|i| format!("1.{i}D+03")),
    ];
    for (expected, category) in cases {
        let got = message(category);
        assert!(
            got.as_ref().is_some_and(|got| got.contains(expected)),
            "{expected}: {} {got:?}",
            category(7)
        );
    }
    let texts: [&dyn Fn(i64) -> String; 6] = [
        &|i| format!("{i}"),
        &|i| format!("2024-01-{i:02}"),
        &|i| format!("user {i}"),
        &|i| format!("1.2.{i}"),
        &|i| format!("{i}, Main Street"),
        &|i| format!("A-{i}"),
    ];
    for category in texts {
        assert_eq!(message(category), None, "{}", category(7));
    }
}
