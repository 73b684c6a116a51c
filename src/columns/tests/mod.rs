//! Rows of tables compared with a slow conversion cell by cell, and the errors about tables.

mod extend;

use super::{ColumnData, Columns, Table};
use crate::persist::Tensors;
use crate::testing::fixed_cases;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The value of one row and column.
#[derive(Debug, Clone, PartialEq)]
enum Cell {
    Number(f64),
    Category(&'static str),
    Missing,
}

/// Columns with names, of equal length.
type Sheet = Vec<(String, Vec<Cell>)>;

const CATEGORIES: [&str; 4] = ["red", "green", "", "red=green"];

/// The rows of several sheets with equal columns, by definition: each sheet is encoded with the features known after
/// it.
fn expected_rows(sheets: &[Sheet]) -> Vec<Vec<Vec<f64>>> {
    let is_categorical = |name: &str| name.starts_with('w');
    let has_no_value = |cells: &[Cell]| !cells.is_empty() && cells.iter().all(|cell| *cell == Cell::Missing);
    let mut features: Vec<(String, Option<&str>)> = sheets[0]
        .iter()
        .filter(|(name, cells)| !is_categorical(name) || has_no_value(cells))
        .map(|(name, _)| (name.clone(), None))
        .collect();
    let order: Vec<&String> = sheets[0].iter().map(|(name, _)| name).collect();
    sheets
        .iter()
        .map(|sheet| {
            let cells: BTreeMap<&String, &Vec<Cell>> =
                sheet.iter().map(|(name, cells)| (name, cells)).collect();
            let (rows, cell) = (sheet[0].1.len(), |row: usize, name: &String| &cells[name][row]);
            for row in 0..rows {
                for &name in &order {
                    if let &Cell::Category(category) = cell(row, name)
                        && !features.contains(&(name.clone(), Some(category)))
                    {
                        // The first category gets the feature of a column without a value so far.
                        match features.iter_mut().find(|(known, of)| known == name && of.is_none()) {
                            Some((_, of)) => *of = Some(category),
                            None => features.push((name.clone(), Some(category))),
                        }
                    }
                }
            }
            let value = |row: usize, (name, of): &(String, Option<&str>)| match (cell(row, name), of) {
                (Cell::Missing, _) => f64::NAN,
                (Cell::Number(number), None) => *number,
                (Cell::Category(category), Some(of)) => f64::from(u8::from(category == of)),
                _ => unreachable!(),
            };
            (0..rows).map(|row| features.iter().map(|feature| value(row, feature)).collect()).collect()
        })
        .collect()
}

/// A sheet as a data frame stores it: numbers of either type, and indices into a list of categories with duplicates.
struct Frame {
    singles: Vec<Vec<f32>>,
    doubles: Vec<Vec<f64>>,
    codes: Vec<Vec<i64>>,
    categories: Vec<String>,
}

impl Frame {
    fn of(sheet: &Sheet, shift: usize) -> Self {
        let number = |cell: &Cell| if let Cell::Number(number) = cell { *number } else { f64::NAN };
        // The list has an order independent of the rows, and contains duplicates.
        let categories: Vec<String> = (0..6).map(|i| CATEGORIES[(i + shift) % 4].to_owned()).collect();
        let code = |cell: &Cell, row: usize| match cell {
            Cell::Category(category) => {
                let all: Vec<usize> = (0..categories.len()).filter(|&i| categories[i] == *category).collect();
                all[row % all.len()] as i64
            }
            _ => -1 - row as i64,
        };
        let columns = |name: char| sheet.iter().filter(move |(given, _)| given.starts_with(name));
        Self {
            singles: columns('s').map(|(_, c)| c.iter().map(|c| number(c) as f32).collect()).collect(),
            doubles: columns('d').map(|(_, c)| c.iter().map(number).collect()).collect(),
            codes: columns('w')
                .map(|(_, c)| c.iter().enumerate().map(|(row, c)| code(c, row)).collect())
                .collect(),
            categories,
        }
    }

    fn table(&self, sheet: &Sheet) -> Table<'_> {
        let (mut singles, mut doubles, mut codes) =
            (self.singles.iter(), self.doubles.iter(), self.codes.iter());
        let columns = sheet.iter().map(|(name, _)| {
            let cells = match name.as_bytes()[0] {
                b's' => ColumnData::F32(singles.next().unwrap().as_slice().into()),
                b'd' => ColumnData::F64(doubles.next().unwrap().as_slice().into()),
                _ => ColumnData::categorical(codes.next().unwrap(), self.categories.clone()),
            };
            (name.clone(), cells)
        });
        Table::new(columns.collect()).unwrap()
    }
}

