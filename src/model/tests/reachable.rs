//! Every model that learning produces can be saved and loaded, and continues training; other models cannot be saved.

use super::{Change, contents, continue_training, each_change_raises, learner, load, model_of, trained};
use crate::classes::Classes;
use crate::error::Error;
use crate::learner::{Learner, Rows, Targets};
use crate::model::{AnyLearner, Model};
use crate::params::{ALGORITHMS, Gamma, KernelName, Spec};
use crate::rng::Rng;
use ndarray::ArrayView2;

fn model(learner: Learner<f64>) -> Model {
    let labels = (0..learner.n_classes() as i64).collect();
    model_of(learner, Classes::Int(labels))
}

/// Learns rows in two halves, with saving and loading after each, and compares with learning without saving.
fn saves_and_continues(spec: &Spec, rows: &[Vec<f64>], y: &[u32], weights: &[f64]) {
    let d = rows[0].len();
    let mut uninterrupted: Learner<f64> = spec.check().unwrap().build(d, 2).unwrap();
    let mut reloaded = uninterrupted.clone();
    for half in [0..rows.len() / 2, rows.len() / 2..rows.len()] {
        let flat: Vec<f64> = rows[half.clone()].concat();
        let view = Rows::Dense(ArrayView2::from_shape((half.len(), d), &flat).unwrap());
        let targets = Targets::Classes(&y[half.clone()]);
        let learned = uninterrupted.learn_batch(&view, targets, Some(&weights[half.clone()]));
        assert_eq!(reloaded.learn_batch(&view, targets, Some(&weights[half])).is_ok(), learned.is_ok());
        let bytes = model(reloaded).to_bytes().unwrap_or_else(|error| panic!("{spec:?}: {error}"));
        let Some(AnyLearner::F64(loaded)) = Model::from_bytes(&bytes).unwrap().trained else {
            unreachable!()
        };
        reloaded = loaded;
    }
    assert_eq!(model(reloaded).to_bytes().unwrap(), model(uninterrupted).to_bytes().unwrap());
}

