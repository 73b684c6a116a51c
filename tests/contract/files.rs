//! A model that was saved and loaded continues training bit-identically.

use crate::combinations::{Combination, Float, combinations, contracts, streams};
use crate::stream::{FEATURES, ROWS, Stream, bits, pieces};
use budgetrs::Learner;
use budgetrs::model::Model;
use budgetrs::params::Scaling;

fn save_and_load<T: Float>(combination: &Combination, stream: &Stream<T>) {
    let mut uninterrupted: Learner<T> = combination.build(FEATURES);
    let mut reloaded: Learner<T> = combination.build(FEATURES);
    for part in pieces((13..ROWS).step_by(13).chain([ROWS])) {
        stream.learn(&mut uninterrupted, part.clone());
        stream.learn(&mut reloaded, part);
        // `load` also checks that the model saves as equal bytes.
        reloaded = combination.load(&combination.bytes(&reloaded));
    }
    assert_eq!(combination.bytes(&reloaded), combination.bytes(&uninterrupted), "{combination}");
    assert_eq!(reloaded.counts(), uninterrupted.counts(), "{combination}");
    assert_eq!(reloaded.kernel(), uninterrupted.kernel(), "{combination}");
    assert_eq!(bits(&reloaded.support_vectors()), bits(&uninterrupted.support_vectors()), "{combination}");
    assert_eq!(bits(&reloaded.dual_coef()), bits(&uninterrupted.dual_coef()), "{combination}");
    let rows = stream.all();
    let scores = [&reloaded, &uninterrupted].map(|learner| bits(&learner.decision_function(&rows).unwrap()));
    assert_eq!(scores[0], scores[1], "{combination}");
}

contracts! {
    streams:
    saving_and_loading_changes_nothing = save_and_load;
}

#[test]
fn saving_and_loading_changes_nothing_with_scaling_and_weights() {
    for (combination, stream) in streams::<f32>() {
        let weights = Stream::<f32>::weights();
        let mut uninterrupted: Learner<f32> = combination.build(FEATURES);
        if combination.spec.spec().scaling == Scaling::None {
            uninterrupted.set_scaling(&[0.3, 0.2, 0.1, 0.0, -0.1], &[2.0, 1.0, 0.0, 0.5, 1.5]).unwrap();
        }
        let mut reloaded = uninterrupted.clone();
        for (i, weight) in weights.iter().enumerate() {
            uninterrupted.learn_one(stream.row(i), stream.y[i], *weight).unwrap();
            reloaded.learn_one(stream.row(i), stream.y[i], *weight).unwrap();
            if i % 40 == 3 {
                reloaded = combination.load(&combination.bytes(&reloaded));
            }
        }
        assert_eq!(combination.bytes(&reloaded), combination.bytes(&uninterrupted), "{combination}");
    }
}

#[test]
fn an_untrained_model_can_be_saved() {
    for combination in combinations::<f32>() {
        let model = Model::new(combination.spec.clone());
        let file = model.to_bytes().unwrap();
        let loaded = Model::from_bytes(&file).unwrap();
        assert!(loaded.trained.is_none() && loaded.classes.is_none() && loaded.spec == combination.spec);
        assert_eq!(loaded.to_bytes().unwrap(), file, "{combination}");
    }
}
