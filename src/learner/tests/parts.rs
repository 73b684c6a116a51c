//! Sessions in steps and in another order, with classes and values.

use super::super::validate::CHECKS;
use super::super::{ScoreBuffers, Target};
use super::{Gamma, Maintenance, Spec, build, bytes, learn, rows_of, spec};
use crate::batch::Task;
use crate::generate::{Stream, checkerboard};
use crate::params::KernelName;
use crate::{Learner, Rows, Targets};
use ndarray::ArrayView2;

fn view(stream: &Stream) -> Rows<'_, f32> {
    let shape = (stream.classes.len(), stream.n_features);
    Rows::Dense(ArrayView2::from_shape(shape, &stream.rows).unwrap())
}

#[test]
fn parts_equal_the_whole_and_are_checked_once() {
    let stream = checkerboard(100, 0.1, 3);
    let (rows, targets) = (view(&stream), Targets::Classes(&stream.classes));
    let mut whole: Learner<f32> = build(&spec(Maintenance::Merge, Some(20)), 2, 2);
    let mut cut = whole.clone();
    whole.learn_batch(&rows, targets, None).unwrap();

    let before = CHECKS.get();
    let mut parts = cut.begin_learning(&rows, targets, None).unwrap();
    for size in [1, 0, 7, 50] {
        parts.learn(size);
    }
    assert_eq!(parts.remaining(), 42);
    parts.learn(usize::MAX);
    assert_eq!((parts.remaining(), CHECKS.get() - before), (0, 1));
    assert_eq!(bytes(&cut), bytes(&whole));

    let before = CHECKS.get();
    let (mut scores, mut parts) = (Vec::new(), cut.begin_scoring(&rows).unwrap());
    while parts.remaining() > 0 {
        parts.score(9, &mut scores).unwrap();
    }
    assert_eq!(CHECKS.get() - before, 1);
    assert_eq!(scores, whole.decision_function(&rows).unwrap());
    assert_eq!(cut.predict_from(&scores), whole.predict(&rows).unwrap());
}

#[test]
fn a_score_beyond_the_type_is_named_by_its_row_of_the_batch() {
    let spec = Spec { kernel: KernelName::Linear, alpha: 1e-20, ..spec(Maintenance::Oldest, Some(4)) };
    let mut learner: Learner<f32> = build(&spec, 1, 2);
    learner.learn_one(&[1e12], 1u32, 1.0).unwrap();
    let x = [1.0, 2.0, 3.0, 1e12];
    let rows = Rows::Dense(ArrayView2::from_shape((4, 1), &x).unwrap());
    let (mut scores, mut parts) = (Vec::new(), learner.begin_scoring(&rows).unwrap());
    parts.score(2, &mut scores).unwrap();
    let error = parts.score(2, &mut scores).unwrap_err().to_string();
    assert!(error.starts_with("X is too large at row 3: expected scores"), "{error}");
    assert_eq!((scores.len(), parts.remaining()), (2, 2));
}

#[test]
fn an_order_is_that_of_the_rows_one_by_one() {
    let stream = checkerboard(60, 0.1, 5);
    let order = [59, 3, 3, 0, 17, 58, 2, 30, 31, 32, 33, 4, 5];
    let rows = rows_of::<f32>(&stream);
    let (all, targets) = (view(&stream), Targets::Classes(&stream.classes));
    let project = || spec(Maintenance::Project, Some(6));
    let online = Spec { budget: Some(6), ..Spec::named("online-kernel").unwrap() };
    for spec in [project(), Spec { gamma: Gamma::Scale, ..project() }, online] {
        let mut one_by_one: Learner<f32> = build(&spec, 2, 2);
        let mut batch = one_by_one.clone();
        learn(&mut one_by_one, &order.map(|row| rows[row].clone()));
        let mut parts = batch.begin_learning(&all, targets, None).unwrap().in_order(&order).unwrap();
        while parts.remaining() > 0 {
            parts.learn(5);
        }
        assert_eq!(bytes(&batch), bytes(&one_by_one));
    }

    let mut batch: Learner<f32> = build(&project(), 2, 2);
    let error = batch.begin_learning(&all, targets, None).unwrap().in_order(&[0, 60]).map(drop).unwrap_err();
    assert_eq!(error.to_string(), "order must be row indices from 0 to 59, got 60");
    let running = Spec { gamma: Gamma::Scale, kernel: KernelName::Poly, ..project() };
    let mut running: Learner<f32> = build(&running, 2, 2);
    let error = running.begin_learning(&all, targets, None).unwrap().in_order(&order).map(drop).unwrap_err();
    assert!(error.to_string().contains("fit needs a number as gamma"), "{error}");
    assert_eq!(running.counts().n_seen, 0);
}

