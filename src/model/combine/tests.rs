use super::{AnyLearner, Model, Typed};
use crate::classes::Classes;
use crate::error::Result;
use crate::float::Real;
use crate::generate::{checkerboard, waveform};
use crate::label::Task;
use crate::learner::{Learner, Rows, Targets};
use crate::params::{ALGORITHMS, Average, Gamma, Maintenance, MetricLearning, Missing, Rate, Scale, Spec};
use ndarray::ArrayView2;

const FEATURES: usize = 21;

/// Rows of a stream with the targets of a task.
struct Piece<T> {
    rows: Vec<T>,
    classes: Vec<u32>,
    values: Vec<f64>,
}

impl<T: Real> Piece<T> {
    fn drawn(seed: u64, task: Task) -> Self {
        let stream = waveform(80, seed);
        let rows: Vec<T> = stream.rows.iter().map(|x| T::from_f64(f64::from(*x) / 4.0)).collect();
        let values = rows.chunks(FEATURES).map(|x| x[3].to_f64() - x[9].to_f64()).collect();
        let classes = stream.classes.iter().map(|class| class % task.classes().max(1) as u32).collect();
        Self { rows, classes, values }
    }

    fn rows(&self) -> Rows<'_, T> {
        Rows::Dense(ArrayView2::from_shape((self.rows.len() / FEATURES, FEATURES), &self.rows).unwrap())
    }

    fn learn(&self, learner: &mut Learner<T>) {
        let targets = match learner.task() {
            Task::Classes(_) => Targets::Classes(&self.classes),
            Task::Regression => Targets::Values(&self.values),
        };
        learner.learn_batch(&self.rows(), targets, None).unwrap();
    }
}

/// The parameters of an algorithm for a task, if it has that one, with a kernel that does not follow from the rows.
fn spec_of(name: &str, task: Task, variant: usize) -> Option<Spec> {
    let mut spec = match task {
        Task::Classes(_) => Spec::named(name).ok()?,
        Task::Regression => Spec::named_regression(name).ok()?,
    };
    (spec.gamma, spec.scale, spec.metric) = (Gamma::Value(0.2), Scale::None, MetricLearning::None);
    (spec.budget, spec.alpha) = (spec.budget.map(|_| 9 + variant), 0.01);
    if ALGORITHMS.iter().any(|known| known.name == name && known.requires_rate) {
        (spec.rate, spec.max_size) = (Some(Rate::Value(5.0)), spec.max_size.or(Some(20)));
        spec.average = [Average::Suffix(0.5), Average::Random, Average::Last][variant % 3];
    }
    spec.clone().check().is_ok().then_some(spec)
}

fn model<T: Typed>(spec: &Spec, task: Task, seed: u64) -> Model {
    let spec = spec.clone().check().unwrap();
    let mut learner: Learner<T> = spec.build(FEATURES, task).unwrap();
    Piece::drawn(seed, task).learn(&mut learner);
    let classes = match task {
        Task::Classes(classes) => Some(Classes::Int((0..classes as i64).collect())),
        Task::Regression => None,
    };
    Model { classes, trained: Some(T::any(learner)), ..Model::new(spec) }
}

fn learner<T: Typed>(model: &Model) -> &Learner<T> {
    T::of(model.trained.as_ref().unwrap()).unwrap()
}

fn learner_mut<T: Typed>(model: &mut Model) -> &mut Learner<T> {
    T::of_mut(model.trained.as_mut().unwrap()).unwrap()
}

fn scores<T: Typed>(model: &Model, rows: &Rows<'_, T>) -> Vec<f64> {
    learner::<T>(model).decision_function(rows).unwrap().iter().map(|f| f.to_f64()).collect()
}

/// It is saved, loaded, and both go on equally, within the budget.
fn goes_on<T: Typed>(mut model: Model, task: Task, what: &str) {
    let bytes = model.to_bytes().unwrap_or_else(|error| panic!("{what}: {error}"));
    let mut again = Model::from_bytes(&bytes).unwrap();
    let piece = Piece::drawn(9, task);
    for model in [&mut model, &mut again] {
        piece.learn(learner_mut::<T>(model));
    }
    assert_eq!(model.to_bytes().unwrap(), again.to_bytes().unwrap(), "{what}");
    let spec = model.spec.spec();
    let most = if spec.rate.is_some() { spec.max_size } else { spec.budget };
    let n = learner::<T>(&model).n_support();
    assert!(most.is_none_or(|most| n <= most), "{what}: {n} support vectors of {most:?}");
}

