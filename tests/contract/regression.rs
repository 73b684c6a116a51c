//! The guarantees of regression, for the combinations of strategy and kernel that allow it.

use crate::combinations::{Float, budget, is_tested, pairs};
use crate::stream::{FEATURES, ROWS, Stream, bits, cuts};
use budgetrs::model::Model;
use budgetrs::params::{
    Average, Gamma, KernelName, KernelParameters, Loss, LossParameters, Maintenance, Rule,
};
use budgetrs::{CheckedSpec, Learner, Rows, Spec, Targets, Task};

/// The valid specifications that the tests run, with one neighbour and with three.
fn specs() -> Vec<CheckedSpec> {
    let pairs = pairs().filter(|(maintenance, kernel)| is_tested(*maintenance, *kernel));
    let specs = pairs.flat_map(|(maintenance, kernel)| {
        let budget = budget(maintenance);
        let passive = [(Gamma::Scale, None), (Gamma::Value(0.3), Some(3))].map(|(gamma, n_neighbors)| {
            let base = Spec::named_regression("bpa-nn").expect("it predicts numbers");
            Spec { gamma, n_neighbors, c: 0.7, ..base }
        });
        let losses = Rule::Sgd.losses().into_iter().filter(|loss| loss.is_regression());
        let descents = losses.map(|loss| {
            let base = Spec::named_regression("bsgd-merge").expect("it predicts numbers");
            let project_to_ball = loss == Loss::SquaredError;
            Spec { gamma: Gamma::Value(0.3), alpha: 0.01, loss, project_to_ball, ..base }
        });
        let loss_parameters =
            LossParameters { epsilon: 0.05, delta: 0.5, quantile: 0.4, ..LossParameters::default() };
        let kernel_parameters = KernelParameters { degree: 2, coef0: 0.5, alpha_rq: 0.7 };
        let means = passive.clone().map(|base| Spec { average: Average::Suffix(0.4), ..base });
        passive.into_iter().chain(means).chain(descents).map(move |base| Spec {
            maintenance,
            kernel,
            budget,
            kernel_parameters,
            loss_parameters,
            ..base
        })
    });
    specs.filter_map(|spec| spec.check().ok()).collect()
}

fn name(spec: &CheckedSpec) -> String {
    let Spec { maintenance, kernel, gamma, loss, algorithm, average, .. } = spec.spec();
    format!("{algorithm} {maintenance:?} {loss:?} {kernel:?} {gamma:?} {average:?}")
}

fn build<T: Float>(spec: &CheckedSpec) -> Learner<T> {
    spec.build(FEATURES, Task::Regression).expect("a small model can be built")
}

fn file<T: Float>(spec: &CheckedSpec, learner: &Learner<T>) -> Vec<u8> {
    let model = Model { trained: Some(T::wrap(learner.clone())), ..Model::new(spec.clone()) };
    model.to_bytes().expect("a model that was built can be saved")
}

/// Targets: a smooth function of the row.
fn numbers<T: Float>(stream: &Stream<T>) -> Vec<f64> {
    let numbers = (0..ROWS).map(|i| stream.row(i).iter().map(|x| x.to_f64().sin()).sum());
    numbers.collect()
}

fn check<T: Float>() {
    let stream: Stream<T> = Stream::new(2);
    let y = numbers(&stream);
    for spec in specs() {
        let what = name(&spec);
        let mut rows: Learner<T> = build(&spec);
        let mut resumed: Learner<T> = build(&spec);
        let (mut absolute, mut squared) = (0.0, 0.0);
        for (i, &y) in y.iter().enumerate() {
            let x = Rows::one(stream.row(i));
            let error = (y - rows.decision_function(&x).unwrap()[0].to_f64()).abs();
            (absolute, squared) = (absolute + error, squared + error * error);
            rows.learn_batch(&x, Targets::Values(&[y]), None).unwrap();
            resumed.learn_batch(&x, Targets::Values(&[y]), None).unwrap();
            assert!(spec.spec().budget.is_none_or(|budget| rows.n_support() <= budget), "{what}");
            if i % 17 == 0 {
                resumed = T::unwrap(Model::from_bytes(&file(&spec, &resumed)).unwrap().trained.unwrap());
            }
        }
        let expected = file(&spec, &rows);
        assert_eq!(file(&spec, &resumed), expected, "{what}: saved and resumed");
        let counts = rows.counts();
        // With gamma "scale", gamma changes between the prediction and the update. With an average, the counted errors
        // belong to the last model.
        if spec.spec().gamma != Gamma::Scale && spec.spec().average == Average::Last {
            // Predictions of models with a scale are rounded once more than the counted errors.
            let rounding = if spec.spec().rule() == Rule::Sgd { 1e-5 } else { 0.0 };
            for (counted, expected) in [(counts.absolute_error, absolute), (counts.squared_error, squared)] {
                let off = (counted - expected).abs();
                assert!(off <= rounding * expected, "{what}: {counted} and {expected}");
            }
        }
        assert_eq!((counts.mistakes, rows.n_classes(), rows.n_outputs()), (0, 0, 1));
        for parts in cuts() {
            let mut learner: Learner<T> = build(&spec);
            for part in parts {
                learner.learn_batch(&stream.rows(part.clone()), Targets::Values(&y[part]), None).unwrap();
            }
            assert_eq!(file(&spec, &learner), expected, "{what}: in pieces");
        }
        let all = stream.all();
        let scores = rows.decision_function(&all).unwrap();
        assert_eq!(bits(&rows.decision_function_parallel(&all).unwrap()), bits(&scores), "{what}");
        let of_zero: f64 = y.iter().map(|y| y * y).sum();
        let of_model: f64 = y.iter().zip(&scores).map(|(y, f)| (y - f.to_f64()).powi(2)).sum();
        // A model that loses what it removes may be worse than predicting 0 after so few rows, except that
        // passive-aggressive steps correct for the loss of small or old vectors.
        let maintenance = spec.spec().maintenance;
        let corrects = spec.spec().rule() == Rule::PassiveAggressive
            && matches!(maintenance, Maintenance::Smallest | Maintenance::Oldest);
        let learns = spec.spec().kernel == KernelName::Rbf && (corrects || !maintenance.entry().discards);
        assert!(!learns || of_model < of_zero, "{what}: {of_model} of {of_zero}");
    }
}

#[test]
fn regression_keeps_the_guarantees() {
    check::<f32>();
    check::<f64>();
}

#[test]
fn targets_must_fit_the_task() {
    let stream: Stream<f64> = Stream::new(2);
    for spec in specs() {
        assert!(spec.build::<f64>(FEATURES, 2).is_err());
        let mut learner: Learner<f64> = build(&spec);
        let before = file(&spec, &learner);
        let y = [0.0, f64::NAN];
        assert!(learner.learn_batch(&stream.rows(0..2), Targets::Values(&y), None).is_err());
        assert!(learner.learn_batch(&stream.rows(0..2), stream.targets(0..2), None).is_err());
        assert!(learner.learn_batch(&stream.rows(0..2), Targets::Values(&[1.0]), None).is_err());
        assert_eq!(file(&spec, &learner), before);
    }
}
