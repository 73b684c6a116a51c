//! A fit is its passes, learned one by one; then a regression is refitted.

use super::{Fit, FitObserver, Pass, Passes};
use crate::learner::{FitRows, LearnSession, Learner};
use crate::model::{Batch, LearnerFloat, Model};
use crate::params::{Average, Forget, Spec};
use crate::rng::Rng;
use crate::{Labels, Rows};
use ndarray::{Array2, ArrayView2, Axis};
use std::ops::ControlFlow;

/// Remembers the passes, and ends the fit at a call.
#[derive(Default)]
struct Record {
    orders: Vec<Vec<usize>>,
    max_passes: usize,
    n_seen: Vec<[u64; 2]>,
    /// The numbers of rows of the calls of `learn`.
    learned: Vec<usize>,
    ends_in_learn: Option<usize>,
    ends_after_pass: Option<usize>,
}

fn end_if(ends: bool) -> ControlFlow<()> {
    if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

impl<T: LearnerFloat> FitObserver<T> for Record {
    fn learn(&mut self, session: &mut LearnSession<'_, '_, T>, rows: usize) -> ControlFlow<()> {
        session.learn(rows);
        self.learned.push(rows);
        end_if(self.ends_in_learn == Some(self.learned.len()))
    }

    fn pass_ended(&mut self, pass: &Pass<'_>) -> ControlFlow<()> {
        self.orders.push(pass.order.to_vec());
        assert_eq!(pass.number, self.orders.len());
        self.max_passes = pass.max_passes;
        self.n_seen.push([pass.halfway.n_seen, pass.counts.n_seen]);
        end_if(self.ends_after_pass == Some(pass.number))
    }
}

/// Rows with classes and targets. All of the targets' variance is noise, or nearly none.
struct Data {
    x: Array2<f64>,
    labels: Labels,
    values: Vec<f64>,
}

impl Data {
    fn new(n: usize, is_noise: bool) -> Self {
        let mut rng = Rng::new(7);
        let x = Array2::from_shape_simple_fn((n, 2), || rng.normal());
        let labels = x.outer_iter().map(|x| i64::from(x[0] * x[1] > 0.0)).collect();
        let values =
            x.outer_iter().map(|x| if is_noise { rng.normal() } else { x[0] + x[1].sin() }).collect();
        Self { x, labels: Labels::Int(labels), values }
    }

    fn rows(&self) -> Rows<'_, f64> {
        Rows::Dense(self.x.view())
    }

    fn batch(&self, is_regression: bool) -> Batch<'_> {
        if is_regression { Batch::values(&self.values) } else { Batch::labels(&self.labels) }
    }

    fn fit(&self, model: &mut Model, fit: Fit) -> Record {
        let mut record = Record::default();
        let batch = self.batch(model.spec.spec().loss.is_regression());
        let passes = model.fit(&self.rows(), None, &batch, fit, &mut record).unwrap();
        assert_eq!(passes, Some(record.orders.len()));
        record
    }

    /// The number of passes and their maximum.
    fn passes(&self, model: &mut Model, fit: Fit) -> (usize, usize) {
        let record = self.fit(model, fit);
        (record.orders.len(), record.max_passes)
    }
}

fn model(spec: Spec) -> Model {
    Model::new(Spec { budget: spec.budget.map(|_| 20), ..spec }.check().unwrap())
}

fn classifier(algorithm: &str) -> Model {
    model(Spec::named(algorithm).unwrap())
}

fn regressor(algorithm: &str) -> Model {
    model(Spec::named_regression(algorithm).unwrap())
}

fn numbered(passes: usize) -> Fit {
    Fit { passes: Passes::Number(passes), ..Fit::default() }
}

/// The model after the passes of a fit, learned one by one.
fn learned(mut model: Model, data: &Data, batch: &Batch<'_>, orders: &[Vec<usize>], repeats: bool) -> Model {
    for (number, order) in orders.iter().enumerate() {
        let batch = Batch { order: Some(order), repeated: repeats && number > 0, ..*batch };
        model.learn(&data.rows(), None, &batch).unwrap();
    }
    model
}

