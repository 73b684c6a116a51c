//! Columns whose type is not known yet, and new columns.

use super::table;
use crate::columns::{ColumnData, Columns, Table};
use crate::persist::Tensors;

/// A table of a column "x" of numbers and a column "c" of these categories.
fn with_category<'a>(x: &'a [f64], codes: &'a [i64]) -> Table<'a> {
    let categories = vec!["red".into(), "green".into()];
    let columns = vec![
        ("c".to_owned(), ColumnData::categorical(codes, categories)),
        ("x".to_owned(), ColumnData::F64(x.into())),
    ];
    Table::new(columns).unwrap()
}

#[test]
fn the_first_value_decides_the_type_of_a_column() {
    let (numbers, missing) = ([1.0, 2.0], [f64::NAN; 2]);
    let blank = with_category(&numbers, &[-1, -1]);
    let columns = Columns::of(&blank);
    assert_eq!(columns.feature_names(), ["c", "x"]);
    assert!(!columns.is_numeric());
    assert!(columns.extended_by(&blank, None, false).unwrap().is_none());
    let saved = |columns: &Columns| {
        let out = Tensors::of(|out| columns.save(out));
        assert_eq!(&Columns::load(&out).unwrap(), columns);
    };
    saved(&columns);
    // The first category gets the feature of the column.
    let coloured = with_category(&missing, &[1, 0]);
    let grown = columns.extended_by(&coloured, None, false).unwrap().unwrap();
    assert_eq!(grown.feature_names(), ["c=green", "x", "c=red"]);
    assert!(columns.is_prefix_of(&grown) && !grown.is_prefix_of(&columns));
    assert_eq!(grown.categorical_columns(), [Some(0), None, Some(0)]);
    let rows: Vec<f64> = grown.rows(&coloured).unwrap();
    assert_eq!((rows[0], rows[2], rows[3], rows[5]), (1.0, 0.0, 0.0, 1.0));
    saved(&grown);
    // Numbers make it numeric; without a type every value is NaN.
    let digits = Table::new(vec![
        ("x".into(), ColumnData::F64(numbers.as_slice().into())),
        ("c".into(), ColumnData::F64(numbers.as_slice().into())),
    ])
    .unwrap();
    let numeric = columns.extended_by(&digits, None, false).unwrap().unwrap();
    assert!(numeric.is_numeric() && numeric.feature_names() == ["c", "x"]);
    assert!(columns.rows::<f64>(&digits).unwrap()[0].is_nan());
    assert!(columns.extended_by(&digits, Some(&[0.0, 0.0]), false).unwrap().is_none());
    saved(&numeric);
}

#[test]
fn the_bound_of_the_saved_bytes_holds() {
    let codes = [0, 1, 2, 3];
    let texts = ["\u{1}\u{7f}\n".repeat(50), "\"\\".repeat(90), "é\u{2028}".repeat(60), String::new()];
    let numbers = [f64::NAN; 4];
    let columns = (0..300).flat_map(|i| {
        let categories = texts.iter().map(|text| format!("{text}{i}")).collect();
        [
            (format!("{}{i}", texts[i % 4]), ColumnData::categorical(&codes, categories)),
            (format!("n{i}"), ColumnData::F64(numbers.as_slice().into())),
        ]
    });
    let table = Table::new(columns.collect()).unwrap();
    let columns = Columns::default().extended_by(&table, None, true).unwrap().unwrap();
    let out = Tensors::of(|out| columns.save(out));
    let (size, bound) = (crate::persist::encode(&out).unwrap().len(), columns.max_saved_bytes());
    assert!(size <= bound && bound < 3 * size, "{size} {bound}");
}

#[test]
fn new_columns_are_appended() {
    let columns = Columns::of(&table(&["a", "b"]));
    let wider = columns.extended_by(&table(&["c", "a"]), None, true);
    let wider = wider.unwrap().unwrap();
    assert_eq!(wider.feature_names(), ["a", "b", "c"]);
    assert!(columns.is_prefix_of(&wider) && !wider.is_prefix_of(&columns));
    // A column that the table lacks is 0, and an unknown column is left out.
    assert_eq!(wider.rows::<f64>(&table(&["d", "c"])).unwrap(), [0.0, 0.0, 1.0, 0.0, 0.0, 2.0]);
    let x = [1.0, 2.0];
    let coloured = columns.extended_by(&with_category(&x, &[0, 1]), None, true).unwrap().unwrap();
    assert_eq!(coloured.feature_names(), ["a", "b", "x", "c=red", "c=green"]);
    // The order of new columns in the table changes nothing.
    let of = |names| Columns::default().extended_by(&table(names), None, true).unwrap().unwrap();
    assert_eq!(of(&["b", "c", "a"]).feature_names(), ["a", "b", "c"]);
    assert_eq!(of(&["b", "c", "a"]), of(&["a", "b", "c"]));
    assert!(wider.accepts_others() && !columns.accepts_others());
    assert!(wider.contains("c") && !columns.contains("c"));
    let out = Tensors::of(|out| wider.save(out));
    assert_eq!(Columns::load(&out).unwrap(), wider);
}
