//! Large models compute rows in blocks: against rows one by one.

use super::{build, bytes, reloaded};
use crate::batch::Task;
use crate::float::Real;
use crate::learner::{Learner, Rows, Target, Targets};
use crate::params::{ALGORITHMS, Average, Forget, Gamma, KernelName, Rate, Scaling, Spec};
use crate::rng::Rng;
use ndarray::{Array2, Axis};

/// A model at full budget is large in both float types.
const FEATURES: usize = 90;
const BUDGET: usize = 120;

/// More rows than gamma may change in.
const ROWS: usize = 1300;

/// Rows of three classes that move during the stream, with classes, values, and weights that are partly zero.
struct Data<T> {
    x: Array2<T>,
    classes: Vec<u32>,
    numbers: Vec<f64>,
    weights: Vec<f64>,
}

impl<T: Real> Data<T> {
    fn new(classes: usize) -> Self {
        let mut rng = Rng::new(4);
        let y: Vec<u32> = (0..ROWS).map(|_| rng.index(classes) as u32).collect();
        let number = |(row, column): (usize, usize)| {
            let place = (y[row] as usize + usize::from(row > 1150)) % classes;
            T::from_f64(rng.normal() + if column % classes == place { 0.25 } else { 0.0 })
        };
        let x = Array2::from_shape_fn((ROWS, FEATURES), number);
        let numbers = x.rows().into_iter().map(|x| x[0].to_f64() + x[1].to_f64()).collect();
        let weights = (0..ROWS).map(|row| if row % 7 == 3 { 0.0 } else { 1.0 }).collect();
        Self { x, classes: y, numbers, weights }
    }

    /// Rows with few values that are not zero.
    fn sparse(classes: usize) -> Self {
        let (mut data, mut rng) = (Self::new(classes), Rng::new(15));
        let zeros = data.x.iter_mut().filter(|_| rng.index(7) > 0);
        zeros.for_each(|x| *x = T::ZERO);
        data
    }

    /// Rows of which some features have sentinels, an outage, and another unit or offset when the classes move.
    fn faulty(classes: usize) -> Self {
        let (mut data, mut rng) = (Self::new(classes), Rng::new(14));
        for (row, mut x) in data.x.rows_mut().into_iter().enumerate() {
            if rng.index(10) == 0 {
                x[3] = T::from_f64(-999.0);
            }
            if (600..650).contains(&row) {
                x[4] = T::from_f64(-999.0);
            }
            if row > 1120 {
                (5..50).for_each(|j| x[j] *= T::from_f64(1e-3));
                x[50] += T::from_f64(1000.0);
            }
        }
        data
    }
}

fn blocks_equal_rows<T: Real>(spec: &Spec, task: Task, what: &str) {
    blocks_of_data_equal_rows(&Data::<T>::new(task.classes().max(2)), spec, task, what);
}

fn blocks_of_data_equal_rows<T: Real>(data: &Data<T>, spec: &Spec, task: Task, what: &str) -> Learner<T> {
    let targets = match task {
        Task::Regression => Targets::Values(&data.numbers),
        Task::Classes(_) => Targets::Classes(&data.classes),
    };
    let empty: Learner<T> = spec.check().unwrap().build(FEATURES, task).unwrap();
    let (mut together, mut cut, mut alone) = (empty.clone(), empty.clone(), empty);
    together.learn_batch(&Rows::Dense(data.x.view()), targets, Some(&data.weights)).unwrap();
    let rows = Rows::Dense(data.x.view());
    let mut parts = cut.begin_learning(&rows, targets, Some(&data.weights)).unwrap();
    for size in (1..).map(|i| i * 5 % 61) {
        if parts.remaining() == 0 {
            break;
        }
        parts.learn(size);
    }
    for (row, x) in data.x.rows().into_iter().enumerate() {
        let target = match task {
            Task::Regression => Target::Value(data.numbers[row]),
            Task::Classes(_) => Target::Class(data.classes[row]),
        };
        alone.learn_one(x.as_slice().unwrap(), target, data.weights[row]).unwrap();
    }
    assert!(together.n_support() * FEATURES * size_of::<T>() > 32 << 10 || spec.budget.is_none(), "{what}");
    assert_eq!(bytes(&together), bytes(&alone), "{what}");
    assert_eq!(bytes(&cut), bytes(&alone), "{what}");

    let scores = together.decision_function(&rows).unwrap();
    for (x, scores) in data.x.axis_chunks_iter(Axis(0), 1).zip(scores.chunks(together.n_outputs())) {
        assert_eq!(alone.decision_function(&Rows::Dense(x)).unwrap(), scores, "{what}");
    }
    together
}

#[test]
fn blocks_of_sparse_rows_are_bit_identical_to_their_rows() {
    let online = Spec { budget: Some(BUDGET), ..Spec::named("online-kernel").unwrap() };
    let merging = Spec {
        scaling: Scaling::Online,
        gamma: Gamma::Standardized,
        alpha: 0.01,
        budget: Some(BUDGET),
        ..Spec::named("bsgd-merge").unwrap()
    };
    for spec in [&online, &Spec { hash_features: Some(80), ..online.clone() }, &merging] {
        let data = Data::<f32>::sparse(3);
        let dense = blocks_of_data_equal_rows(&data, spec, Task::Classes(3), &format!("{spec:?}"));
        blocks_of_data_equal_rows(&Data::<f64>::sparse(2), spec, Task::Classes(2), "two classes");

        // Sparse rows, in another division.
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for x in data.x.rows() {
            for (j, x) in x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                indices.push(j as u32);
                values.push(*x);
            }
            indptr.push(indices.len());
        }
        let rows = Rows::Sparse { indptr: &indptr, indices: &indices, values: &values, columns: FEATURES };
        let mut sparse: Learner<f32> = build(spec, FEATURES, 3);
        let targets = Targets::Classes(&data.classes);
        let mut parts = sparse.begin_learning(&rows, targets, Some(&data.weights)).unwrap();
        parts.learn(1111);
        parts.learn(ROWS);
        assert_eq!(bytes(&sparse), bytes(&dense), "{spec:?}");
    }
}