/// Sheets with equal columns in different orders.
fn sheets() -> impl Strategy<Value = Vec<Sheet>> {
    let cell = (0..10usize, -4..5i32);
    let names = Just(["s1", "w1", "d1", "w2", "s2", "d2"].map(str::to_owned).to_vec()).prop_shuffle();
    let sheet = (names, vec(vec(cell, 6), 0..300)).prop_map(|(names, rows)| {
        let column = |name: &String| {
            let cells = rows.iter().map(|row| {
                let place = ["s1", "w1", "d1", "w2", "s2", "d2"].iter().position(|known| known == name);
                let (kind, number) = row[place.unwrap()];
                match (kind, name.as_bytes()[0]) {
                    (0, _) => Cell::Missing,
                    (kind, b'w') => Cell::Category(CATEGORIES[kind % 4]),
                    _ => Cell::Number(f64::from(number) / 2.0),
                }
            });
            (name.clone(), cells.collect())
        };
        names.iter().map(column).collect::<Sheet>()
    });
    vec(sheet, 1..4)
}

proptest! {
    #![proptest_config(fixed_cases(200))]

    #[test]
    fn rows_equal_the_slow_conversion(sheets in sheets(), shift in 0..4usize) {
        let frame: Vec<Frame> = sheets.iter().enumerate().map(|(i, sheet)| Frame::of(sheet, i + shift)).collect();
        let mut columns = Columns::of(&frame[0].table(&sheets[0]));
        for ((sheet, frame), expected) in sheets.iter().zip(&frame).zip(expected_rows(&sheets)) {
            let table = frame.table(sheet);
            let extended = columns.extended_by(&table, None, false).unwrap().unwrap_or_else(|| columns.clone());
            prop_assert!(extended.extended_by(&table, None, false).unwrap().is_none());
            prop_assert!(columns.is_prefix_of(&extended));
            prop_assert_eq!(extended.is_prefix_of(&columns), extended == columns);
            columns = extended;
            let names = columns.feature_names();
            prop_assert_eq!(names.len(), columns.n_features());
            for (feature, name) in names.iter().enumerate() {
                let column = columns.column_of(feature).unwrap();
                let is_one_hot = name.starts_with(&format!("{column}="));
                prop_assert!(name == column || is_one_hot);
            }
            let rows: Vec<f64> = columns.rows(&table).unwrap();
            let expected: Vec<f64> = expected.into_iter().flatten().collect();
            let bits = |rows: &[f64]| rows.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&rows), bits(&expected));
            let single: Vec<f32> = columns.rows(&table).unwrap();
            prop_assert!(single.iter().zip(&rows).all(|(&a, &b)| f64::from(a) == b || a.is_nan() && b.is_nan()));
            let saved = Tensors::of(|out| columns.save(out));
            prop_assert_eq!(&Columns::load(&saved).unwrap(), &columns);
        }
    }
}

fn table(names: &[&str]) -> Table<'static> {
    static NUMBERS: [f64; 2] = [1.0, 2.0];
    let cells = || ColumnData::F64(NUMBERS.as_slice().into());
    Table::new(names.iter().map(|name| ((*name).to_owned(), cells())).collect()).unwrap()
}

