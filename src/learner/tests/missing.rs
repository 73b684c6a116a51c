//! Missing values: NaN.

use super::running::scales_as_by_hand;
use super::{build, bytes, reloaded, spec};
use crate::float::Real;
use crate::learner::{Learner, Rows, Targets};
use crate::params::{Forget, Gamma, KernelName, Maintenance, MetricLearning, Missing, Scaling, Spec, Value};
use crate::rng::Rng;

/// Rows of four features, with missing values from row `from` on: the first feature has no value before row 20, and the
/// last has all values.
fn rows<T: Real>(count: usize, from: usize) -> Vec<([T; 4], u32)> {
    let mut rng = Rng::new(5);
    let row = |i: usize| {
        let x: [f64; 4] = [3.0 + rng.normal(), 1e3 * rng.normal() - 1e4, rng.normal(), 1e-3 * rng.normal()];
        let class = u32::from(x[2] > 0.0) ^ u32::from(x[0] > 3.0);
        let mut holes = x;
        if i >= from {
            (0..3).filter(|_| rng.index(4) == 0).for_each(|j| holes[j] = f64::NAN);
            holes[0] = if i < 20 { f64::NAN } else { holes[0] };
        }
        (holes.map(T::from_f64), class)
    };
    (0..count).map(row).collect()
}

fn with_holes(kernel: KernelName) -> Spec {
    let gamma = Gamma::Value(0.2);
    let plain = spec(Maintenance::Smallest, Some(30));
    Spec { scaling: Scaling::Online, missing: Missing::Mean, kernel, gamma, ..plain }
}

#[test]
fn a_missing_value_is_the_mean_of_those_that_there_are() {
    for (kernel, from) in [(KernelName::Rbf, 0), (KernelName::Laplacian, 100), (KernelName::Linear, 0)] {
        scales_as_by_hand(&with_holes(kernel), &rows::<f64>(250, from), 1e-8);
        scales_as_by_hand(&with_holes(kernel), &rows::<f32>(250, from), 1e-2);
    }
}

/// Whole batches, single rows, sparse rows that store NaN, and files: for the front door, and where gamma follows the
/// rows.
#[test]
fn cuts_files_and_sparse_rows_change_no_bit() {
    let online = Spec { budget: Some(20), ..Spec::named("online-kernel").unwrap() };
    let forgetful =
        Spec { forget: Forget::Rows(50), metric_learning: MetricLearning::Diagonal, ..online.clone() };
    for spec in [online, forgetful, Spec { gamma: Gamma::Scale, ..with_holes(KernelName::Rbf) }] {
        let rows = rows::<f32>(200, 60);
        let x: Vec<f32> = rows.iter().flat_map(|(x, _)| *x).collect();
        let y: Vec<u32> = rows.iter().map(|(_, class)| *class).collect();
        let all = Rows::Dense(ndarray::ArrayView2::from_shape((200, 4), &x).unwrap());
        let mut whole: Learner<f32> = build(&spec, 4, 2);
        whole.learn_batch(&all, Targets::Classes(&y), None).unwrap();
        let mut cut: Learner<f32> = build(&spec, 4, 2);
        for (i, (row, class)) in rows.iter().enumerate() {
            if i % 3 == 0 {
                cut.learn_one(row, *class, 1.0).unwrap();
            } else {
                let sparse =
                    Rows::Sparse { indptr: &[0, 4], indices: &[0, 1, 2, 3], values: row, columns: 4 };
                cut.learn_batch(&sparse, Targets::Classes(&[*class]), None).unwrap();
            }
            if i % 50 == 7 {
                cut = reloaded(&cut);
            }
        }
        assert_eq!(bytes(&cut), bytes(&whole));
        assert!(cut.decision_function(&all).unwrap().iter().all(|f| f.is_finite()));
        // Rows without missing values are learned as before, and the model has no counts per feature.
        let (mut one, mut other): (Learner<f32>, Learner<f32>) =
            (build(&spec, 4, 2), build(&Spec { missing: Missing::Error, ..spec.clone() }, 4, 2));
        for (row, class) in &rows[..60] {
            one.learn_one(row, *class, 1.0).unwrap();
            other.learn_one(row, *class, 1.0).unwrap();
        }
        assert_eq!(bytes(&one), bytes(&other));
    }
}

#[test]
fn infinite_values_raise() {
    let spec = with_holes(KernelName::Rbf);
    let mut learner: Learner<f64> = build(&spec, 4, 2);
    let mut strict: Learner<f64> = build(&Spec { missing: Missing::Error, ..spec }, 4, 2);
    for (x, class) in rows::<f64>(30, 30) {
        learner.learn_one(&x, class, 1.0).unwrap();
        strict.learn_one(&x, class, 1.0).unwrap();
    }
    let (before, infinite, holed) =
        (bytes(&learner), [f64::NAN, 0.0, f64::INFINITY, 0.0], [0.0, f64::NAN, 0.0, 0.0]);
    let expected = "X contains infinity at row 0, column 2; all values must be finite";
    assert_eq!(learner.learn_one(&infinite, 0, 1.0).unwrap_err().to_string(), expected);
    assert_eq!(learner.decision_function(&Rows::one(&infinite)).unwrap_err().to_string(), expected);
    let expected = "X contains NaN at row 0, column 1; all values must be finite; \"online-kernel\" accepts missing values";
    for error in [strict.learn_one(&holed, 0, 1.0).err(), strict.decision_function(&Rows::one(&holed)).err()]
    {
        let error = error.unwrap().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    assert_eq!((bytes(&learner), bytes(&strict)), (before.clone(), before));
    // Given statistics do not replace missing values.
    let mut spec = Spec::named("bsgd-merge").unwrap();
    let error = spec.set("missing", &Value::Text("mean".into())).unwrap_err().to_string();
    assert!(error.starts_with("missing does not apply") && error.contains("scaling = \"online\""), "{error}");
    let unscaled = Spec { scaling: Scaling::None, ..Spec::named("online-kernel").unwrap() };
    let mut learner: Learner<f64> = build(&unscaled, 4, 2);
    assert!(learner.learn_one(&holed, 0, 1.0).is_err());
    learner.set_scaling(&[0.0; 4], &[1.0; 4]).unwrap();
    assert!(learner.learn_one(&holed, 0, 1.0).is_err());
}

#[test]
fn features_without_a_value_may_appear_later() {
    let spec = with_holes(KernelName::Rbf);
    let (mut known, mut widened): (Learner<f64>, Learner<f64>) = (build(&spec, 4, 2), build(&spec, 3, 2));
    for (i, (x, class)) in rows::<f64>(100, 0).iter().enumerate() {
        let early = i < 50;
        if i == 50 {
            widened.add_features(4, false).unwrap();
        }
        let x = if early { [x[0], x[1], x[2], 0.0] } else { [x[0], x[1], x[2], f64::NAN] };
        known.learn_one(&x, *class, 1.0).unwrap();
        widened.learn_one(if early { &x[..3] } else { &x }, *class, 1.0).unwrap();
    }
    assert_eq!(bytes(&known), bytes(&widened));
}
