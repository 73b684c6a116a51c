//! Combinations in rare cases: mirrored classes, removed vectors of other models, unequal forgetting.

use super::{FEATURES, Piece, learner, learner_mut, model, open_set_of};
use crate::batch::Task;
use crate::generate::checkerboard;
use crate::learner::{Learner, Rows};
use crate::model::{AnyLearner, Model};
use crate::params::{Forget, Gamma, Spec};
use ndarray::ArrayView2;

/// The calibration too has the classes in the opposite order.
#[test]
fn a_model_combined_with_its_mirror_image_has_its_probabilities() {
    let classes: Vec<u32> = (0..300).map(|i| u32::from(i % 4 == 1)).collect();
    let mirrored: Vec<u32> = classes.iter().map(|class| 1 - class).collect();
    let models = [("a", "b", &classes[..]), ("b", "a", &mirrored[..])]
        .map(|(first, second, classes)| open_set_of("online-kernel", &[first, second], classes, 1));
    let (one, _) = Model::combine(&[&models[0]], None, None).unwrap();
    let (both, _) = Model::combine(&models.each_ref(), None, None).unwrap();
    let board = checkerboard(50, 0.0, 7);
    let rows = ArrayView2::from_shape((50, 2), &board.rows).unwrap();
    let p = |model: &Model| learner::<f32>(model).predict_proba(&Rows::Dense(rows)).unwrap();
    for (mean, expected) in p(&both).into_iter().zip(p(&one)) {
        assert!((mean - expected).abs() < 1e-5, "{mean}, not {expected}");
    }
}

/// Support vectors of the other models are not among the updates of the main model.
#[test]
fn a_combination_may_remove_more_than_it_inserted() {
    let task = Task::Classes(2);
    let pa = Spec { budget: None, gamma: Gamma::Value(1.0), ..Spec::named("pa").unwrap() };
    let distill =
        Spec { budget: None, gamma: Gamma::Value(1.0), ..Spec::named("budget-mira-distill").unwrap() };
    let (other, mut main) = (model::<f64>(&pa, task, 1), model::<f64>(&distill, task, 1));
    let mut few: Learner<f64> = main.spec.build(FEATURES, task).unwrap();
    few.learn_one(&[0.5; FEATURES], 1, 1.0).unwrap();
    main.trained = Some(AnyLearner::F64(few));
    let (mut both, _) = Model::combine(&[&main, &other], None, Some(&[0.9, 0.1])).unwrap();
    Piece::random(3, task).learn(learner_mut::<f64>(&mut both));
    let counts = learner::<f64>(&both).counts();
    assert!(counts.maintenances > counts.updates, "{counts:?}");
    let bytes = both.to_bytes().unwrap();
    assert_eq!(Model::from_bytes(&bytes).unwrap().to_bytes().unwrap(), bytes);
}

/// Frozen statistics do not depend on forgetting.
#[test]
fn models_that_share_preprocessing_may_forget_differently() {
    let task = Task::Classes(2);
    let spec = Spec::named("online-kernel").unwrap();
    for (own, other) in
        [(Forget::None, Forget::Auto), (Forget::Auto, Forget::None), (Forget::Rows(7), Forget::Rows(90))]
    {
        let trained = model::<f64>(&Spec { forget: other, ..spec.clone() }, task, 1);
        let mut empty = Model::new(Spec { forget: own, ..spec.clone() }.check().unwrap());
        empty.share_preprocessing_of(&trained).unwrap();
        let bytes = empty.to_bytes().unwrap();
        assert_eq!(Model::from_bytes(&bytes).unwrap().to_bytes().unwrap(), bytes, "{own:?} like {other:?}");
    }
}
