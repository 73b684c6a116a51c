//! The memory of a model with a large budget depends on the support vectors that it has.

use budgetrs::model::{AnyLearner, Model};
use budgetrs::params::Gamma;
use budgetrs::{Classes, Learner, Spec};

/// Resident memory of this process in bytes; `None` if the system does not report it.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = status.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

#[test]
fn a_small_file_of_a_large_budget_takes_little_memory() {
    // At full budget the first would take 2 GB of vectors, the second 800 MB of vectors and 1.6 GB of Gram factor.
    for (algorithm, budget, features) in [("bsgd-merge", 1 << 24, 30), ("bsgd-project", 20_000, 10_000)] {
        let mut spec = Spec::named(algorithm).unwrap();
        (spec.budget, spec.gamma) = (Some(budget), Gamma::Value(1.0));
        let spec = spec.check().unwrap();
        let before = resident();
        let mut learner: Learner<f32> = spec.build(features, 2).unwrap();
        for i in 0..3u32 {
            learner.learn_one(&vec![i as f32; features], i % 2, 1.0).unwrap();
        }
        let trained = Some(AnyLearner::F32(learner));
        let model = Model { classes: Some(Classes::Bool), trained, ..Model::new(spec) };
        let file = model.to_bytes().unwrap();
        let loaded = Model::from_bytes(&file).unwrap();
        let added = resident().unwrap_or(0).saturating_sub(before.unwrap_or(0));
        assert!(file.len() < 200_000, "{algorithm}: a file of {} bytes", file.len());
        assert!(added < 400 << 20, "{algorithm}: {} MiB for two models of three vectors", added >> 20);
        drop(loaded);
    }
}