fn bytes(model: &Model) -> Vec<u8> {
    model.to_bytes().unwrap()
}

#[test]
fn a_fit_is_its_passes() {
    let data = Data::new(301, false);
    for algorithm in ["online-kernel", "bsgd-merge", "pa-merge", "perceptron"] {
        let mut fitted = classifier(algorithm);
        let record = data.fit(&mut fitted, numbered(3));
        let n_seen: Vec<[u64; 2]> = [0, 301, 602].map(|before| [before + 150, before + 301]).to_vec();
        assert_eq!((&record.n_seen, &record.learned), (&n_seen, &vec![150, 151, 150, 151, 150, 151]));
        let repeats = algorithm == "online-kernel";
        let expected = learned(classifier(algorithm), &data, &data.batch(false), &record.orders, repeats);
        assert!(bytes(&fitted) == bytes(&expected), "{algorithm}");
        let other = learned(classifier(algorithm), &data, &data.batch(false), &record.orders, !repeats);
        assert!(bytes(&fitted) != bytes(&other), "{algorithm}");
    }
}

#[test]
fn the_number_of_passes_depends_on_the_algorithm_and_the_rows() {
    let data = Data::new(100, false);
    let auto = Fit::default();
    let in_order = Fit { shuffle: false, ..auto };
    assert_eq!(data.passes(&mut classifier("online-kernel"), auto), (3, 3));
    assert_eq!(data.passes(&mut regressor("online-kernel"), auto), (3, 3));
    assert_eq!(data.passes(&mut classifier("online-kernel"), in_order), (1, 1));
    assert_eq!(data.passes(&mut classifier("bsgd-merge"), auto), (1, 1));
    assert_eq!(data.passes(&mut classifier("bsgd-merge"), numbered(4)), (4, 4));
    assert_eq!(data.passes(&mut classifier("online-kernel"), Fit { shuffle: false, ..numbered(2) }), (2, 2));

    let x = Array2::from_shape_fn((100_001, 1), |(i, _)| i as f32);
    let labels = Labels::Int((0..100_001).map(|i| i % 2).collect());
    for (n, expected) in [(100_000, 3), (100_001, 1)] {
        // Rows of weight 0 do not count.
        let weights: Vec<f64> = (0..100_001).map(|i| f64::from(u8::from(i < n))).collect();
        let batch = Batch { weights: Some(&weights), ..Batch::labels(&labels) };
        let mut model =
            Model::new(Spec { budget: Some(1), ..Spec::named("online-kernel").unwrap() }.check().unwrap());
        let mut record = Record { ends_after_pass: Some(1), ..Record::default() };
        model.fit(&Rows::Dense(x.view()), None, &batch, auto, &mut record).unwrap();
        assert_eq!(record.max_passes, expected);
    }
}

#[test]
fn orders_depend_on_the_seed_and_on_the_rows_learned_before() {
    let data = Data::new(50, false);
    let orders = |seed: u64, before: usize, fit: Fit| {
        let mut model = model(Spec { seed, ..Spec::named("online-kernel").unwrap() });
        if before > 0 {
            let first = Rows::Dense(data.x.slice_axis(Axis(0), (..before).into()));
            let Labels::Int(y) = &data.labels else { unreachable!() };
            model.learn(&first, None, &Batch::labels(&Labels::Int(y[..before].to_vec()))).unwrap();
        }
        data.fit(&mut model, fit).orders
    };
    let in_order: Vec<usize> = (0..50).collect();
    let mut found = Vec::new();
    for (seed, before) in [(0, 0), (1, 0), (2, 0), (0, 30), (1, 30)] {
        let passes = orders(seed, before, Fit::default());
        assert_eq!(passes, orders(seed, before, Fit::default()));
        for mut order in passes {
            assert!(!found.contains(&order));
            found.push(order.clone());
            order.sort_unstable();
            assert_eq!(order, in_order);
        }
    }
    let fit = Fit { shuffle: false, ..numbered(2) };
    assert_eq!(orders(0, 0, fit), [in_order.clone(), in_order]);
}

