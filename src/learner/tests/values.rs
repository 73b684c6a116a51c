//! Kernel values of rows with the support vectors: their weighted sums are the scores.

use super::{build, learn, rows_of};
use crate::generate::checkerboard;
use crate::learner::{Learner, Rows};
use crate::params::{KernelName, MetricLearning, Spec};

#[test]
fn scores_are_sums_of_kernel_values() {
    let rows = rows_of::<f64>(&checkerboard(400, 0.1, 3));
    let by_name =
        KernelName::ALL.map(|kernel| (Spec { kernel, ..Spec::named("bsgd-random").unwrap() }, true));
    let metric = Spec {
        linear_weight: None,
        metric_learning: MetricLearning::Full,
        ..Spec::named("online-kernel").unwrap()
    };
    for (spec, is_scaled) in by_name.into_iter().chain([(metric, false)]) {
        let spec = Spec { budget: Some(300), ..spec };
        let mut learner: Learner<f64> = build(&spec, 2, 2);
        if is_scaled {
            learner.set_scaling(&[0.5, -0.5], &[2.0, 0.5]).unwrap();
        }
        learn(&mut learner, &rows);
        let x: Vec<f64> = rows[..20].iter().flat_map(|(x, _)| x.clone()).collect();
        let x = ndarray::ArrayView2::from_shape((20, 2), &x).unwrap();
        let values = learner.kernel_values(&Rows::Dense(x)).unwrap();
        let (scores, n) = (learner.decision_function(&Rows::Dense(x)).unwrap(), learner.n_support());
        assert_eq!(values.len(), 20 * n);
        for (k, f) in values.chunks(n).zip(scores) {
            let sum: f64 = k.iter().zip(learner.dual_coef()).map(|(k, a)| k * a).sum();
            assert!((sum - f).abs() < 1e-9 * (1.0 + f.abs()), "{}: {sum}, {f}", spec.kernel.name());
        }
        assert!(learner.kernel_values(&Rows::one(&[0.0])).is_err());
    }
}

/// An averaged model predicts alike after features are appended that are zero in every row.
#[test]
fn averages_have_the_features_that_are_appended() {
    let spec = Spec {
        linear_weight: Some(0.3),
        average: crate::params::Average::Suffix(0.5),
        ..super::spec(crate::params::Maintenance::Merge, Some(5))
    };
    let mut learner: Learner<f64> = super::build(&spec, 2, 2);
    for i in 0..40u32 {
        let x = [f64::from(i % 7), f64::from(i % 5)];
        learner.learn_one(&x, i % 2, 1.0).unwrap();
    }
    let before = learner.decision_function(&Rows::one(&[1.0, 2.0])).unwrap();
    learner.add_features(20, true).unwrap();
    let mut wide = [0.0; 20];
    wide[..2].copy_from_slice(&[1.0, 2.0]);
    assert_eq!(learner.decision_function(&Rows::one(&wide)).unwrap(), before);
    wide[19] = 3.0;
    assert!(learner.decision_function(&Rows::one(&wide)).unwrap()[0].is_finite());
}
