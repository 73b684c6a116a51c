use super::*;
use crate::columns::{Cell, ColumnData, Table};
use crate::generate::checkerboard;
use crate::model::{Fit, Passes};
use crate::{Rows, Value};
use ndarray::{Array2, array};

fn assert_send_and_sync<T: Send + Sync>() {}

/// 400 rows of a checkerboard, and their colours.
fn board() -> (Array2<f32>, Vec<&'static str>) {
    let board = checkerboard(400, 0.0, 1);
    let colours = board.classes.iter().map(|class| if *class == 0 { "black" } else { "white" }).collect();
    (Array2::from_shape_vec((400, 2), board.rows).unwrap(), colours)
}

fn small() -> Classifier {
    Classifier::builder().budget(30).build().unwrap()
}

#[test]
fn threads_can_share_models() {
    assert_send_and_sync::<Classifier>();
    assert_send_and_sync::<Regressor>();
}

#[test]
fn a_batch_equals_its_rows_and_sparse_rows() {
    let (x, y) = board();
    let [mut batch, mut single, mut sparse] = [(); 3].map(|()| small());
    batch.learn(&x, &y).unwrap();
    for (x, y) in x.rows().into_iter().zip(&y) {
        single.learn_one(x.as_slice().unwrap(), *y).unwrap();
    }
    let (indptr, indices): (Vec<usize>, Vec<u32>) = ((0..=400).map(|i| 2 * i).collect(), [0, 1].repeat(400));
    let rows = Rows::Sparse { indptr: &indptr, indices: &indices, values: x.as_slice().unwrap(), columns: 2 };
    sparse.learn(rows, &y).unwrap();
    assert_eq!(batch.to_bytes().unwrap(), single.to_bytes().unwrap());
    assert_eq!(batch.to_bytes().unwrap(), sparse.to_bytes().unwrap());
    assert_eq!(batch.predict(&x).unwrap(), batch.predict(rows).unwrap());
    let labels = batch.predict(&x).unwrap();
    for (x, label) in x.rows().into_iter().zip(&labels) {
        assert_eq!(batch.predict_one(x.as_slice().unwrap()).unwrap(), *label);
    }
    assert_eq!(batch.progress(), single.progress());
    assert_eq!(batch.progress().rows, 400);
}

#[test]
fn rows_are_converted_to_the_float_type_of_the_first_rows() {
    let (x, y) = board();
    let wide = x.map(|x| f64::from(*x));
    let [mut first, mut second] = [(); 2].map(|()| small());
    first.learn(&x, &y).unwrap();
    first.learn(&x, &y).unwrap();
    second.learn(&x, &y).unwrap();
    second.learn(&wide, &y).unwrap();
    assert_eq!(first.to_bytes().unwrap(), second.to_bytes().unwrap());
    assert_eq!(first.predict(&wide).unwrap(), first.predict(&x).unwrap());
}

#[test]
fn labels_have_any_type_and_new_ones_are_new_classes() {
    let x = array![[0.0], [1.0], [2.0]];
    let mut text = Classifier::new();
    text.learn(&x, ["b", "a", "b"]).unwrap();
    text.learn_one(&[9.0], "c").unwrap();
    text.learn_one(&[9.5], String::from("c")).unwrap();
    assert_eq!(text.classes(), [ClassLabel::from("b"), "a".into(), "c".into()]);
    assert!(text.predict_one(&[9.2]).unwrap() == "c");
    assert_eq!(text.predict_proba(&x).unwrap().dim(), (3, 3));
    assert_eq!(text.predict_set(&x, 0.9).unwrap().dim(), (3, 3));
    let mut integers = Classifier::new();
    integers.learn(&x, [5i32, -1, 5]).unwrap();
    assert!(integers.predict_one(&[1.0]).unwrap() == -1 || integers.predict_one(&[1.0]).unwrap() == 5);
    let error = integers.learn_one(&[1.0], "five").unwrap_err();
    assert!(error.to_string().contains("five"), "{error}");
    let mut booleans = Classifier::new();
    booleans.learn(&x, [true, false, true]).unwrap();
    assert_eq!(booleans.classes(), [false.into(), ClassLabel::from(true)]);
    let mut closed = Classifier::builder().classes(["a", "b"]).build().unwrap();
    let error = closed.learn_one(&[1.0], "c").unwrap_err();
    assert!(error.to_string().contains("\"c\""), "{error}");
    assert_eq!(closed.progress(), Progress::default());
}

#[test]
fn one_class_so_far_is_predicted() {
    let mut model = Classifier::new();
    model.learn_one(&[1.0], "only").unwrap();
    assert!(model.predict_one(&[2.0]).unwrap() == "only");
    assert_eq!(model.predict_proba(&[2.0]).unwrap(), array![[1.0]]);
    assert_eq!(model.predict_set(&[2.0], 0.9).unwrap(), array![[true]]);
}