#[test]
fn rows_of_weight_zero_are_left_out() {
    let data = Data::new(200, false);
    let kept: Vec<usize> = (0..200).filter(|row| row % 3 > 0).collect();
    let part = Data {
        x: data.x.select(Axis(0), &kept),
        labels: Labels::Int(Vec::new()),
        values: kept.iter().map(|row| data.values[*row]).collect(),
    };
    let weights: Vec<f64> = (0..200).map(|row| f64::from(row % 3)).collect();
    let batch = Batch { weights: Some(&weights), ..data.batch(true) };
    let (mut all, mut few) = (regressor("online-kernel"), regressor("online-kernel"));
    let mut record = Record::default();
    all.fit(&data.rows(), None, &batch, Fit::default(), &mut record).unwrap();
    assert!(record.orders.iter().flatten().all(|row| row % 3 > 0));
    let weights: Vec<f64> = kept.iter().map(|row| weights[*row]).collect();
    let batch = Batch { weights: Some(&weights), ..part.batch(true) };
    few.fit(&part.rows(), None, &batch, Fit::default(), &mut ()).unwrap();
    assert!(bytes(&all) == bytes(&few));
}

#[test]
fn a_regression_of_noise_stops() {
    let auto = Fit::default();
    for algorithm in ["online-kernel", "bsgd-merge"] {
        assert_eq!(Data::new(1001, true).fit(&mut classifier(algorithm), numbered(3)).orders.len(), 3);
    }
    assert_eq!(Data::new(1001, true).passes(&mut regressor("online-kernel"), auto), (1, 3));
    assert_eq!(Data::new(1001, true).passes(&mut regressor("online-kernel"), numbered(3)), (3, 3));
    assert_eq!(Data::new(1001, false).passes(&mut regressor("online-kernel"), auto), (3, 3));
    // After up to 1,000 rows it goes on.
    assert_eq!(Data::new(1000, true).passes(&mut regressor("online-kernel"), auto), (2, 3));
    assert_eq!(Data::new(500, true).passes(&mut regressor("online-kernel"), auto), (3, 3));
    assert_eq!(Data::new(1001, true).passes(&mut classifier("online-kernel"), auto), (3, 3));
}

#[test]
fn an_online_kernel_regression_is_refitted_unless_recent_rows_count_more() {
    let data = Data::new(300, false);
    let spec = || Spec::named_regression("online-kernel").unwrap();
    let window = Spec { forget: Forget::Rows(100), ..spec() };
    let cases = [
        (spec(), true, true),
        (spec(), false, false),
        (window, true, false),
        (Spec::named_regression("bsgd-merge").unwrap(), true, false),
    ];
    for (spec, shuffle, expected) in cases {
        let mut fitted = model(spec.clone());
        let record = data.fit(&mut fitted, Fit { shuffle, ..numbered(2) });
        let repeats = spec.rule() == crate::params::Rule::OnlineKernel;
        let passes = learned(model(spec), &data, &data.batch(true), &record.orders, repeats);
        assert_eq!(bytes(&fitted) != bytes(&passes), expected);
    }
}

fn learner(model: &Model) -> &Learner<f64> {
    f64::get(model.trained.as_ref().unwrap()).unwrap()
}

