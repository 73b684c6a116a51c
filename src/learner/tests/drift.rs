//! Incrementally updated state against algebra from scratch, after ten thousand maintenance steps.

use super::{build, spec};
use crate::learner::{Learner, Rows, Targets};
use crate::params::{Loss, Maintenance, Spec};
use crate::rng::Rng;

/// Rows of noise with unpredictable targets; every fourth row is close to a recent one.
fn rows(count: usize, rng: &mut Rng) -> Vec<[f64; 3]> {
    let mut rows: Vec<[f64; 3]> = Vec::new();
    for i in 0..count {
        let noise = |rng: &mut Rng| [rng.normal(), rng.normal(), rng.normal()];
        let mut x = noise(rng);
        if i > 0 && rng.index(4) == 0 {
            let near = rows[i - 1 - rng.index(i.min(40))];
            let step = noise(rng);
            x = [0, 1, 2].map(|j| near[j] + 1e-4 * step[j]);
        }
        rows.push(x);
    }
    rows
}

fn check(spec: &Spec, what: &str) {
    let mut rng = Rng::new(11);
    let numbers = spec.loss.is_regression();
    let mut learner: Learner<f64> = if numbers {
        spec.check().unwrap().build(3, crate::Task::Regression).unwrap()
    } else {
        build(spec, 3, 2)
    };
    for (i, x) in rows(11_000, &mut rng).iter().enumerate() {
        let (class, number) = ([rng.index(2) as u32], [rng.normal()]);
        let targets = if numbers { Targets::Values(&number) } else { Targets::Classes(&class) };
        learner.learn_batch(&Rows::one(x), targets, None).unwrap();
        if i % 500 == 499 {
            learner.expansion.check_invariants(learner.kernel());
            if let Some(gram) = learner.budget.gram() {
                gram.check_invariants(&learner.expansion, learner.kernel());
            }
            let (exact, size) = learner.expansion.norm2_f64(learner.kernel());
            let off = (learner.budget.known_norm() - exact).abs();
            assert!(off <= 1e-11 * size, "{what}, row {i}: |w|^2 is off by {off:e} of at most {size:e}");
        }
    }
    assert!(learner.counts().maintenances > 10_000, "{what}: {:?}", learner.counts());
}

#[test]
fn norms_and_factors_follow_ten_thousand_maintenances() {
    let strategies = [
        Maintenance::Project,
        Maintenance::ProjectBest,
        Maintenance::ProjectNn,
        Maintenance::Merge,
        Maintenance::Smallest,
    ];
    for maintenance in strategies {
        for loss in [Loss::Hinge, Loss::SquaredError] {
            let spec = Spec { loss, project_to_ball: true, ..spec(maintenance, Some(40)) };
            check(&spec, &format!("{maintenance:?} {loss:?}"));
        }
    }
}
