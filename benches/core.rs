//! The hot loops, through the public interface: kernel rows, each kind of maintenance, learning, prediction.
//!
//! `cargo bench -- NAME` runs those whose names contain NAME; `cargo bench -- --test` runs each once. One thread, but
//! for the group `parallel`.

use budgetrs::generate::{Stream, checkerboard, waveform};
use budgetrs::params::{Average, Gamma, KernelName, Maintenance, Rate, Rule};
use budgetrs::rng::Rng;
use budgetrs::{Learner, Rows, Spec, Targets};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ndarray::ArrayView2;
use std::hint::black_box;

/// Rows, their classes and the view that learners take.
struct Data {
    stream: Stream,
    n: usize,
}

impl Data {
    fn of(stream: Stream) -> Self {
        let n = stream.classes.len();
        Self { stream, n }
    }

    /// Standard normal rows with classes drawn by a coin.
    fn normal(n: usize, features: usize) -> Self {
        let mut rng = Rng::new(1);
        let rows = (0..n * features).map(|_| rng.normal() as f32).collect();
        let classes = (0..n).map(|_| rng.index(2) as u32).collect();
        Self { stream: Stream { rows, classes, n_features: features, n_classes: 2 }, n }
    }

    fn rows(&self) -> Rows<'_, f32> {
        let shape = (self.n, self.stream.n_features);
        Rows::Dense(ArrayView2::from_shape(shape, &self.stream.rows).expect("the stream has whole rows"))
    }

    fn learn(&self, learner: &mut Learner<f32>) {
        let learned = learner.learn_batch(&self.rows(), Targets::Classes(&self.stream.classes), None);
        learned.expect("generated rows are valid");
    }
}

fn learner(data: &Data, change: impl FnOnce(&mut Spec)) -> Learner<f32> {
    let mut spec = Spec::named("bsgd-merge").expect("an algorithm of the registry");
    change(&mut spec);
    let spec = spec.check().expect("the benchmarks ask for valid models");
    spec.build(data.stream.n_features, data.stream.n_classes).expect("the models fit into memory")
}

/// Every row is inserted: with a lambda this large, or a C of its inverse, no margin is wide enough.
const ALWAYS: f64 = 1e15;

/// One kernel row, its score included: a row against B stored vectors.
fn kernel_rows(c: &mut Criterion) {
    const ROWS: usize = 64;
    let mut group = c.benchmark_group("row");
    for (budget, features) in [(100, 2), (500, 2), (500, 21), (500, 54), (1000, 123), (1000, 784)] {
        let stored = Data::normal(budget, features);
        let asked = Data::normal(ROWS, features);
        for kernel in [KernelName::Rbf, KernelName::Laplacian, KernelName::Poly] {
            let mut learner = learner(&stored, |spec| {
                (spec.budget, spec.maintenance, spec.alpha) = (Some(budget), Maintenance::Stop, ALWAYS);
                (spec.kernel, spec.gamma) = (kernel, Gamma::Auto);
            });
            stored.learn(&mut learner);
            assert_eq!(learner.n_support(), budget);
            group.throughput(Throughput::Elements(ROWS as u64));
            group.bench_function(BenchmarkId::new(kernel.name(), format!("{budget}x{features}")), |b| {
                b.iter(|| black_box(learner.decision_function(&asked.rows())));
            });
        }
    }
    group.finish();
}