#[test]
fn half_widths_follow_the_errors_of_the_second_half_of_the_first_pass() {
    let data = Data::new(301, true); // noise, so that the late error limits half widths
    let mut fitted = regressor("online-kernel");
    let record = data.fit(&mut fitted, Fit::default());
    let half = |order: &[usize]| {
        let batch = Batch { order: Some(order), ..data.batch(true) };
        let mut model = regressor("online-kernel");
        model.learn(&data.rows(), None, &batch).unwrap();
        learner(&model).counts().absolute_error
    };
    let order = &record.orders[0];
    let late_error = (half(order) - half(&order[..150])) / 151.0;
    let passes = learned(regressor("online-kernel"), &data, &data.batch(true), &record.orders, true);
    let widths = |learner: &Learner<f64>| {
        let mut session = learner.begin_intervals(&data.rows(), 0.9).unwrap();
        let mut bounds = Vec::new();
        session.score(301, &mut bounds).unwrap();
        bounds
    };
    for (factor, agrees) in [(1.0, true), (1.1, false)] {
        let mut expected = learner(&passes).clone();
        let (rows, order) = (data.rows(), (0..301).collect::<Vec<_>>());
        let end = FitRows {
            rows: &rows,
            y: &data.values,
            weights: None,
            order: &order,
            late_error: factor * late_error,
        };
        assert!(expected.refit(end, || true).unwrap());
        let found = widths(learner(&fitted));
        let difference = found.iter().zip(widths(&expected)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert_eq!(difference < 1e-9, agrees, "{difference}");
    }
}

#[test]
fn the_observer_ends_a_fit() {
    let data = Data::new(100, false);
    for (calls, n_seen) in [(1, 50), (2, 100), (3, 150)] {
        let mut record = Record { ends_in_learn: Some(calls), ..Record::default() };
        let mut model = regressor("online-kernel");
        let fit = model.fit(&data.rows(), None, &data.batch(true), Fit::default(), &mut record).unwrap();
        assert_eq!((fit, record.orders.len()), (None, (calls - 1) / 2));
        assert_eq!(learner(&model).counts().n_seen, n_seen);
    }
    for last in [1, 3] {
        let mut record = Record { ends_after_pass: Some(last), ..Record::default() };
        let mut model = regressor("online-kernel");
        let fit = model.fit(&data.rows(), None, &data.batch(true), Fit::default(), &mut record).unwrap();
        assert_eq!((fit, record.orders.len()), (None, last));
        let passes = learned(regressor("online-kernel"), &data, &data.batch(true), &record.orders, true);
        assert!(bytes(&model) == bytes(&passes));
    }
}

#[test]
fn an_average_knows_the_number_of_rows() {
    let data = Data::new(100, false);
    for (average, stream_length, expected) in [
        (Average::Suffix(0.5), None, Some(300)),
        (Average::Suffix(0.5), Some(20), Some(20)),
        (Average::Random, None, Some(300)),
        (Average::Last, None, None),
    ] {
        let spec = Spec { stream_length, average, ..Spec::named("bsgd-merge").unwrap() };
        let mut model = model(spec);
        data.fit(&mut model, numbered(3));
        assert_eq!(model.spec.spec().stream_length, expected);
        data.fit(&mut model, numbered(1));
        assert_eq!(model.spec.spec().stream_length, expected);
    }
}

#[test]
fn errors() {
    let data = Data::new(100, false);
    let fail = |batch: &Batch<'_>, rows: &Rows<'_, f64>, fit: Fit| {
        let mut model = regressor("online-kernel");
        let error = model.fit(rows, None, batch, fit, &mut ()).unwrap_err().to_string();
        assert!(model.trained.is_none());
        error
    };
    let (batch, rows) = (data.batch(true), data.rows());
    assert_eq!(fail(&batch, &rows, numbered(0)), "passes must be at least 1, got 0");
    let with = |weights| Batch { weights: Some(weights), ..batch };
    let zeros = fail(&with(&[0.0; 100]), &rows, Fit::default());
    assert_eq!(zeros, "sample_weight must be above 0 for at least one row, got only zeros");
    for weights in [&[1.0; 99][..], &[1.0; 101], &[-1.0; 100], &[f64::NAN; 100]] {
        let error = fail(&with(weights), &rows, Fit::default());
        assert!(error.starts_with("sample_weight must "), "{error}");
    }
    let none = Rows::Dense(ArrayView2::from_shape((0, 2), &[]).unwrap());
    let error = fail(&Batch::values(&[]), &none, Fit::default());
    assert!(error.starts_with("X must have a minimum of 1 row"), "{error}");
    let error = fail(&Batch::values(&data.values[1..]), &rows, Fit::default());
    assert!(error.starts_with("y must "), "{error}");
}
