//! A large budget costs what the model holds.

use budgetrs::model::{AnyLearner, Model};
use budgetrs::params::Gamma;
use budgetrs::{Classes, Learner, Spec};

/// Bytes of memory that this process has, where the system tells.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = status.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

#[test]
fn a_small_file_of_a_large_budget_takes_little_memory() {
    // Full, they would take 2 GB of vectors, and 800 MB of vectors and a triangle of 1.6 GB.
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
        let back = Model::from_bytes(&file).unwrap();
        let grown = resident().unwrap_or(0).saturating_sub(before.unwrap_or(0));
        assert!(file.len() < 200_000, "{algorithm}: a file of {} bytes", file.len());
        assert!(grown < 400 << 20, "{algorithm}: {} MiB for two models of three vectors", grown >> 20);
        drop(back);
    }
}