/// What every algorithm promises in one number type.
fn the_mean_of_every_algorithm<T: Typed>(near: f64) {
    for algorithm in ALGORITHMS {
        for (variant, task) in [Task::Classes(2), Task::Classes(3), Task::Regression].into_iter().enumerate()
        {
            let Some(spec) = spec_of(algorithm.name, task, variant) else { continue };
            let what = format!("{} {task:?} {}", algorithm.name, T::NAME);
            let models = [1, 2, 3].map(|seed| model::<T>(&spec, task, seed));
            let weights = [1.0, 3.0, 0.5];
            let (all, lost) = Model::combine(&models.each_ref(), None, Some(&weights)).unwrap();
            let queries = Piece::<T>::drawn(5, task);
            let rows = queries.rows();
            let each = models.each_ref().map(|model| scores::<T>(model, &rows));
            let size = each.iter().flatten().fold(1.0_f64, |size, f| size.max(f.abs()));
            for (i, f) in scores::<T>(&all, &rows).into_iter().enumerate() {
                let mean = each.iter().zip(weights).map(|(f, w)| f[i] * w).sum::<f64>() / 4.5;
                assert!((f - mean).abs() <= near * size, "{what}: {f} and {mean}");
            }
            assert_eq!(lost, 0.0, "{what}");
            assert_eq!(learner::<T>(&all).counts(), learner::<T>(&models[1]).counts(), "{what}");
            goes_on::<T>(all, task, &what);
            let (few, lost) = Model::combine(&models.each_ref(), Some(7), None).unwrap();
            assert!(learner::<T>(&few).n_support() <= 7, "{what}");
            assert!((0.0..1.0).contains(&lost), "{what}: {lost}");
            goes_on::<T>(few, task, &what);
        }
    }
}

#[test]
fn the_mean_of_every_algorithm_in_double_precision() {
    the_mean_of_every_algorithm::<f64>(1e-10);
}

#[test]
fn the_mean_of_every_algorithm_in_single_precision() {
    the_mean_of_every_algorithm::<f32>(1e-4);
}

#[test]
fn a_model_combined_with_itself_is_the_same_function() {
    let spec = spec_of("online-kernel", Task::Classes(3), 0).unwrap();
    let one = model::<f64>(&spec, Task::Classes(3), 1);
    let (twice, lost) = Model::combine(&[&one, &one], Some(9), None).unwrap();
    assert_eq!(lost, 0.0);
    assert_eq!(learner::<f64>(&twice).support_vectors(), learner::<f64>(&one).support_vectors());
    let queries = Piece::<f64>::drawn(5, Task::Classes(3));
    for (a, b) in scores::<f64>(&one, &queries.rows()).iter().zip(scores::<f64>(&twice, &queries.rows())) {
        assert!((a - b).abs() < 1e-12, "{a} and {b}");
    }
}

