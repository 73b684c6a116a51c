//! A model at its budget learns without allocating: a batch of 2,000 rows makes no more allocations than a batch of
//! 200, for every algorithm and every strategy, with dense and sparse rows.
//!
//! Two kinds of models have no steady state. An unbounded model grows, and its arrays double from time to time. A
//! sampled model (`average = "random"`) is copied when it is sampled, with decreasing probability.

use allocation_counter::measure;
use budgetrs::generate::{Stream, checkerboard, waveform};
use budgetrs::params::{
    Average, ClassWeight, Forget, Loss, LossParameters, Maintenance, MetricLearning, Rate,
};
use budgetrs::{ALGORITHMS, Learner, Rows, Spec, Targets, Task};
use ndarray::ArrayView2;

const BUDGET: usize = 30;
/// Rows after which the model and its buffers are full.
const WARM: usize = 2500;
const FEW: usize = 200;
const MANY: usize = 2000;
/// Maximum number of allocations per batch, independent of its length.
const PER_BATCH: u64 = 4;
/// Maximum number of allocations in 2,000 rows of an unbounded or sampled model.
const UNSTEADY: u64 = 250;

/// Dense or CSR rows with their targets.
struct Data {
    features: usize,
    dense: Vec<f32>,
    indptr: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f32>,
    classes: Vec<u32>,
    n_classes: usize,
    numbers: Vec<f64>,
    sparse: bool,
}

impl Data {
    /// The rows of a stream; in sparse rows a third of the values are zero.
    fn of(stream: Stream, sparse: bool) -> Self {
        let Stream { rows: mut dense, n_features: features, classes, n_classes } = stream;
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for (i, row) in dense.chunks_mut(features).enumerate() {
            for (j, x) in row.iter_mut().enumerate() {
                if sparse && (i + j) % 3 == 0 {
                    *x = 0.0;
                } else {
                    indices.push(j as u32);
                    values.push(*x);
                }
            }
            indptr.push(values.len());
        }
        let numbers =
            dense.chunks(features).map(|row| row.iter().map(|x| f64::from(x.sin())).sum()).collect();
        Self { features, dense, indptr, indices, values, classes, n_classes, numbers, sparse }
    }

    /// Waveforms; features after the first 21 are noise.
    fn waves(features: usize, sparse: bool) -> Self {
        let Stream { rows, classes, n_classes, .. } = waveform(WARM + FEW + MANY, 1);
        let noise = waveform(classes.len() * features.div_ceil(21), 2).rows;
        let rows = rows.chunks(21).zip(noise.chunks(features));
        let rows = rows.flat_map(|(wave, noise)| [wave, &noise[21..]].concat()).collect();
        Self::of(Stream { rows, n_features: features, classes, n_classes }, sparse)
    }

    /// A noisy checkerboard; with drift, the two classes are exchanged in the middle of the last batch.
    fn board(drifts: bool, sparse: bool) -> Self {
        let mut stream = checkerboard(WARM + FEW + MANY, 0.1, 1);
        if drifts {
            stream.classes[WARM + FEW + MANY / 2..].iter_mut().for_each(|class| *class = 1 - *class);
        }
        Self::of(stream, sparse)
    }

    /// Learns a batch, and returns the number of allocations.
    fn learn(&self, learner: &mut Learner<f32>, from: usize, to: usize) -> u64 {
        let d = self.features;
        let entries = self.indptr[from]..self.indptr[to];
        let indptr: Vec<usize> = self.indptr[from..=to].iter().map(|at| at - entries.start).collect();
        let rows = if self.sparse {
            let (indices, values) = (&self.indices[entries.clone()], &self.values[entries]);
            Rows::Sparse { indptr: &indptr, indices, values, columns: d }
        } else {
            let rows = ArrayView2::from_shape((to - from, d), &self.dense[from * d..to * d]);
            Rows::Dense(rows.expect("whole rows"))
        };
        let targets = match learner.task() {
            Task::Regression => Targets::Values(&self.numbers[from..to]),
            Task::Classes(_) => Targets::Classes(&self.classes[from..to]),
        };
        let mut learned = Ok(());
        let allocations = measure(|| learned = learner.learn_batch(&rows, targets, None)).count_total;
        learned.expect("generated rows are valid");
        allocations
    }