#[test]
fn different_columns_raise_with_their_names() {
    let columns = Columns::of(&table(&["a", "b", "c"]));
    assert_eq!(columns.rows::<f64>(&table(&["c", "a", "b"])).unwrap().len(), 6);
    let expected = "X must have the columns of the rows learned before, in any order, got ";
    for (names, got) in [
        (&["a", "b"][..], r#"no column "c""#),
        (&["d", "a", "b", "c"], r#"the new columns "d""#),
        (&["a", "C", "b"], r#"no column "c", and the new columns "C""#),
        (
            &["1", "2", "3", "4", "5", "6", "a", "b", "c"],
            r#"the new columns "1", "2", "3", "4", "5" and 1 more"#,
        ),
    ] {
        let error = columns.rows::<f64>(&table(names)).unwrap_err();
        assert_eq!(error.to_string(), format!("{expected}{got}"));
    }
}

#[test]
fn types_of_columns_must_match() {
    let categorical = |codes: &'static [i64]| {
        let cells = ColumnData::categorical(codes, vec!["x".into()]);
        Table::new(vec![("a".into(), cells)]).unwrap()
    };
    let numbers = Columns::of(&table(&["a"]));
    let error = numbers.rows::<f64>(&categorical(&[0, -1])).unwrap_err().to_string();
    assert_eq!(
        error,
        "X must have numbers in the column \"a\", as in the rows learned before, got categories"
    );
    // A column without values may have any type.
    assert!(numbers.rows::<f64>(&categorical(&[-1, -1])).unwrap().iter().all(|x| x.is_nan()));
    let known =
        Columns::of(&categorical(&[0])).extended_by(&categorical(&[0]), None, false).unwrap().unwrap();
    assert!(
        known.rows::<f64>(&table(&["a"])).unwrap_err().to_string().contains("categories in the column \"a\"")
    );
    let nothing = [f64::NAN; 2];
    let blank = Table::new(vec![("a".into(), ColumnData::F64(nothing.as_slice().into()))]).unwrap();
    assert!(known.rows::<f64>(&blank).unwrap().iter().all(|x| x.is_nan()));
    // Unknown categories are 0 in all features.
    let other = Table::new(vec![("a".into(), ColumnData::categorical(&[0], vec!["y".into()]))]).unwrap();
    assert_eq!(known.rows::<f64>(&other).unwrap(), [0.0]);
}

#[test]
fn inconsistent_tables_raise() {
    let of = |columns: Vec<(&str, &'static [f64])>| {
        let columns =
            columns.into_iter().map(|(name, cells)| (name.to_owned(), ColumnData::F64(cells.into())));
        Table::new(columns.collect()).unwrap_err().to_string()
    };
    assert_eq!(
        of(vec![("a", &[1.0]), ("a", &[1.0])]),
        "X must have a unique name for each column, got two named \"a\""
    );
    assert_eq!(of(vec![("a", &[1.0]), ("b", &[])]), "X must have 1 rows in the column \"b\", got 0");
    let beyond = Table::new(vec![("a".into(), ColumnData::categorical(&[1], vec!["x".into()]))]);
    assert!(beyond.unwrap_err().to_string().contains("places below 1 in the column \"a\""));
}

#[test]
fn inconsistent_files_raise() {
    let save = |names: &[&str], categorical: &[i64], of: &[i64], categories: &[&str]| {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let mut out = Tensors::new();
        out.set("names", texts(names));
        out.set("categorical", categorical.to_vec());
        out.set("categorical_columns", of.to_vec());
        out.set("categories", texts(categories));
        Columns::load(&out)
    };
    assert_eq!(save(&["a", "b"], &[1], &[1, 1], &["x", "y"]).unwrap().feature_names(), ["a", "b=x", "b=y"]);
    for (names, categorical, of, categories) in [
        (&["a", "a"][..], &[1][..], &[1][..], &["x"][..]),
        (&["a", "b"], &[1], &[1, 1], &["x", "x"]),
        (&["a", "b"], &[1], &[0], &["x"]),
        (&["a", "b"], &[1], &[2], &["x"]),
        (&["a", "b"], &[1], &[-1], &["x"]),
        (&["a", "b"], &[1], &[1], &["x", "y"]),
        (&["a", "b"], &[1], &[1, 1], &["x"]),
    ] {
        assert!(
            save(names, categorical, of, categories).is_err(),
            "{names:?} {categorical:?} {of:?} {categories:?}"
        );
    }
}

/// A table with one categorical column.
fn towns(codes: &'static [i64], categories: &[&str]) -> Table<'static> {
    let cells = ColumnData::categorical(codes, categories.iter().map(|name| (*name).to_owned()).collect());
    Table::new(vec![("town".into(), cells)]).unwrap()
}

#[test]
fn rows_of_weight_0_add_no_categories() {
    let table = towns(&[0, 1, 2, 1], &["Oslo", "Rome", "Bern"]);
    let columns = Columns::of(&table);
    let grown = columns.extended_by(&table, Some(&[0.0, 0.0, 1.0, 0.5]), false).unwrap().unwrap();
    assert_eq!(grown.feature_names(), ["town=Bern", "town=Rome"]);
    assert_eq!(columns.extended_by(&table, Some(&[0.0; 4]), false).unwrap(), None);
}

#[test]
fn a_missing_value_raises_before_any_category_is_known() {
    let table = towns(&[0, -1], &["Oslo"]);
    let columns = Columns::of(&table);
    let error = columns.check_no_missing_categories(&table).unwrap_err();
    assert_eq!(error.to_string(), r#"X contains NaN at row 1, column "town"; all values must be finite"#);
    let blank = [f64::NAN];
    let blank = Table::new(vec![("town".into(), ColumnData::F64(blank.as_slice().into()))]).unwrap();
    assert_eq!(columns.check_no_missing_categories(&blank).unwrap_err().row(), Some(0));
    // Once a category is known, its feature is NaN.
    let known = columns.extended_by(&table, None, false).unwrap().unwrap();
    known.check_no_missing_categories(&table).unwrap();
    assert!(known.rows::<f64>(&table).unwrap()[1].is_nan());
}

#[test]
fn terms_of_features_are_summed_by_column() {
    let towns = ["Oslo", "Rome"].map(str::to_owned).to_vec();
    let table = Table::new(vec![
        ("town".into(), ColumnData::categorical(&[0, 1], towns)),
        ("age".into(), ColumnData::F64([1.0, 2.0].as_slice().into())),
    ])
    .unwrap();
    let columns = Columns::of(&table).extended_by(&table, None, false).unwrap().unwrap();
    assert_eq!(columns.feature_names(), ["age", "town=Oslo", "town=Rome"]);
    let terms = [1.0, 10.0, 2.0, 20.0, 3.0, 30.0];
    assert_eq!(columns.sums_by_column(&terms, 2), [5.0, 50.0, 1.0, 10.0]);
}