/// A projection on what has been chosen is the best that there is: the coefficients solve the dense normal equations.
#[test]
fn a_reduced_mean_is_the_projection_on_its_vectors() {
    let spec = spec_of("pa", Task::Classes(3), 0).unwrap();
    let models = [1, 2].map(|seed| model::<f64>(&spec, Task::Classes(3), seed));
    let (all, _) = Model::combine(&models.each_ref(), None, None).unwrap();
    let (few, lost) = Model::combine(&models.each_ref(), Some(20), None).unwrap();
    let (all, few) = (learner::<f64>(&all), learner::<f64>(&few));
    let [all_x, few_x] = [all, few].map(Learner::support_vectors);
    let kernel =
        |a: &[f64], b: &[f64]| (-0.2 * a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp();
    let (all_a, few_a) = (all.dual_coef(), few.dual_coef());
    let (n, b) = (all.n_support(), few.n_support());
    assert_eq!(b, 20);
    let (mut left, mut whole) = (0.0, 0.0);
    for output in 0..3 {
        // What is left of f has no part along any vector that was chosen.
        let product = |x: &[f64]| {
            let of = |all: &[f64], a: &[f64]| {
                all.chunks(FEATURES).zip(a).map(|(z, a)| a * kernel(z, x)).sum::<f64>()
            };
            let f = of(&all_x, &all_a[output * n..(output + 1) * n]);
            (f, f - of(&few_x, &few_a[output * b..(output + 1) * b]))
        };
        for x in few_x.chunks(FEATURES) {
            assert!(product(x).1.abs() < 1e-8, "{}", product(x).1);
        }
        for (x, a) in all_x.chunks(FEATURES).zip(&all_a[output * n..]) {
            whole += a * product(x).0;
            left += a * product(x).1;
        }
    }
    assert!((lost - (left / whole).sqrt()).abs() < 1e-9, "{lost} and {}", (left / whole).sqrt());
    assert!(lost > 0.01, "{lost}");
}

fn growing(labels: &[&str], classes: &[u32], seed: u64) -> Model {
    let spec = spec_of("pa", Task::Classes(2), 0).unwrap().check().unwrap();
    let board = checkerboard(classes.len(), 0.0, seed);
    let mut learner: Learner<f32> = spec.build(2, 2).unwrap();
    let rows = ArrayView2::from_shape((classes.len(), 2), &board.rows).unwrap();
    let mut parts = learner.begin_learning_open(&Rows::Dense(rows), Targets::Classes(classes), None).unwrap();
    parts.learn(classes.len());
    let classes = Some(Classes::Text(labels.iter().map(|label| (*label).to_owned()).collect()));
    Model { classes, grows: true, trained: Some(AnyLearner::F32(learner)), ..Model::new(spec) }
}

#[test]
fn classes_are_matched_by_their_labels() {
    let models = [
        growing(&["a", "b"], &[0, 1, 0, 1, 1], 1),
        growing(&["b", "a"], &[0, 1, 1, 0], 2),
        growing(&["c", "b", "d"], &[0, 1, 2, 0], 3),
    ];
    let board = checkerboard(10, 0.0, 7);
    let rows = ArrayView2::from_shape((10, 2), &board.rows).unwrap();
    let f: Vec<Vec<f64>> = models.iter().map(|model| scores::<f32>(model, &Rows::Dense(rows))).collect();
    // Two classes in the other order have the opposite sign.
    let (two, _) = Model::combine(&[&models[0], &models[1]], None, None).unwrap();
    assert_eq!(two.classes, models[0].classes);
    for (i, mean) in scores::<f32>(&two, &Rows::Dense(rows)).into_iter().enumerate() {
        assert!((mean - (f[0][i] - f[1][i]) / 2.0).abs() < 1e-6);
    }
    // Of more, each is found by its label, and a model says nothing of those that it does not know.
    let (all, _) = Model::combine(&models.each_ref(), None, None).unwrap();
    assert_eq!(all.classes, Some(Classes::Text(["a", "b", "c", "d"].map(String::from).to_vec())));
    for (i, mean) in scores::<f32>(&all, &Rows::Dense(rows)).chunks(4).enumerate() {
        let [c, b, d] = [0, 1, 2].map(|class| f[2][i * 3 + class]);
        let ab = (f[0][i] - f[1][i]) / 2.0;
        for (mean, expected) in mean.iter().zip([-ab, ab + b, c, d]) {
            assert!((mean * 3.0 - expected).abs() < 1e-5, "{mean}, not a third of {expected}");
        }
    }
    all.to_bytes().unwrap();
}

#[test]
fn models_that_are_not_alike_are_refused() {
    let spec = spec_of("pa", Task::Classes(2), 0).unwrap();
    let first = model::<f64>(&spec, Task::Classes(2), 1);
    let refused = |other: &Model, expected: &str| {
        let error = Model::combine(&[&first, other], None, None).unwrap_err().to_string();
        assert!(error.starts_with(&format!("models must be {expected}")), "{error}");
    };
    let other = |change: fn(&mut Spec)| {
        let mut spec = spec.clone();
        change(&mut spec);
        model::<f64>(&spec, Task::Classes(2), 2)
    };
    refused(&other(|spec| spec.gamma = Gamma::Value(0.3)), "models of the same kernel and gamma");
    refused(&other(|spec| spec.scale = Scale::Online), "models of the same scaling");
    refused(&model::<f32>(&spec, Task::Classes(2), 2), "models of one number type");
    refused(&model::<f64>(&spec, Task::Classes(3), 2), "models of the same classes");
    let numbers = spec_of("pa", Task::Regression, 0).unwrap();
    refused(&model::<f64>(&numbers, Task::Regression, 2), "models of one task");
    refused(&Model::new(spec.clone().check().unwrap()), "models that have learned");
    let error =
        |budget, weights: Option<&[f64]>| -> Result<_> { Model::combine(&[&first, &first], budget, weights) };
    for (weights, expected) in [
        (&[1.0][..], "weights must have one weight to the model, 2, got 1"),
        (&[1.0, -1.0], "weights must be finite and >= 0, got -1 at row 1"),
        (&[0.0, 0.0], "weights must be > 0 of at least one model, got zeros"),
    ] {
        assert_eq!(error(None, Some(weights)).unwrap_err().to_string(), expected);
    }
    assert!(error(Some(0), None).unwrap_err().to_string().starts_with("budget must be"));
    assert_eq!(
        Model::combine(&[], None, None).unwrap_err().to_string(),
        "models must be at least 1 model, got none"
    );
    // What holds at most a certain number has that many.
    let stop = other(|spec| (spec.maintenance, spec.budget) = (Maintenance::Oldest, Some(9)));
    assert_eq!(learner::<f64>(&Model::combine(&[&stop], Some(5), None).unwrap().0).n_support(), 5);
}

/// The default learns scaling and metric; models that begin like one leave both as they are, whatever rows they see.
#[test]
fn models_that_begin_like_one_are_alike() {
    let task = Task::Classes(3);
    for missing in [Missing::Error, Missing::Mean] {
        let mut spec = Spec::named("online-kernel").unwrap();
        spec.missing = missing;
        (spec.budget, spec.metric) = (Some(25), MetricLearning::Full);
        let mut first = model::<f64>(&spec, task, 1);
        for seed in 10..40 {
            Piece::drawn(seed, task).learn(learner_mut::<f64>(&mut first));
        }
        let begun = |seed: u64| {
            let mut empty = Model::new(first.spec.clone());
            empty.begin_like(&first).unwrap();
            let mut empty = Model::from_bytes(&empty.to_bytes().unwrap()).unwrap();
            let mut learner: Learner<f64> = empty.spec.build(FEATURES, task).unwrap();
            learner.share_preprocessing_of(f64::of(empty.like.as_deref().unwrap()).unwrap()).unwrap();
            (empty.trained, empty.like) = (Some(f64::any(learner)), None);
            empty.classes.clone_from(&first.classes);
            for more in 0..20 {
                Piece::drawn(seed + more, task).learn(learner_mut::<f64>(&mut empty));
            }
            empty
        };
        let models = [begun(100), begun(200)];
        let old = learner::<f64>(&first);
        for model in &models {
            let new = learner::<f64>(model);
            assert_eq!((new.kernel(), new.metric()), (old.kernel(), old.metric()));
            assert_ne!(new.support_vectors(), old.support_vectors());
        }
        assert!(old.metric().unwrap().iter().any(|a| *a != 0.0 && *a != 1.0), "a metric has been learned");
        // As long as it has learned no more, the first scales like those that begin like it.
        Model::combine(&[&models[0], &first], None, None).unwrap();
        let mut later = first.clone();
        Piece::drawn(300, task).learn(learner_mut::<f64>(&mut later));
        assert!(Model::combine(&[&models[0], &later], None, None).is_err());
        let (mean, lost) = Model::combine(&models.each_ref(), Some(25), None).unwrap();
        assert!(lost < 0.8, "{lost}");
        let queries = Piece::<f64>::drawn(5, task);
        let right = |model: &Model| {
            let predicted = learner::<f64>(model).predict(&queries.rows()).unwrap();
            predicted.iter().zip(&queries.classes).filter(|(a, b)| a == b).count()
        };
        assert!(right(&mean) > 60, "{} beside {} and {}", right(&mean), right(&models[0]), right(&models[1]));
        goes_on::<f64>(mean, task, "online-kernel");
    }
}