#[test]
fn an_inconsistent_model_is_not_saved() {
    let mut model = trained("bsgd-merge", false, 2);
    let Some(AnyLearner::F32(learner)) = &mut model.trained else { unreachable!() };
    learner.counts_mut().mistakes = learner.counts().n_seen + 1;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    std::fs::write(&path, "the old one").unwrap();
    let error = model.save(&path).unwrap_err();
    let expected =
        "the model was not saved, because its file cannot be loaded: the counts do not fit together";
    assert!(matches!(error, Error::State(_)) && error.to_string() == expected, "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"the old one");
}

#[test]
fn a_kept_gamma_is_loaded() {
    let mut spec = Spec::named("bsgd-merge").unwrap();
    spec.gamma = Gamma::Auto;
    let mut learner: Learner<f64> = spec.check().unwrap().build(4, 2).unwrap();
    learner.learn_one(&[1.0, 0.0, 0.0, 0.0], 1, 1.0).unwrap();
    learner.add_features(7, true).unwrap();
    let cases: [(&str, Change); 2] =
        [("no width", |l| l.reset("gamma", 0.3)), ("1/8 of 7 features", |l| l.reset("gamma", 0.125))];
    each_change_raises(&contents(&model(learner)), &["learner"], &cases);
}

/// With gamma "scale", large rows reduce gamma, so that the first support vectors become almost zero in feature space.
#[test]
fn vectors_with_tiny_norms_are_loaded() {
    let rows = [1e-10, 1.0, 1e6, 1e6, 1e6, -1.0, 1e-3, 2e6].map(|x| vec![x]);
    for algorithm in ALGORITHMS {
        let mut spec = Spec::named(algorithm.name).unwrap();
        (spec.kernel, spec.gamma) = (KernelName::Poly, Gamma::Scale);
        spec.budget = spec.budget.map(|_| 5);
        for degree in [3, 10] {
            spec.kernel_parameters.degree = degree;
            if spec.check().is_ok() {
                saves_and_continues(&spec, &rows, &[0, 1, 0, 1, 0, 1, 0, 1], &[1.0; 8]);
            }
        }
    }
}

#[test]
fn values_and_weights_of_any_size_are_saved() {
    let mut rng = Rng::new(7);
    for algorithm in ALGORITHMS {
        for kernel in [KernelName::Rbf, KernelName::Linear, KernelName::Poly] {
            let mut spec = Spec::named(algorithm.name).unwrap();
            (spec.kernel, spec.budget) = (kernel, spec.budget.map(|_| 5));
            if spec.check().is_err() {
                continue;
            }
            for _ in 0..6 {
                let mut power = |min: f64, max: f64| 10f64.powf(min + (max - min) * rng.uniform());
                let rows: Vec<_> =
                    (0..60).map(|_| power(-30.0, 17.0)).map(|size| vec![size, -size]).collect();
                let weights: Vec<_> = (0..60).map(|_| power(-9.0, 8.0)).collect();
                let mut rows = rows;
                rows.iter_mut().flatten().for_each(|x| *x *= rng.normal());
                let y: Vec<_> = (0..60).map(|_| rng.index(2) as u32).collect();
                saves_and_continues(&spec, &rows, &y, &weights);
            }
        }
    }
}

#[test]
fn the_deviation_of_the_forgetron_stays_below_its_bound() {
    let mut rng = Rng::new(11);
    for _ in 0..3000 {
        let mut spec = Spec::named("forgetron").unwrap();
        (spec.kernel, spec.budget) = (KernelName::Linear, Some(3));
        let mut learner: Learner<f64> = spec.check().unwrap().build(1, 2).unwrap();
        for t in 0..12 {
            let x = rng.normal() * 10f64.powf(17.0 * rng.uniform());
            learner.learn_one(&[x], t % 2, 1.0).unwrap();
        }
        model(learner).to_bytes().unwrap();
    }
}

#[test]
fn vectors_that_overflow_raise() {
    for algorithm in ["budget-perceptron", "budget-mira", "pegasos", "budget-mira-distill"] {
        let mut spec = Spec::named(algorithm).unwrap();
        spec.kernel = KernelName::Poly;
        let mut learner: Learner<f32> = spec.check().unwrap().build(1, 2).unwrap();
        learner.learn_one(&[0.5], 1, 1.0).unwrap();
        let mut file = contents(&model_of(learner, Classes::Bool));
        let expansion = file.scope_mut("learner").scope_mut("expansion");
        expansion.replace("vectors", &[1, 1], vec![3e38f32]);
        let error = load(&file).map(drop).unwrap_err().to_string();
        assert!(error.contains("support vectors must not be too long"), "{algorithm}: {error}");
    }
}

/// Coefficients so large that scores and costs are NaN.
#[test]
fn every_strategy_keeps_the_budget_whatever_the_coefficients() {
    let mut learned = 0;
    for algorithm in ALGORITHMS {
        for classes in [2, 3] {
            for large in [f32::MAX, 1e30, 1e-38] {
                let mut file = contents(&trained(algorithm.name, false, classes));
                let expansion = file.scope_mut("learner").scope_mut("expansion");
                let shape: [usize; 2] = expansion.shape("coefficients").unwrap();
                let mut alpha: Vec<f32> = expansion.get("coefficients", &shape).unwrap();
                for (i, a) in alpha.iter_mut().enumerate().filter(|(_, a)| **a != 0.0) {
                    *a = if i % 3 == 0 { -large } else { large };
                }
                expansion.replace("coefficients", &shape, alpha);
                let Ok(mut model) = load(&file) else { continue };
                continue_training(&mut model, &mut Rng::new(5));
                let max = learner(&model).spec().max_support();
                assert!(learner(&model).n_support() <= max, "{}", algorithm.name);
                learned += 1;
            }
        }
    }
    assert!(learned > 3 * ALGORITHMS.len());
}