/// Rows that are all inserted into a full model: a kernel row, an insertion and the maintenance it asks for. `stop` is
/// the kernel row alone.
fn maintenance(c: &mut Criterion) {
    const ROWS: usize = 256;
    let mut group = c.benchmark_group("maintain");
    for budget in [100, 500] {
        let data = Data::of(waveform(budget + ROWS, 2));
        let (full, more) = (budget, ROWS);
        for maintenance in Maintenance::ALL.into_iter().filter(|m| *m != Maintenance::None) {
            let mut learner = learner(&data, |spec| {
                (spec.budget, spec.maintenance, spec.alpha) = (Some(budget), maintenance, ALWAYS);
                match maintenance.entry().rule {
                    Some(Rule::PassiveAggressive) => (spec.algorithm, spec.c) = ("bpa-s", 1.0 / ALWAYS),
                    Some(Rule::Perceptron) => (spec.algorithm, spec.eta) = ("perceptron", 0.0),
                    Some(Rule::Ogd) => (spec.algorithm, spec.alpha, spec.eta0) = ("bogd", 1.0, 1e-10),
                    _ => {}
                }
                spec.gamma = Gamma::Value(0.03);
            });
            let part = |from: usize, to: usize| {
                let rows = &data.stream.rows[from * data.stream.n_features..to * data.stream.n_features];
                ArrayView2::from_shape((to - from, data.stream.n_features), rows).expect("whole rows")
            };
            let classes = &data.stream.classes;
            learner
                .learn_batch(&Rows::Dense(part(0, full)), Targets::Classes(&classes[..full]), None)
                .expect("generated rows are valid");
            group.throughput(Throughput::Elements(more as u64));
            group.bench_function(BenchmarkId::new(maintenance.name(), budget), |b| {
                b.iter_batched_ref(
                    || learner.clone(),
                    |learner| {
                        let rows = Rows::Dense(part(full, full + more));
                        learner.learn_batch(&rows, Targets::Classes(&classes[full..]), None)
                    },
                    BatchSize::LargeInput,
                );
            });
        }
    }
    group.finish();
}

/// Budgeted SGD with merging from the first row on, as `examples/stream.rs` runs it.
fn learning(c: &mut Criterion) {
    const ROWS: usize = 50_000;
    let mut group = c.benchmark_group("learn");
    group.sample_size(20).throughput(Throughput::Elements(ROWS as u64));
    let streams = [
        ("checkerboard", Data::of(checkerboard(ROWS, 0.0, 1)), 4.0),
        ("noisy", Data::of(checkerboard(ROWS, 0.15, 1)), 4.0),
        ("waveform", Data::of(waveform(ROWS, 1)), 0.03),
    ];
    for (name, data, gamma) in &streams {
        for budget in [100, 500] {
            let empty = learner(data, |spec| {
                (spec.budget, spec.gamma) = (Some(budget), Gamma::Value(*gamma));
            });
            group.bench_function(BenchmarkId::new(*name, budget), |b| {
                b.iter_batched_ref(|| empty.clone(), |learner| data.learn(learner), BatchSize::LargeInput);
            });
        }
    }
    group.finish();
}

/// Gradient descent that keeps a mean of its models, or lets the model grow.
fn averages(c: &mut Criterion) {
    const ROWS: usize = 20_000;
    let mut group = c.benchmark_group("average");
    group.sample_size(20).throughput(Throughput::Elements(ROWS as u64));
    let data = Data::of(waveform(ROWS, 1));
    for maintenance in [Maintenance::Merge, Maintenance::Project, Maintenance::ProjectNn] {
        let kinds = [("last", Average::Last, None), ("mean", Average::Suffix(0.5), None)];
        let grown = ("grown", Average::Last, Some(Rate::Value(0.6 * ROWS as f64)));
        for (kind, average, rate) in kinds.into_iter().chain([grown]) {
            let empty = learner(&data, |spec| {
                (spec.budget, spec.gamma, spec.maintenance) = (Some(200), Gamma::Value(0.03), maintenance);
                (spec.average, spec.rate) = (average, rate);
            });
            group.bench_function(BenchmarkId::new(maintenance.name(), kind), |b| {
                b.iter_batched_ref(|| empty.clone(), |learner| data.learn(learner), BatchSize::LargeInput);
            });
        }
    }
    group.finish();
}

/// Predictions of a batch on all threads.
fn prediction(c: &mut Criterion) {
    const ROWS: usize = 4096;
    let mut group = c.benchmark_group("parallel");
    group.throughput(Throughput::Elements(ROWS as u64));
    let data = Data::of(waveform(ROWS, 3));
    let mut learner = learner(&data, |spec| spec.gamma = Gamma::Value(0.03));
    data.learn(&mut learner);
    group.bench_function(BenchmarkId::new("predict", learner.n_support()), |b| {
        b.iter(|| black_box(learner.predict(&data.rows())));
    });
    group.finish();
}

criterion_group!(benches, kernel_rows, maintenance, learning, averages, prediction);
criterion_main!(benches);