#[test]
fn an_order_takes_the_weight_of_each_row_along() {
    let stream = checkerboard(300, 0.1, 6);
    let order: Vec<usize> = (0..600).map(|place| place * 7 % 300).collect();
    let weights: Vec<f64> = (0..300).map(|row| f64::from(row % 3)).collect();
    let (all, targets) = (view(&stream), Targets::Classes(&stream.classes));
    let mut one_by_one: Learner<f32> = build(&spec(Maintenance::Merge, Some(20)), 2, 2);
    let mut batch = one_by_one.clone();
    for &row in &order {
        let x = &stream.rows[2 * row..2 * row + 2];
        one_by_one.learn_one(x, stream.classes[row], weights[row]).unwrap();
    }
    let parts = batch.begin_learning(&all, targets, Some(&weights)).unwrap();
    let mut parts = parts.in_order(&order).unwrap();
    parts.learn(150);
    assert_eq!(parts.learner().counts().n_seen, 100);
    parts.learn(usize::MAX);
    assert_eq!(bytes(&batch), bytes(&one_by_one));
}

#[test]
fn a_row_alone_has_the_scores_of_the_batch_in_the_buffers_of_any_model() {
    let stream = checkerboard(200, 0.1, 7);
    let (rows, targets) = (view(&stream), Targets::Classes(&stream.classes));
    let mut buffers = ScoreBuffers::default();
    let specs = ["bsgd-merge", "online-kernel", "pa-merge"].map(|name| Spec::named(name).unwrap());
    for (spec, budget) in specs.into_iter().zip([100, 10, 40]) {
        for classes in [2, 3] {
            let mut learner: Learner<f32> = build(&Spec { budget: Some(budget), ..spec.clone() }, 2, classes);
            learner.learn_batch(&rows, targets, None).unwrap();
            let scores = learner.decision_function(&rows).unwrap();
            let predicted = learner.predict(&rows).unwrap();
            for (row, x) in stream.rows.chunks_exact(2).enumerate() {
                let alone = learner.score_one(x, &mut buffers).unwrap();
                let outputs = learner.n_outputs();
                assert_eq!(alone, &scores[row * outputs..][..outputs]);
                assert_eq!(learner.class_of(alone), predicted[row]);
            }
            assert!(learner.score_one(&[0.0], &mut buffers).is_err());
            assert!(learner.score_one(&[0.0, f32::INFINITY], &mut buffers).is_err());
        }
    }
}

#[test]
fn one_row_is_learned_with_a_class_or_a_number() {
    let spec = Spec { gamma: Gamma::Value(1.0), ..Spec::named_regression("pa").unwrap() };
    let mut regression: Learner<f64> = spec.check().unwrap().build(1, Task::Regression).unwrap();
    regression.learn_one(&[0.0], 3.0, 1.0).unwrap();
    regression.learn_one(&[9.0], Target::Value(-2.0), 1.0).unwrap();
    assert_eq!(regression.counts().absolute_error, 5.0);
    let error = regression.learn_one(&[0.0], 1u32, 1.0).unwrap_err().to_string();
    assert!(error.starts_with("y must be numbers"), "{error}");

    let mut classes: Learner<f64> = build(&super::spec(Maintenance::None, None), 1, 3);
    classes.learn_one(&[0.0], Target::Class(2), 1.0).unwrap();
    assert_eq!(classes.counts().mistakes, 1);
    let error = classes.learn_one(&[0.0], 1.0, 1.0).unwrap_err().to_string();
    assert!(error.starts_with("y must be classes"), "{error}");
}
