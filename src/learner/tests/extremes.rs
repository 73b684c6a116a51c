//! Values near the limits of their type.

use super::{bytes, reloaded, spec};
use crate::float::Real;
use crate::learner::{Learner, Rows};
use crate::params::{Gamma, KernelName, Loss, Maintenance};
use crate::rng::Rng;

/// A number with a random power of ten between two limits.
fn anywhere(rng: &mut Rng, (from, to): (f64, f64)) -> f64 {
    10f64.powf(from + (to - from) * rng.uniform())
}

/// Asserts that all values of the model are finite.
fn assert_finite<T: Real>(learner: &Learner<T>, what: impl Fn() -> String) {
    let numbers = [learner.support_vectors(), learner.dual_coef()].concat();
    assert!(numbers.iter().all(|x| x.is_finite()), "{}", what());
    let weights = learner.expansion.coefficients().weights();
    let finite = (0..learner.expansion.n_simd() * T::LANES).all(|slot| weights.get(slot).is_finite());
    assert!(finite, "{}: the weights of the support vectors", what());
    assert!(learner.budget.known_norm().is_finite(), "{}: |w|^2", what());
    assert!(learner.mean_weight_degradation().is_finite(), "{}", what());
}

/// Rows of any size: either an error, and then the model does not change, or a valid model that can be saved, loaded
/// and used for prediction.
fn extreme_rows<T: Real>((least, longest, largest): (f64, f64, f64)) {
    let (mut rng, mut all_refused) = (Rng::new(5), 0);
    let gammas = [Gamma::Scale, Gamma::Auto, Gamma::Value(1e-30), Gamma::Value(1e30)];
    for maintenance in Maintenance::ALL {
        for kernel in KernelName::ALL {
            let rules = [
                "bsgd-merge, ball",
                "bsgd-merge",
                "bsgd-merge, log",
                "perceptron",
                "mira",
                "bogd",
                "bpa-s",
                "bpa-s, PA-II",
            ];
            for (rule, gamma) in rules.into_iter().flat_map(|rule| gammas.map(|gamma| (rule, gamma))) {
                let budget = (maintenance != Maintenance::None).then_some(6);
                let mut spec = spec(maintenance, budget);
                (spec.kernel, spec.gamma, spec.project_to_ball) = (kernel, gamma, rule.ends_with("ball"));
                if ["perceptron", "mira", "bogd"].contains(&rule) {
                    spec.algorithm = rule;
                }
                if rule.ends_with("log") {
                    spec.loss = Loss::LogLoss;
                }
                if rule == "bogd" {
                    (spec.eta0, spec.alpha) = (1e3, 9e-4);
                }
                if rule.starts_with("bpa") {
                    (spec.algorithm, spec.may_discard_new, spec.c) = ("bpa-s", gamma == Gamma::Auto, 1e15);
                    spec.loss = if rule.ends_with("PA-II") { Loss::SquaredHinge } else { Loss::Hinge };
                }
                spec.kernel_parameters.degree = [1, 3, 9][rng.index(3)];
                let Ok(checked) = spec.check() else { continue };
                let mut learner: Learner<T> = checked.build(3, 3).unwrap();
                let (mut learned, mut refused) = (Vec::new(), 0);
                for i in 0..60 {
                    let what = || format!("{spec:?}, row {i}");
                    // The Laplacian kernel has no squares.
                    let most = if kernel == KernelName::Laplacian { largest } else { longest };
                    let size = anywhere(&mut rng, (least, most));
                    let x: Vec<T> = (0..3).map(|_| T::from_f64(size * (2.0 * rng.uniform() - 1.0))).collect();
                    let weight = [1.0, 1e-9, 1e9][rng.index(3)];
                    let before = learner.clone();
                    if learner.learn_one(&x, i % 3, weight).is_err() {
                        assert_eq!(bytes(&learner), bytes(&before), "{}", what());
                        refused += 1;
                        continue;
                    }
                    learned.push(x);
                    assert!(budget.is_none_or(|budget| learner.n_support() <= budget));
                    assert_finite(&learner, what);
                }
                let what = format!("{spec:?}: {} learned, {refused} refused", learned.len());
                // A tiny first row can make gamma = "scale" too large for all later rows.
                assert!(learned.len() > 5 || gamma == Gamma::Scale, "{what}");
                all_refused += refused;
                // Learned rows can be predicted, also with the present gamma.
                for x in &learned {
                    learner
                        .decision_function(&Rows::one(x))
                        .unwrap_or_else(|error| panic!("{what}: {error}"));
                }
                assert_eq!(bytes(&reloaded(&learner)), bytes(&learner), "{what}");
            }
        }
    }
    assert!(all_refused > 1000, "{all_refused} refused");
}

#[test]
fn extreme_rows_leave_a_valid_model() {
    extreme_rows::<f32>((-22.0, 20.0, 36.0));
    extreme_rows::<f64>((-80.0, 80.0, 280.0));
}
