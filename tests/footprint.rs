//! The memory estimate of models compared with the allocator: bytes allocated and not freed, for every algorithm, in
//! both float types, with several budgets and numbers of features. The memory limit of [`KeyedModels`] depends on the
//! estimate.

use allocation_counter::measure;
use budgetrs::keyed::{KeyedModels, Keys};
use budgetrs::model::{Batch, LearnerFloat, Model};
use budgetrs::params::{Average, Rate};
use budgetrs::{ALGORITHMS, Labels, Rows, Spec};
use ndarray::Array2;

const KEYS: usize = 5;
/// Budget, features, classes, and rows per key.
const SHAPES: [(usize, usize, usize, usize); 11] = [
    (20, 8, 2, 20),
    (20, 8, 2, 100),
    (5, 2, 2, 100),
    (20, 8, 5, 100),
    (50, 40, 2, 150),
    (200, 20, 3, 500),
    // Models far below their budget, and models with many features.
    (500, 20, 2, 2),
    (1000, 20, 3, 5),
    (100, 100, 2, 1),
    (20, 1500, 2, 20),
    (20, 400, 2, 360),
];

/// The ratio of estimated to allocated bytes for the models of some keys.
fn estimated_to_allocated<T: LearnerFloat>(
    spec: &Spec,
    (features, classes, rows): (usize, usize, usize),
) -> f64 {
    let all = rows * KEYS;
    let keys = Keys::Int((0..all).map(|row| (row % KEYS) as i64).collect());
    let number = |i: usize, j: usize| T::from_f64(((i * 7919 + j * 104_729) % 1009) as f64 / 500.0 - 1.0);
    let x = Array2::from_shape_fn((all, features), |(i, j)| number(i, j));
    let y = Labels::Int((0..all).map(|i| ((i * 31 + i / 7) % classes) as i64).collect());
    let begin = Model::new(spec.check().expect("a valid specification"));
    let mut models = KeyedModels::new(begin).expect("a model that can be saved");
    let learned = measure(|| {
        for _ in 0..3 {
            models.learn(&keys, &Rows::Dense(x.view()), None, &Batch::labels(&y)).expect("rows are valid");
        }
    });
    models.memory() as f64 / learned.bytes_current as f64
}

fn check(spec: &Spec, shape: (usize, usize, usize), wrong: &mut Vec<String>) {
    for (name, ratio) in [
        ("f32", estimated_to_allocated::<f32>(spec, shape)),
        ("f64", estimated_to_allocated::<f64>(spec, shape)),
    ] {
        // Block buffers are estimated from a size on, near which they may not be allocated yet.
        if !(0.7..1.9).contains(&ratio) {
            let (budget, average) = (spec.budget, spec.average);
            wrong.push(format!(
                "{} {name}, budget {budget:?}, {average:?}, {shape:?}: {ratio:.2}",
                spec.algorithm
            ));
        }
    }
}

#[test]
fn the_memory_estimate_is_near_the_allocated_memory() {
    let mut wrong = Vec::new();
    for (budget, features, classes, rows) in SHAPES {
        let shape = (features, classes, rows);
        for algorithm in ALGORITHMS {
            let spec = Spec::named(algorithm.name).expect("an algorithm of the registry");
            let spec = Spec { budget: spec.budget.map(|_| budget), ..spec };
            let rate = algorithm.requires_rate.then_some(Rate::Value(6.0));
            let max_size = rate.is_some().then_some(budget);
            check(&Spec { rate, max_size, ..spec }, shape, &mut wrong);
        }
        for average in [Average::Polynomial, Average::Random] {
            let spec = Spec::named("bsgd-merge").expect("an algorithm of the registry");
            check(&Spec { average, budget: Some(budget), ..spec }, shape, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "estimated / allocated:\n{}", wrong.join("\n"));
}

/// A loaded collection has no model in memory yet from which the size of a model is known.
#[test]
fn the_memory_limit_holds_in_the_first_call() {
    const ALL: usize = 80;
    let x = Array2::from_shape_fn((150 * ALL, 40), |(i, j)| ((i * 7919 + j * 104_729) % 1009) as f32 / 500.0);
    let of = |rows: usize| Keys::Int((0..rows).map(|row| (row % ALL) as i64).collect());
    let y = |rows: usize| Labels::Int((0..rows).map(|i| ((i * 31 + i / 7) % 2) as i64).collect());
    let spec = Spec { budget: Some(60), ..Spec::named("bsgd-merge").expect("an algorithm of the registry") };
    let begin = Model::new(spec.check().expect("a valid specification"));
    let mut models = KeyedModels::new(begin).expect("a model that can be saved");
    models.learn(&of(150 * ALL), &Rows::Dense(x.view()), None, &Batch::labels(&y(150 * ALL))).expect("valid");
    let one = models.memory() / ALL;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("models");
    models.save(&path).expect("it is saved");
    drop(models);
    let mut models = KeyedModels::load(&path).expect("it is loaded");
    models.set_memory_limit(10 * one, None).expect("a bound");
    let learned = measure(|| {
        let rows = x.slice_axis(ndarray::Axis(0), (0..ALL).into());
        models.learn(&of(ALL), &Rows::Dense(rows), None, &Batch::labels(&y(ALL))).expect("valid");
    });
    let (peak, rest) = (learned.bytes_max as usize, models.memory());
    assert!(peak < 15 * one, "{peak} bytes at the peak, a model takes {one}");
    assert!((5 * one..=10 * one).contains(&rest), "{rest} bytes of models remain, a model takes {one}");
}