#[test]
fn named_rows_are_rows_of_a_table() {
    let (ages, towns) = ([31.0, f64::NAN, 54.0, 12.0], [0, 1, -1, 0]);
    let categories = || vec!["Oslo".to_owned(), "Rome".to_owned()];
    let table = Table::new(vec![
        ("age".into(), ColumnData::F64(ages.as_slice().into())),
        ("town".into(), ColumnData::categorical(&towns, categories())),
    ])
    .unwrap();
    let labels = ["a", "b", "b", "a"];
    let [mut whole, mut rows] = [(); 2].map(|()| Classifier::new());
    whole.learn(&table, labels).unwrap();
    for ((age, town), label) in ages.iter().zip(towns).zip(labels) {
        let town: Cell<'_> = ["Oslo", "Rome"].get(town as usize).copied().into();
        let age: Cell<'_> = Some(*age).filter(|age| !age.is_nan()).into();
        // In any order of the columns.
        rows.learn_one(&[("town", town), ("age", age)], label).unwrap_or_else(|_| {
            panic!("a row of {label}");
        });
    }
    assert_eq!(whole.predict(&table).unwrap().len(), 4);
    assert_eq!(whole.progress(), rows.progress());
    let row = [("age", 12.0.into()), ("town", "Oslo".into())];
    assert!(whole.predict_one(&row).unwrap() == "a");
    let unseen = [("age", 12.0.into()), ("town", "Bergen".into())];
    assert!(whole.predict_one(&unseen).is_ok());
    let error = whole.predict_one(&[("age", 12.0.into())]).unwrap_err();
    assert!(error.to_string().contains("town"), "{error}");
    assert!(whole.learn_one(&[12.0, 1.0], "a").is_err());
    let twice = [("age", 12.0.into()), ("age", 13.0.into())];
    assert!(whole.predict_one(&twice).unwrap_err().to_string().contains("unique"));
    let mut unnamed = Classifier::new();
    unnamed.learn_one(&[1.0], "a").unwrap();
    assert!(unnamed.predict_one(&row).unwrap_err().to_string().contains("names"));
}

