//! Invalid batches and models raise errors and change nothing.

use super::{build, bytes, learn, rows_of, spec};
use crate::batch::Task;
use crate::classes::Classes;
use crate::error::Error;
use crate::generate::checkerboard;
use crate::learner::{Learner, Rows, Targets};
use crate::model::{AnyLearner, Model};
use crate::params::{Maintenance, Spec};
use ndarray::ArrayView2;

/// The start of the error, rows, their shape, classes and weights.
type Case<'a> = (&'a str, &'a [f32], (usize, usize), &'a [u32], &'a [f64]);

/// Batches with one invalid entry, perhaps the last.
#[test]
fn invalid_batches_change_nothing() {
    let stream = checkerboard(50, 0.0, 1);
    let mut learner: Learner<f32> = build(&spec(Maintenance::Merge, Some(10)), 2, 2);
    learn(&mut learner, &rows_of(&stream));
    let before = bytes(&learner);
    let with = |at: usize, x: f32| {
        let mut rows = stream.rows.clone();
        rows[at] = x;
        rows
    };
    let weights = |w: f64| [&[1.0; 49][..], &[w]].concat();
    let (good, y, ones) = (&stream.rows[..], &stream.classes[..], &[1.0; 50][..]);
    let wrong_class = [&y[..49], &[2]].concat();
    let limit = "sample_weight must be from 0 to 1e9 in every row, got";
    let cases: [Case<'_>; 13] = [
        ("X contains NaN at row 49, column 1;", &with(99, f32::NAN), (50, 2), y, ones),
        ("X contains infinity at row 0, column 1;", &with(1, f32::INFINITY), (50, 2), y, ones),
        ("X contains infinity at row 25, column 0;", &with(50, f32::NEG_INFINITY), (50, 2), y, ones),
        ("X must have 2 features, as the rows learned before, got 4", good, (25, 4), &y[..25], &ones[..25]),
        ("X must have 2 features, as the rows learned before, got 1", good, (100, 1), y, ones),
        ("X must have 2 features, as the rows learned before, got 0", &[], (50, 0), y, ones),
        ("y must have 50 entries, got 49", good, (50, 2), &y[..49], ones),
        ("y contains 2 at row 49; the classes are 0 to 1", good, (50, 2), &wrong_class, ones),
        ("sample_weight must have 50 entries, got 49", good, (50, 2), y, &ones[..49]),
        (&format!("{limit} -1"), good, (50, 2), y, &weights(-1.0)),
        (&format!("{limit} NaN"), good, (50, 2), y, &weights(f64::NAN)),
        (&format!("{limit} inf"), good, (50, 2), y, &weights(f64::INFINITY)),
        (&format!("{limit} 1000000001"), good, (50, 2), y, &weights(1_000_000_001.0)),
    ];
    for (expected, rows, shape, y, weights) in cases {
        let rows = Rows::Dense(ArrayView2::from_shape(shape, rows).unwrap());
        let error = learner.learn_batch(&rows, Targets::Classes(y), Some(weights)).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
        assert_eq!(bytes(&learner), before, "{error}");
        if error.starts_with('X') {
            assert_eq!(learner.predict(&rows).unwrap_err().to_string(), error);
            assert_eq!(learner.decision_function(&rows).unwrap_err().to_string(), error);
        }
    }
}

#[test]
fn values_beyond_the_range_raise_by_row() {
    let spec = Spec { budget: Some(10), ..Spec::named_regression("bpa-s").unwrap() }.check().unwrap();
    let mut learner: Learner<f64> = spec.build(1, Task::Regression).unwrap();
    let rows = Rows::Dense(ArrayView2::from_shape((3, 1), &[1.0, 2.0, 3.0]).unwrap());
    let before = bytes(&learner);
    for (y, got) in [
        ([0.0, 0.0, 2e15], "2000000000000000 at row 2"),
        ([0.0, -2e15, f64::NAN], "-2000000000000000 at row 1"),
        ([f64::NAN, 0.0, 0.0], "NaN at row 0"),
    ] {
        let error = learner.learn_batch(&rows, Targets::Values(&y), None).unwrap_err().to_string();
        assert_eq!(error, format!("y must be numbers from -1e15 to 1e15, got {got}"));
        assert_eq!(bytes(&learner), before);
    }
    learner.learn_batch(&rows, Targets::Values(&[1e15, -1e15, 0.0]), None).unwrap();
}

/// Part of the error, row pointers, indices, values and the number of columns.
type SparseCase<'a> = (&'a str, &'a [usize], &'a [u32], &'a [f64], usize);

#[test]
fn invalid_sparse_rows_raise() {
    let mut learner: Learner<f64> = build(&spec(Maintenance::Merge, Some(10)), 3, 2);
    let before = bytes(&learner);
    let cases: [SparseCase<'_>; 14] = [
        ("3 features, as the rows learned before, got 4", &[0, 1], &[0], &[1.0], 4),
        ("as many indices as values", &[0, 1], &[0, 1], &[1.0], 3),
        ("as many indices as values", &[0, 2], &[0], &[1.0, 1.0], 3),
        ("row pointers", &[], &[], &[], 3),
        ("row pointers", &[1, 1], &[0], &[1.0], 3),
        ("row pointers", &[0, 2], &[0], &[1.0], 3),
        ("row pointers", &[0, 0], &[0], &[1.0], 3),
        ("do not decrease", &[0, 2, 1, 2], &[0, 1], &[1.0, 1.0], 3),
        ("do not decrease", &[0, usize::MAX, 2], &[0, 1], &[1.0, 1.0], 3),
        ("strictly increasing", &[0, 2], &[1, 1], &[1.0, 1.0], 3),
        ("strictly increasing", &[0, 2], &[2, 0], &[1.0, 1.0], 3),
        ("below the number of features", &[0, 1], &[3], &[1.0], 3),
        ("below the number of features", &[0, 1], &[u32::MAX], &[1.0], 3),
        ("NaN at row 1, column 2", &[0, 1, 2], &[0, 2], &[1.0, f64::NAN], 3),
    ];
    for (expected, indptr, indices, values, columns) in cases {
        let rows = Rows::Sparse { indptr, indices, values, columns };
        let y = vec![0; rows.len()];
        let error = learner.learn_batch(&rows, Targets::Classes(&y), None).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}, not {expected}");
        assert_eq!(bytes(&learner), before);
        assert_eq!(learner.decision_function(&rows).unwrap_err().to_string(), error);
    }
}

#[test]
fn a_model_of_another_learner_is_not_written() {
    let spec = spec(Maintenance::Merge, Some(5)).check().unwrap();
    let learner: Learner<f32> = spec.build(2, 3).unwrap();
    let classes = |n| Some(Classes::Int((0..n).collect()));
    let trained = Some(AnyLearner::F32(learner));
    let expansion = Model { classes: classes(3), trained, ..Model::new(spec.clone()) };
    Model::from_bytes(&expansion.to_bytes().unwrap()).unwrap();
    let other = Spec { seed: 1, ..spec.spec().clone() }.check().unwrap();
    let is_refused = |wrong: Model| matches!(wrong.to_bytes(), Err(Error::State(_)));
    assert!(is_refused(Model { classes: None, ..expansion.clone() }));
    assert!(is_refused(Model { classes: classes(2), ..expansion.clone() }));
    assert!(is_refused(Model { spec: other, ..expansion }));
}