#[test]
fn blocks_of_faulty_values_are_bit_identical_to_their_rows() {
    let online = Spec { budget: Some(BUDGET), ..Spec::named("online-kernel").unwrap() };
    let forgetful = Spec { forget: Forget::Rows(200), ..online.clone() };
    let hashed = Spec { hash_features: Some(80), ..online.clone() };
    for spec in [online, forgetful, hashed] {
        let data = Data::<f32>::faulty(3);
        let learner = blocks_of_data_equal_rows(&data, &spec, Task::Classes(3), &format!("{spec:?}"));
        assert!(learner.n_restarts() > 0, "{spec:?}");
        blocks_of_data_equal_rows(&Data::<f64>::faulty(2), &spec, Task::Classes(2), "two classes");
    }
    let regression = Spec { budget: Some(BUDGET), ..Spec::named_regression("online-kernel").unwrap() };
    blocks_of_data_equal_rows(&Data::<f64>::faulty(2), &regression, Task::Regression, "regression");
}

/// A model that is saved and loaded between batches of any size is bit-identical to the model of all rows.
#[test]
fn faulty_streams_continue_from_files_bit_identically() {
    let spec = Spec { budget: Some(BUDGET), ..Spec::named("online-kernel").unwrap() };
    let data = Data::<f32>::faulty(2);
    let mut whole: Learner<f32> = build(&spec, FEATURES, 2);
    whole.learn_batch(&Rows::Dense(data.x.view()), Targets::Classes(&data.classes), None).unwrap();
    let mut resumed: Learner<f32> = build(&spec, FEATURES, 2);
    let (mut from, mut size) = (0, 0);
    while from < ROWS {
        size = (size * 7 + 11) % 53;
        let to = (from + size).min(ROWS);
        let rows = data.x.slice_axis(Axis(0), (from..to).into());
        resumed.learn_batch(&Rows::Dense(rows), Targets::Classes(&data.classes[from..to]), None).unwrap();
        resumed = reloaded(&resumed);
        from = to;
    }
    assert_eq!(bytes(&resumed), bytes(&whole));
}

#[test]
fn blocks_have_the_bits_of_their_rows_whatever_the_algorithm() {
    for algorithm in ALGORITHMS {
        let spec = |named: Spec| {
            let budget = named.budget.map(|_| BUDGET);
            let rate = if algorithm.requires_rate { Some(Rate::Value(150.0)) } else { named.rate };
            Spec { budget, rate, alpha: 0.01, gamma: Gamma::Auto, ..named }
        };
        let classes = spec(Spec::named(algorithm.name).unwrap());
        for classes_of in [2, 3] {
            blocks_equal_rows::<f32>(&classes, Task::Classes(classes_of), algorithm.name);
        }
        if let Ok(regression) = Spec::named_regression(algorithm.name) {
            blocks_equal_rows::<f64>(&spec(regression), Task::Regression, algorithm.name);
        }
    }
}

#[test]
fn blocks_are_bit_identical_to_their_rows() {
    let named = |name: &str| Spec { budget: Some(BUDGET), ..Spec::named(name).unwrap() };
    let specs = [
        named("online-kernel"),
        Spec { hash_features: Some(80), ..named("online-kernel") },
        Spec { forget: Forget::Rows(200), ..named("online-kernel") },
        Spec { average: Average::Random, alpha: 0.01, ..named("bsgd-merge") },
        Spec { scaling: Scaling::Online, gamma: Gamma::Standardized, alpha: 0.01, ..named("bsgd-merge") },
        Spec { kernel: KernelName::Laplacian, linear_weight: Some(0.5), alpha: 0.01, ..named("bsgd-random") },
        Spec { kernel: KernelName::Poly, scaling: Scaling::Online, alpha: 0.01, ..named("bsgd-smallest") },
    ];
    for spec in &specs {
        blocks_equal_rows::<f32>(spec, Task::Classes(3), &format!("{spec:?}"));
        blocks_equal_rows::<f64>(spec, Task::Classes(2), &format!("{spec:?}"));
    }
}

#[test]
fn a_model_of_blocks_is_that_of_any_copy() {
    let spec = Spec { budget: Some(BUDGET), ..Spec::named("online-kernel").unwrap() };
    let data = Data::<f32>::new(2);
    let rows = Rows::Dense(data.x.view());
    let mut learner: Learner<f32> = build(&spec, FEATURES, 2);
    let mut parts = learner.begin_learning(&rows, Targets::Classes(&data.classes), None).unwrap();
    parts.learn(1100);
    let mut copy = learner.clone();
    learner.learn_batch(&rows, Targets::Classes(&data.classes), None).unwrap();
    copy.learn_batch(&rows, Targets::Classes(&data.classes), None).unwrap();
    assert_eq!(bytes(&copy), bytes(&learner));
}
