mod rare;

use super::{AnyLearner, LearnerFloat, Model};
use crate::batch::Task;
use crate::classes::Classes;
use crate::error::Result;
use crate::float::Real;
use crate::generate::{checkerboard, waveform};
use crate::learner::{Learner, Rows, Targets};
use crate::params::{ALGORITHMS, Average, Gamma, Maintenance, MetricLearning, Missing, Rate, Scaling, Spec};
use ndarray::ArrayView2;

const FEATURES: usize = 21;

/// Random rows with targets for both tasks.
struct Piece<T> {
    rows: Vec<T>,
    classes: Vec<u32>,
    values: Vec<f64>,
}

impl<T: Real> Piece<T> {
    fn random(seed: u64, task: Task) -> Self {
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

/// The parameters of an algorithm with a fixed kernel; `None` if the algorithm does not have the task.
fn spec_of(name: &str, task: Task, variant: usize) -> Option<Spec> {
    let mut spec = match task {
        Task::Classes(_) => Spec::named(name).ok()?,
        Task::Regression => Spec::named_regression(name).ok()?,
    };
    (spec.gamma, spec.scaling, spec.metric_learning) =
        (Gamma::Value(0.2), Scaling::None, MetricLearning::None);
    (spec.budget, spec.alpha) = (spec.budget.map(|_| 9 + variant), 0.01);
    if ALGORITHMS.iter().any(|known| known.name == name && known.requires_rate) {
        (spec.rate, spec.max_size) = (Some(Rate::Value(5.0)), spec.max_size.or(Some(20)));
        spec.average = [Average::Suffix(0.5), Average::Random, Average::Last][variant % 3];
    }
    spec.clone().check().is_ok().then_some(spec)
}

fn model<T: LearnerFloat>(spec: &Spec, task: Task, seed: u64) -> Model {
    let spec = spec.clone().check().unwrap();
    let mut learner: Learner<T> = spec.build(FEATURES, task).unwrap();
    Piece::random(seed, task).learn(&mut learner);
    let classes = match task {
        Task::Classes(classes) => Some(Classes::Int((0..classes as i64).collect())),
        Task::Regression => None,
    };
    Model { classes, trained: Some(T::wrap(learner)), ..Model::new(spec) }
}

fn learner<T: LearnerFloat>(model: &Model) -> &Learner<T> {
    T::get(model.trained.as_ref().unwrap()).unwrap()
}

fn learner_mut<T: LearnerFloat>(model: &mut Model) -> &mut Learner<T> {
    T::get_mut(model.trained.as_mut().unwrap()).unwrap()
}

fn scores<T: LearnerFloat>(model: &Model, rows: &Rows<'_, T>) -> Vec<f64> {
    learner::<T>(model).decision_function(rows).unwrap().iter().map(|f| f.to_f64()).collect()
}

/// Saves and loads the model, and checks that both continue training equally, within the budget.
fn saves_and_continues<T: LearnerFloat>(mut model: Model, task: Task, what: &str) {
    let bytes = model.to_bytes().unwrap_or_else(|error| panic!("{what}: {error}"));
    let mut loaded = Model::from_bytes(&bytes).unwrap();
    let piece = Piece::random(9, task);
    for model in [&mut model, &mut loaded] {
        piece.learn(learner_mut::<T>(model));
    }
    assert_eq!(model.to_bytes().unwrap(), loaded.to_bytes().unwrap(), "{what}");
    let spec = model.spec.spec();
    let max = if spec.rate.is_some() { spec.max_size } else { spec.budget };
    let n = learner::<T>(&model).n_support();
    assert!(max.is_none_or(|max| n <= max), "{what}: {n} support vectors of {max:?}");
}

/// Checks the guarantees of combining for every algorithm, in one float type.
fn the_mean_of_every_algorithm<T: LearnerFloat>(near: f64) {
    for algorithm in ALGORITHMS {
        for (variant, task) in [Task::Classes(2), Task::Classes(3), Task::Regression].into_iter().enumerate()
        {
            let Some(spec) = spec_of(algorithm.name, task, variant) else { continue };
            let what = format!("{} {task:?} {}", algorithm.name, T::NAME);
            let models = [1, 2, 3].map(|seed| model::<T>(&spec, task, seed));
            let weights = [1.0, 3.0, 0.5];
            let (all, relative_error) = Model::combine(&models.each_ref(), None, Some(&weights)).unwrap();
            let queries = Piece::<T>::random(5, task);
            let rows = queries.rows();
            let each = models.each_ref().map(|model| scores::<T>(model, &rows));
            let size = each.iter().flatten().fold(1.0_f64, |size, f| size.max(f.abs()));
            for (i, f) in scores::<T>(&all, &rows).into_iter().enumerate() {
                let mean = each.iter().zip(weights).map(|(f, w)| f[i] * w).sum::<f64>() / 4.5;
                assert!((f - mean).abs() <= near * size, "{what}: {f} and {mean}");
            }
            assert_eq!(relative_error, 0.0, "{what}");
            assert_eq!(learner::<T>(&all).counts(), learner::<T>(&models[1]).counts(), "{what}");
            saves_and_continues::<T>(all, task, &what);
            let (few, relative_error) = Model::combine(&models.each_ref(), Some(7), None).unwrap();
            assert!(learner::<T>(&few).n_support() <= 7, "{what}");
            assert!((0.0..1.0).contains(&relative_error), "{what}: {relative_error}");
            saves_and_continues::<T>(few, task, &what);
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
    let (twice, relative_error) = Model::combine(&[&one, &one], Some(9), None).unwrap();
    assert_eq!(relative_error, 0.0);
    assert_eq!(learner::<f64>(&twice).support_vectors(), learner::<f64>(&one).support_vectors());
    let queries = Piece::<f64>::random(5, Task::Classes(3));
    for (a, b) in scores::<f64>(&one, &queries.rows()).iter().zip(scores::<f64>(&twice, &queries.rows())) {
        assert!((a - b).abs() < 1e-12, "{a} and {b}");
    }
}

/// The result is the orthogonal projection: the residual of f is orthogonal to every chosen vector.
#[test]
fn a_reduced_mean_is_the_projection_on_its_vectors() {
    let spec = spec_of("pa", Task::Classes(3), 0).unwrap();
    let models = [1, 2].map(|seed| model::<f64>(&spec, Task::Classes(3), seed));
    let (all, _) = Model::combine(&models.iter().collect::<Vec<_>>(), None, None).unwrap();
    let (few, relative_error) = Model::combine(&models.each_ref(), Some(20), None).unwrap();
    let (all, few) = (learner::<f64>(&all), learner::<f64>(&few));
    let [all_x, few_x] = [all, few].map(Learner::support_vectors);
    let kernel =
        |a: &[f64], b: &[f64]| (-0.2 * a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp();
    let (all_a, few_a) = (all.dual_coef(), few.dual_coef());
    let (n, b) = (all.n_support(), few.n_support());
    assert_eq!(b, 20);
    let (mut residual, mut whole) = (0.0, 0.0);
    for output in 0..3 {
        // f and its residual, each as inner products with a vector.
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
            residual += a * product(x).1;
        }
    }
    assert!(
        (relative_error - (residual / whole).sqrt()).abs() < 1e-9,
        "{relative_error} and {}",
        (residual / whole).sqrt()
    );
    assert!(relative_error > 0.01, "{relative_error}");
}

fn open_set(labels: &[&str], classes: &[u32], seed: u64) -> Model {
    open_set_of("pa", labels, classes, seed)
}

fn open_set_of(algorithm: &str, labels: &[&str], classes: &[u32], seed: u64) -> Model {
    let spec = spec_of(algorithm, Task::Classes(2), 0).unwrap().check().unwrap();
    let board = checkerboard(classes.len(), 0.0, seed);
    let mut learner: Learner<f32> = spec.build(2, 2).unwrap();
    let rows = ArrayView2::from_shape((classes.len(), 2), &board.rows).unwrap();
    let mut session =
        learner.begin_learning_open(&Rows::Dense(rows), Targets::Classes(classes), None).unwrap();
    session.learn(classes.len());
    let classes = Some(Classes::Text(labels.iter().map(|label| (*label).to_owned()).collect()));
    Model { classes, open_classes: true, trained: Some(AnyLearner::F32(learner)), ..Model::new(spec) }
}

#[test]
fn classes_are_matched_by_their_labels() {
    let labels: [(&[&str], &[u32]); 3] =
        [(&["a", "b"], &[0, 1, 0, 1, 1]), (&["b", "a"], &[0, 1, 1, 0]), (&["c", "b", "d"], &[0, 1, 2, 0])];
    let models: Vec<Model> = (1..).zip(labels).map(|(seed, (names, y))| open_set(names, y, seed)).collect();
    let board = checkerboard(10, 0.0, 7);
    let rows = ArrayView2::from_shape((10, 2), &board.rows).unwrap();
    let f: Vec<Vec<f64>> = models.iter().map(|model| scores::<f32>(model, &Rows::Dense(rows))).collect();
    // With two classes in the opposite order, scores have the opposite sign.
    let (two, _) = Model::combine(&[&models[0], &models[1]], None, None).unwrap();
    assert_eq!(two.classes, models[0].classes);
    for (i, mean) in scores::<f32>(&two, &Rows::Dense(rows)).into_iter().enumerate() {
        assert!((mean - (f[0][i] - f[1][i]) / 2.0).abs() < 1e-6);
    }
    // With more classes, classes are matched by label, and unknown classes have score 0.
    let (all, _) = Model::combine(&models.iter().collect::<Vec<_>>(), None, None).unwrap();
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
fn incompatible_models_raise() {
    let spec = spec_of("pa", Task::Classes(2), 0).unwrap();
    let first = model::<f64>(&spec, Task::Classes(2), 1);
    let raises = |other: &Model, expected: &str| {
        let error = Model::combine(&[&first, other], None, None).unwrap_err().to_string();
        assert!(error.starts_with(&format!("models must be {expected}")), "{error}");
    };
    let other = |change: fn(&mut Spec)| {
        let mut spec = spec.clone();
        change(&mut spec);
        model::<f64>(&spec, Task::Classes(2), 2)
    };
    raises(&other(|spec| spec.gamma = Gamma::Value(0.3)), "models with the same kernel and gamma");
    raises(&other(|spec| spec.scaling = Scaling::Online), "models with the same scaling");
    raises(&model::<f32>(&spec, Task::Classes(2), 2), "models of one float type");
    raises(&model::<f64>(&spec, Task::Classes(3), 2), "models with the same classes");
    let numbers = spec_of("pa", Task::Regression, 0).unwrap();
    raises(&model::<f64>(&numbers, Task::Regression, 2), "models of one task");
    raises(&Model::new(spec.clone().check().unwrap()), "trained models");
    let error =
        |budget, weights: Option<&[f64]>| -> Result<_> { Model::combine(&[&first, &first], budget, weights) };
    for (weights, expected) in [
        (&[1.0][..], "weights must have one weight per model, 2, got 1"),
        (&[1.0, -1.0], "weights must be finite and >= 0, got -1 at row 1"),
        (&[0.0, 0.0], "weights must be > 0 for at least one model, got zeros"),
    ] {
        assert_eq!(error(None, Some(weights)).unwrap_err().to_string(), expected);
    }
    assert!(error(Some(0), None).unwrap_err().to_string().starts_with("budget must be"));
    assert_eq!(
        Model::combine(&[], None, None).unwrap_err().to_string(),
        "models must be at least 1 model, got none"
    );
    // The result has the budget's number of support vectors.
    let stop = other(|spec| (spec.maintenance, spec.budget) = (Maintenance::Oldest, Some(9)));
    assert_eq!(learner::<f64>(&Model::combine(&[&stop], Some(5), None).unwrap().0).n_support(), 5);
}

/// The default learns scaling and metric; models that share preprocessing leave both unchanged, whatever their rows.
#[test]
fn models_that_share_preprocessing_can_be_combined() {
    let task = Task::Classes(3);
    for missing in [Missing::Error, Missing::Mean] {
        let mut spec = Spec::named("online-kernel").unwrap();
        spec.missing = missing;
        (spec.budget, spec.metric_learning) = (Some(25), MetricLearning::Full);
        let mut first = model::<f64>(&spec, task, 1);
        for seed in 10..40 {
            Piece::random(seed, task).learn(learner_mut::<f64>(&mut first));
        }
        let sharing = |seed: u64| {
            let mut empty = Model::new(first.spec.clone());
            empty.share_preprocessing_of(&first).unwrap();
            let mut empty = Model::from_bytes(&empty.to_bytes().unwrap()).unwrap();
            let mut learner: Learner<f64> = empty.spec.build(FEATURES, task).unwrap();
            learner.share_preprocessing_of(f64::get(empty.learner().unwrap()).unwrap()).unwrap();
            (empty.trained, empty.preprocessing) = (Some(f64::wrap(learner)), None);
            empty.classes.clone_from(&first.classes);
            for more in 0..20 {
                Piece::random(seed + more, task).learn(learner_mut::<f64>(&mut empty));
            }
            empty
        };
        let models = [sharing(100), sharing(200)];
        let old = learner::<f64>(&first);
        for model in &models {
            let new = learner::<f64>(model);
            assert_eq!((new.kernel(), new.components()), (old.kernel(), old.components()));
            assert_ne!(new.support_vectors(), old.support_vectors());
        }
        assert!(
            old.components().unwrap().iter().any(|a| *a != 0.0 && *a != 1.0),
            "a metric has been learned"
        );
        // Until it learns more rows, the first model has the preprocessing of the others.
        Model::combine(&[&models[0], &first], None, None).unwrap();
        let mut later = first.clone();
        Piece::random(300, task).learn(learner_mut::<f64>(&mut later));
        assert!(Model::combine(&[&models[0], &later], None, None).is_err());
        let (mean, relative_error) = Model::combine(&models.each_ref(), Some(25), None).unwrap();
        assert!(relative_error < 0.8, "{relative_error}");
        let queries = Piece::<f64>::random(5, task);
        let n_correct = |model: &Model| {
            let predicted = learner::<f64>(model).predict(&queries.rows()).unwrap();
            predicted.iter().zip(&queries.classes).filter(|(a, b)| a == b).count()
        };
        assert!(
            n_correct(&mean) > 60,
            "{} compared with {} and {}",
            n_correct(&mean),
            n_correct(&models[0]),
            n_correct(&models[1])
        );
        saves_and_continues::<f64>(mean, task, "online-kernel");
    }
}
