//! The limits of rows: errors, and rows at the limits.

use super::{build, rows_of, spec};
use crate::generate::checkerboard;
use crate::learner::{Learner, Rows, Targets};
use crate::params::{Gamma, KernelName, KernelParameters, Maintenance, Spec};
use ndarray::ArrayView2;

/// Kernel, gamma, degree, a row, its weight, and the error after the row.
type Case<'a> = (KernelName, f64, u32, [f32; 2], f64, Option<&'a str>);

#[test]
fn errors_say_what_is_too_large() {
    use KernelName::{Cosine, Laplacian, Linear, Poly, Rbf, Sigmoid};
    let length = "|x|^2 <= 1e28 in float32, got 1.000e30";
    let weighted = "sample_weight^2 k(x, x) <= 1e28 in float32, got 4.000e30";
    let cases: [Case<'_>; 16] = [
        (Rbf, 1.0, 3, [1e15, 0.0], 1.0, Some(length)),
        (Cosine, 1.0, 3, [1e15, 0.0], 1.0, Some(length)),
        (Sigmoid, 1.0, 3, [1e15, 0.0], 1.0, Some(length)),
        (Linear, 1.0, 3, [1e15, 0.0], 1.0, Some(length)),
        (Rbf, 1.0, 3, [3e38, 3e38], 1.0, Some("|x|^2 <= 1e28 in float32, got inf")),
        (Laplacian, 1.0, 3, [1e15, -1e15], 1e9, None),
        (Laplacian, 1.0, 3, [1e30, 0.0], 1.0, Some("|x|_1 <= 1e28 in float32, got 1.000e30")),
        (Rbf, 1.0, 3, [9e13, 0.0], 1e9, None),
        (Cosine, 1.0, 3, [9e13, 0.0], 1e9, None),
        (Linear, 1.0, 3, [9e13, 0.0], 1.0, None),
        (Linear, 1.0, 3, [2e12, 0.0], 1e3, Some(weighted)),
        (Linear, 1.0, 3, [2e12, 0.0], 1e-3, None),
        (Poly, 100.0, 5, [1e2, 0.0], 1.0, Some("k(x, x) at gamma = 1e2 <= 1e28 in float32, got 1.000e30")),
        (Poly, 1.0, 1, [1e2, 0.0], 1e9, None),
        (
            Poly,
            1e-2,
            9,
            [255.0, 255.0],
            1.0,
            Some("k(x, x) at gamma = 1e-2 <= 1e28 in float32, got 1.064e28"),
        ),
        (Poly, 1e-3, 9, [255.0, 255.0], 1.0, None),
    ];
    let rows = rows_of::<f32>(&checkerboard(5, 0.0, 1));
    for (kernel, gamma, degree, x, weight, expected) in cases {
        let gamma = Gamma::Value(gamma);
        let kernel_parameters = KernelParameters { degree, ..KernelParameters::default() };
        let spec = Spec { kernel, gamma, kernel_parameters, ..spec(Maintenance::Oldest, Some(4)) };
        let mut learner: Learner<f32> = build(&spec, 2, 2);
        let mut batch: Vec<f32> = rows.iter().flat_map(|(x, _)| x.clone()).collect();
        batch.extend(x);
        let batch = Rows::Dense(ArrayView2::from_shape((6, 2), &batch).unwrap());
        let weights = [1.0, 1.0, 1.0, 1.0, 1.0, weight];
        let result = learner.learn_batch(&batch, Targets::Classes(&[0, 1, 0, 1, 0, 1]), Some(&weights));
        let expected =
            expected.map(|what| format!("X is too large at row 5: expected {what}; scale the features"));
        assert_eq!(result.err().map(|error| error.to_string()), expected, "{kernel:?} {x:?} {weight}");
        // Rows that are invalid without their weight are invalid in prediction too.
        if let Some(expected) = expected.filter(|_| weight <= 1.0) {
            assert_eq!(learner.decision_function(&batch).unwrap_err().to_string(), expected);
            assert_eq!(learner.predict(&batch).unwrap_err().to_string(), expected);
        } else {
            assert!(learner.decision_function(&batch).unwrap().iter().all(|f| f.is_finite()));
        }
    }
}

#[test]
fn rows_without_length_change_nothing() {
    for (kernel, x) in [
        (KernelName::Linear, [0.0; 2]),
        (KernelName::Linear, [1e-170, -1e-200]),
        // The inverse would overflow in products.
        (KernelName::Linear, [1e-141, 0.0]),
        (KernelName::Cosine, [0.0; 2]),
        (KernelName::Poly, [0.0; 2]),
        (KernelName::Sigmoid, [0.0; 2]),
    ] {
        let spec = Spec { kernel, ..spec(Maintenance::Oldest, Some(5)) };
        let mut learner: Learner<f64> = build(&spec, 2, 2);
        learner.learn_one(&x, 1u32, 1.0).unwrap();
        assert_eq!((learner.n_support(), learner.counts().n_seen, learner.counts().updates), (0, 1, 0));
        learner.learn_one(&[1.0, 2.0], 1u32, 1.0).unwrap();
        assert_eq!((learner.n_support(), learner.counts().updates), (1, 1));
    }
}

/// Rows of weight 0 are skipped, but their values must be finite.
#[test]
fn skipped_rows_may_be_long() {
    let mut learner: Learner<f32> = build(&spec(Maintenance::Oldest, Some(5)), 2, 2);
    learner.learn_one(&[3e38, 1.0], 1u32, 0.0).unwrap();
    assert_eq!(learner.counts().n_seen, 0);
    assert!(learner.learn_one(&[f32::INFINITY, 1.0], 1u32, 0.0).is_err());
}