#[test]
fn files_are_read_by_their_own_type() {
    let (x, y) = board();
    let mut classifier = small();
    classifier.learn(&x, &y).unwrap();
    let bytes = classifier.to_bytes().unwrap();
    let mut again = Classifier::from_bytes(&bytes).unwrap();
    again.learn(&x, &y).unwrap();
    classifier.learn(&x, &y).unwrap();
    assert_eq!(classifier.to_bytes().unwrap(), again.to_bytes().unwrap());
    let error = Regressor::from_bytes(&bytes).unwrap_err();
    assert!(error.to_string().contains("load it as a Classifier"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    classifier.save(&path).unwrap();
    assert_eq!(Classifier::load(&path).unwrap().to_bytes().unwrap(), classifier.to_bytes().unwrap());
}

#[test]
fn metadata_are_saved_with_the_model_and_invalid_ones_change_nothing() {
    let (x, y) = board();
    let mut model = small();
    assert_eq!(model.metadata(), "{}");
    let without = model.to_bytes().unwrap();
    let json = r#"{"offsets":{"0":17},"x":0.1234567890123456789}"#;
    model.set_metadata(json).unwrap();
    for invalid in ["", "[1]", "{", "{\"a\":NaN}", &format!("{{\"a\":\"{}\"}}", "b".repeat(1 << 16))] {
        let error = model.set_metadata(invalid).unwrap_err().to_string();
        assert!(error.starts_with("metadata must be a JSON object of at most 65536 bytes, got "), "{error}");
    }
    model.learn(&x, &y).unwrap();
    let folder = tempfile::tempdir().unwrap();
    model.save(folder.path().join("model")).unwrap();
    assert_eq!(Classifier::load(folder.path().join("model")).unwrap().metadata(), json);
    let mut empty = small();
    empty.set_metadata(" { } ").unwrap();
    assert_eq!(empty.to_bytes().unwrap(), without);
}

/// Labels of almost the largest size leave room for the metadata.
#[test]
fn the_largest_metadata_can_be_saved() {
    let mut model = Classifier::builder().classes(["\"".repeat(600_000).as_str(), "b"]).build().unwrap();
    let json = format!("{{\"a\":\"{}\"}}", "\\\"".repeat((1 << 15) - 4));
    assert_eq!(json.len(), 1 << 16);
    model.set_metadata(&json).unwrap();
    assert_eq!(Classifier::from_bytes(&model.to_bytes().unwrap()).unwrap().metadata(), json);
}

#[test]
fn fit_needs_a_new_model_and_an_error_changes_nothing() {
    let (x, y) = board();
    let mut model = small();
    let none = Fit { passes: Passes::Number(0), ..Fit::default() };
    assert!(model.fit(&x, &y, none).is_err());
    assert!(model.fit(&x, &y[1..], Fit::default()).is_err());
    assert_eq!(model.progress(), Progress::default());
    model.fit(&x, &y, Fit::default()).unwrap();
    assert_eq!(model.progress().rows, 1200);
    let before = model.to_bytes().unwrap();
    assert!(model.fit(&x, &y, Fit::default()).unwrap_err().to_string().contains("learn"));
    assert!(model.learn_one(&[f32::INFINITY, 0.0], "black").is_err());
    assert_eq!(model.to_bytes().unwrap(), before);
}

#[test]
fn weights_count_as_rows_and_zeros_are_ignored() {
    let (x, y) = board();
    let weights: Vec<f64> = (0..400).map(|i| f64::from(i % 2)).collect();
    let [mut weighted, mut odd] = [(); 2].map(|()| small());
    weighted.learn_weighted(&x, &y, &weights).unwrap();
    let rows = ndarray::Axis(0);
    let every_second: Vec<usize> = (1..400).step_by(2).collect();
    let labels: Vec<&str> = every_second.iter().map(|row| y[*row]).collect();
    odd.learn(&x.select(rows, &every_second), &labels).unwrap();
    assert_eq!(weighted.to_bytes().unwrap(), odd.to_bytes().unwrap());
}

#[test]
fn the_builder_checks_names_values_and_combinations() {
    let message = |builder: Builder<Classifier>| builder.build().unwrap_err().to_string();
    assert!(message(Classifier::builder().algorithm("svm")).contains("algorithm"));
    assert!(message(Classifier::builder().budget(0)).starts_with("budget must be"));
    assert!(message(Classifier::builder().set("gama", 1.0)).contains("did you mean \"gamma\""));
    assert!(message(Classifier::builder().classes(["one"])).starts_with("classes must be"));
    // The order of the calls does not matter.
    let build = |builder: Builder<Classifier>| builder.algorithm("bsgd-merge").build().unwrap();
    let first = build(Classifier::builder().set("loss", "log_loss").set("gamma", 2.0));
    let second = build(Classifier::builder().set("gamma", Value::Float(2.0)).set("loss", "log_loss"));
    assert_eq!(first.to_bytes().unwrap(), second.to_bytes().unwrap());
}

#[test]
fn a_regressor_predicts_numbers_and_intervals() {
    let x = Array2::from_shape_fn((600, 1), |(i, _)| i as f64 / 100.0);
    let y: Vec<f64> = x.iter().map(|x| 1e6 + 1e3 * x.sin()).collect();
    let mut model = Regressor::new();
    model.learn(&x, &y).unwrap();
    model.learn_one(&[6.0], y[599]).unwrap();
    let found = model.predict(&x).unwrap();
    assert_eq!(found[7], model.predict_one(&[x[(7, 0)]]).unwrap());
    let intervals = model.predict_interval(&x, 0.9).unwrap();
    assert!(intervals.rows().into_iter().zip(&found).all(|(ends, y)| ends[0] <= *y && *y <= ends[1]));
    assert!(model.progress().squared_error > 0.0 && model.progress().constant_error > 0.0);
    assert!(model.predict_interval(&x, 0.002).is_err());
    assert!(Regressor::new().predict_one(&[1.0]).is_err());
}

#[test]
fn progress_shows_the_recent_error_and_the_rows_of_drifts() {
    let mut model = Classifier::new();
    let (x, y) = board();
    for _ in 0..5 {
        model.learn(&x, &y).unwrap();
    }
    assert!(model.progress().drift_rows.is_empty());
    let swapped: Vec<_> = y.iter().map(|y| if *y == "black" { "white" } else { "black" }).collect();
    model.learn(&x, &swapped).unwrap();
    let progress = model.progress();
    assert_eq!(progress.drift_rows.len() as u64, progress.drifts);
    assert!((2001..2200).contains(&progress.drift_rows[0]), "{progress:?}");
    assert!(progress.recent_error > progress.error, "{progress:?}");
}

#[test]
fn tables_after_rows_without_names_are_matched_by_position() {
    let mut model = small();
    model.learn(&array![[0.0, 1.0], [5.0, 2.0], [0.5, 1.5]], ["a", "b", "a"]).unwrap();
    let numbers = |x: &'static [f64]| ColumnData::F64(x.into());
    let table = Table::new(vec![("u".into(), numbers(&[5.0])), ("v".into(), numbers(&[2.0]))]).unwrap();
    assert_eq!(model.predict(&table).unwrap(), model.predict(&array![[5.0, 2.0]]).unwrap());
    let town = ColumnData::categorical(&[0], vec!["Oslo".into()]);
    let table = Table::new(vec![("u".into(), numbers(&[5.0])), ("town".into(), town)]).unwrap();
    let error = model.predict(&table).unwrap_err().to_string();
    assert!(error.contains("numbers, because the rows learned before had no column names"), "{error}");
}
