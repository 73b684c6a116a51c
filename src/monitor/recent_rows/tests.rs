//! Trials of the vote, and its scores.

use super::{ROWS, RecentRows, TRIAL, vote_kernel};
use crate::batch::{Label, Row, Task};
use crate::expansion::{KernelExpansion, LinearInput, Query, Shape};
use crate::kernel::{AnyKernel, KernelName, RationalQuadratic};
use crate::ops::{Ops, level};
use crate::params::{Forget, Maintenance, MetricLearning, Spec};
use crate::rng::Rng;

const KERNEL: AnyKernel = AnyKernel::RationalQuadratic(RationalQuadratic { gamma: 0.5, alpha: 2.0 });
const FEATURES: usize = 3;

fn empty(features: usize, task: Task) -> KernelExpansion<f64> {
    KernelExpansion::new(KERNEL, Shape { capacity: Some(10), features, outputs: task.outputs() })
}

fn spec() -> Spec {
    Spec::named("online-kernel").unwrap()
}

fn recent(task: Task) -> RecentRows<f64> {
    *RecentRows::new(&spec().check().unwrap(), &empty(FEATURES, task), task).unwrap()
}

/// Learns rows of two classes, which the sign of the first feature tells apart, beside a model that is always right or
/// always wrong.
fn learn(recent: &mut RecentRows<f64>, rows: u64, model_is_right: bool, rng: &mut Rng) {
    for _ in 0..rows {
        let x = [rng.normal(), rng.normal(), rng.normal()];
        let class = usize::from(x[0] > 0.0);
        let z = Row::Dense(&x[..]);
        let query = Query::new(vote_kernel(KERNEL), LinearInput::from(z), z);
        if recent.is_collecting() {
            if recent.vote(&query) {
                recent.learn(Ops::at(level()), (class, 1.0), model_is_right, &mut [0.0; 2]);
            }
            recent.insert(&query, Label::of_class(class, 2), (class, 1.0));
        }
    }
}

#[test]
fn a_trial_of_a_better_vote_has_success() {
    let (mut recent, mut rng) = (recent(Task::Classes(2)), Rng::new(1));
    learn(&mut recent, TRIAL / 2, false, &mut rng);
    assert_eq!((recent.saved, recent.expansion().len()), (0.0, ROWS), "no tests while the window fills");
    learn(&mut recent, 100, false, &mut rng);
    assert!(recent.predicts());
    learn(&mut recent, TRIAL, false, &mut rng);
    assert_eq!((recent.trial, recent.expansion().len()), (0, ROWS));
    assert!(recent.is_collecting());
    learn(&mut recent, 3000, true, &mut rng);
    assert!(!recent.is_collecting(), "the model is better now");
    assert_eq!((recent.saved, recent.expansion().len()), (0.0, 0));
}

#[test]
fn a_trial_without_success_ends_and_drifts_begin_others() {
    let (mut recent, mut rng) = (recent(Task::Classes(2)), Rng::new(1));
    learn(&mut recent, TRIAL - 1, true, &mut rng);
    assert!(recent.is_collecting());
    learn(&mut recent, 1, true, &mut rng);
    assert!(!recent.is_collecting() && recent.expansion().len() == 0);
    recent.begin_trial();
    learn(&mut recent, 10, true, &mut rng);
    assert_eq!((recent.trial, recent.expansion().len()), (TRIAL - 10, 10));
}

#[test]
fn later_passes_stop_the_vote() {
    let (mut recent, mut rng) = (recent(Task::Classes(2)), Rng::new(1));
    learn(&mut recent, TRIAL, false, &mut rng);
    assert!(recent.predicts());
    recent.stop();
    assert!(!recent.is_collecting() && recent.expansion().len() == 0);
}

/// The scores from scratch, over the last 512 rows, some of which are sparse.
#[test]
fn scores_are_sums_over_the_window() {
    for task in [Task::Classes(2), Task::Classes(3)] {
        let (mut recent, mut rng) = (recent(task), Rng::new(3));
        recent.saved = 1e9;
        let mut rows = Vec::new();
        for i in 0..ROWS + 70 {
            let is_sparse = rng.index(3) == 0;
            let x = [rng.normal(), if is_sparse { 0.0 } else { rng.normal() }, rng.normal()];
            let (class, weight) = (rng.index(task.classes()), 1.0 + rng.uniform());
            let values = [x[0], x[2]];
            let z = if is_sparse { Row::Sparse(&[0, 2], &values) } else { Row::Dense(&x[..]) };
            let query = Query::new(vote_kernel(KERNEL), LinearInput::from(z), z);
            assert!(recent.vote(&query));
            let mut f = vec![0.0; task.classes()];
            for (other, class, weight) in rows.iter().skip(i.saturating_sub(ROWS)) {
                let distance: f64 = x.iter().zip(other).map(|(a, b): (&f64, &f64)| (a - b).powi(2)).sum();
                f[*class] += weight * (-2.0 * distance).exp();
            }
            let f = if task.classes() == 2 { vec![f[1] - f[0]] } else { f };
            for (found, expected) in recent.f.iter().zip(f) {
                assert!((found - expected).abs() < 1e-12, "row {i}: {found} instead of {expected}");
            }
            recent.insert(&query, Label::of_class(class, task.classes()), (class, weight));
            rows.push((x, class, weight));
        }
        recent.expansion().check_invariants(vote_kernel(KERNEL));
    }
}

#[test]
fn only_narrow_rows_and_radial_kernels_vote() {
    let rows = |spec: Spec, features| RecentRows::<f64>::max_rows(&spec.check().unwrap(), features);
    assert_eq!((rows(spec(), 64), rows(spec(), 65)), (ROWS, 0));
    assert_eq!(rows(Spec::named_regression("online-kernel").unwrap(), 3), 0);
    assert_eq!(rows(Spec { forget: Forget::None, ..spec() }, 3), 0);
    assert_eq!(rows(Spec::named("bsgd-merge").unwrap(), 3), 0);
    let laplacian = Spec {
        kernel: KernelName::Laplacian,
        maintenance: Maintenance::Oldest,
        metric_learning: MetricLearning::None,
        ..spec()
    };
    assert_eq!(rows(laplacian, 3), 0);
}
