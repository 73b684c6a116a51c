//! Numbers near the ends of their type.

use super::{build, bytes, spec};
use crate::float::Real;
use crate::learner::{Learner, Rows};
use crate::rng::Rng;
use crate::spec::{Gamma, KernelName, Maintenance, Spec};

/// Numbers near the end of their type: the model stays one that can be saved, loaded and asked.
fn extreme_rows<T: Real>(huge: f64) {
    let mut rng = Rng::new(5);
    for maintenance in Maintenance::ALL {
        for kernel in KernelName::ALL {
            for gamma in [Gamma::Scale, Gamma::Value(1e-30), Gamma::Value(1.0), Gamma::Value(1e30)] {
                let budget = (maintenance != Maintenance::None).then_some(6);
                let mut spec = spec(maintenance, budget);
                (spec.kernel, spec.gamma, spec.ball) = (kernel, gamma, true);
                let Ok(checked) = spec.check() else { continue };
                let mut learner: Learner<T> = checked.build(3, 3).unwrap();
                for i in 0..60 {
                    let size = [1.0, 1e-30, 0.0, huge.sqrt(), huge][rng.below(5)];
                    let x: Vec<T> = (0..3).map(|_| T::from_f64(size * (2.0 * rng.unit() - 1.0))).collect();
                    let weight = [1.0, 1e-9, 1e9][rng.below(3)];
                    learner.learn_one(&x, i % 3, weight).unwrap();
                    assert!(budget.is_none_or(|budget| learner.n_support() <= budget));
                }
                let what = format!("{maintenance:?} {kernel:?} {gamma:?}");
                let numbers = [learner.support_vectors(), learner.dual_coef()].concat();
                assert!(numbers.iter().all(|x| x.is_finite()), "{what}");
                assert!(learner.mean_weight_degradation().is_finite(), "{what}");
                let near = [T::ONE, T::ZERO, -T::ONE];
                let scores = learner.decision_function(&Rows::one(&near)).unwrap();
                assert!(scores.iter().all(|f| f.is_finite()), "{what}: {scores:?}");
                let mut saved = crate::persist::Tensors::new();
                learner.save(&mut saved);
                let copy: Learner<T> =
                    Learner::load(&checked, &saved).unwrap_or_else(|e| panic!("{what}: {e}"));
                assert_eq!(bytes(&copy), bytes(&learner), "{what}");
            }
        }
    }
}

#[test]
fn extreme_rows_leave_a_legal_model() {
    extreme_rows::<f32>(3e38);
    extreme_rows::<f64>(1.7e308);
}

#[test]
fn rows_without_length_change_nothing() {
    for (kernel, x) in
        [(KernelName::Linear, [0.0; 2]), (KernelName::Cosine, [0.0; 2]), (KernelName::Linear, [1e20, 1e20])]
    {
        let spec = Spec { kernel, ..spec(Maintenance::Oldest, Some(5)) };
        let mut learner: Learner<f32> = build(&spec, 2, 2);
        learner.learn_one(&x, 1, 1.0).unwrap();
        assert_eq!((learner.n_support(), learner.counts().seen, learner.counts().updates), (0, 1, 0));
        learner.learn_one(&[1.0, 2.0], 1, 1.0).unwrap();
        assert_eq!((learner.n_support(), learner.counts().updates), (1, 1));
    }
}