    /// Asserts that a model at its budget learns these rows without allocating. Does nothing if the specification is
    /// invalid.
    fn check(&self, spec: &Spec, task: impl Into<Task>) {
        let Ok(checked) = spec.check() else { return };
        let mut learner = checked.build(self.features, task).expect("a small model can be built");
        self.learn(&mut learner, 0, WARM);
        let few = self.learn(&mut learner, WARM, WARM + FEW);
        let many = self.learn(&mut learner, WARM + FEW, WARM + FEW + MANY);
        let steady = spec.maintenance != Maintenance::None && spec.average != Average::Random;
        let max = if steady { PER_BATCH } else { UNSTEADY };
        assert!(
            few <= max && many <= max,
            "{few} allocations in {FEW} rows, {many} in {MANY}: {spec:?}, sparse {}, {} features",
            self.sparse,
            self.features
        );
    }

    /// Checks classification and, if the algorithm has it, regression.
    fn check_tasks(&self, spec: &Spec) {
        self.check(spec, self.n_classes);
        if let Ok(numbers) = Spec::named_regression(spec.algorithm) {
            let Spec { loss, c0, linear_weight, .. } = numbers;
            // Most rows are inserted, so that the model reaches its budget.
            let loss_parameters = LossParameters { epsilon: 0.001, ..numbers.loss_parameters };
            self.check(&Spec { loss, c0, linear_weight, loss_parameters, ..spec.clone() }, Task::Regression);
        }
    }
}

/// An algorithm with a small budget.
fn named(name: &str) -> Spec {
    let spec = Spec::named(name).expect("an algorithm of the registry");
    Spec { budget: spec.budget.map(|_| BUDGET), ..spec }
}

/// The data for algorithms and strategies.
fn all_rows() -> Vec<Data> {
    let both = [false, true].into_iter();
    both.flat_map(|sparse| [Data::waves(21, sparse), Data::board(false, sparse)]).collect()
}

#[test]
fn every_algorithm() {
    for data in all_rows() {
        for algorithm in ALGORITHMS {
            let spec = named(algorithm.name);
            if algorithm.requires_rate {
                let (rate, max_size) = (Some(Rate::Value(6.0)), Some(BUDGET + 5));
                data.check_tasks(&Spec { rate, max_size, ..spec });
            } else {
                data.check_tasks(&spec);
            }
        }
    }
}

#[test]
fn every_strategy() {
    for data in all_rows() {
        for name in ["bsgd-merge", "bpa-s", "perceptron", "mira", "bogd", "online-kernel"] {
            for maintenance in Maintenance::ALL {
                let budget = (maintenance != Maintenance::None).then_some(BUDGET);
                data.check_tasks(&Spec { maintenance, budget, ..named(name) });
            }
        }
    }
}

#[test]
fn every_average() {
    for data in all_rows() {
        for maintenance in [Maintenance::Merge, Maintenance::Oldest, Maintenance::ProjectNn] {
            for average in [Average::Polynomial, Average::Suffix(0.5), Average::Random] {
                let stream_length = matches!(average, Average::Suffix(_)).then_some(5000);
                data.check_tasks(&Spec { maintenance, average, stream_length, ..named("bsgd-merge") });
            }
        }
    }
}

#[test]
fn every_loss() {
    for data in all_rows() {
        for loss in Loss::ALL {
            let task = if loss.is_regression() { Task::Regression } else { Task::Classes(data.n_classes) };
            for name in ["bsgd-merge", "bpa-s"] {
                let loss_parameters = LossParameters { epsilon: 0.1, ..LossParameters::default() };
                data.check(&Spec { loss, loss_parameters, ..named(name) }, task);
            }
        }
    }
}

/// With a full and a diagonal metric, also with drift.
#[test]
fn the_default() {
    for sparse in [false, true] {
        let boards = [Data::board(true, sparse), Data::board(false, sparse)];
        for data in boards.into_iter().chain([21, 100].map(|features| Data::waves(features, sparse))) {
            for budget in [BUDGET, 500] {
                let spec = Spec { budget: Some(budget), ..named("online-kernel") };
                data.check_tasks(&Spec { class_weight: ClassWeight::Balanced, ..spec.clone() });
                data.check_tasks(&Spec { forget: Forget::Rows(300), ..spec.clone() });
                data.check_tasks(&Spec { metric_learning: MetricLearning::Diagonal, ..spec.clone() });
                data.check_tasks(&Spec { hash_features: Some(16), ..spec.clone() });
                data.check_tasks(&spec);
            }
        }
    }
}
