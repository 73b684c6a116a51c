//! A model that was saved and loaded goes on as if nothing had happened, bit for bit.

use crate::combinations::{Combination, Float, legal, legal_in_turns};
use crate::stream::{FEATURES, ROWS, Stream, bits};
use budgetrs::Learner;
use budgetrs::model::Model;
use budgetrs::params::Scale;

fn interrupted<T: Float>(combination: &Combination, every: usize) {
    let stream: Stream<T> = Stream::new(combination.classes);
    let mut through: Learner<T> = combination.build(FEATURES);
    let mut broken: Learner<T> = combination.build(FEATURES);
    for from in (0..ROWS).step_by(every) {
        let to = (from + every).min(ROWS);
        through.learn_batch(&stream.rows(from, to), stream.targets(from, to), None).unwrap();
        broken.learn_batch(&stream.rows(from, to), stream.targets(from, to), None).unwrap();
        // What does not save as the same bytes does not load.
        broken = combination.load(&combination.bytes(&broken));
    }
    assert_eq!(combination.bytes(&broken), combination.bytes(&through), "{combination}: every {every} rows");
    assert_eq!(broken.counts(), through.counts(), "{combination}");
    assert_eq!(broken.kernel(), through.kernel(), "{combination}");
    assert_eq!(bits(&broken.support_vectors()), bits(&through.support_vectors()), "{combination}");
    assert_eq!(bits(&broken.dual_coef()), bits(&through.dual_coef()), "{combination}");
    let rows = stream.rows(0, ROWS);
    let scores = [&broken, &through].map(|learner| bits(&learner.decision_function(&rows).unwrap()));
    assert_eq!(scores[0], scores[1], "{combination}");
}

/// Saved and loaded after every so many rows.
fn interruptions<T: Float>(combinations: impl IntoIterator<Item = Combination>, every: usize) {
    for combination in combinations {
        interrupted::<T>(&combination, every);
    }
}

#[test]
fn an_interruption_changes_nothing_in_single_precision() {
    interruptions::<f32>(legal(), 13);
}

#[test]
fn an_interruption_changes_nothing_in_double_precision() {
    interruptions::<f64>(legal_in_turns(), 31);
}

#[test]
fn a_scaled_and_weighted_run_goes_on_too() {
    for combination in legal() {
        let stream: Stream<f32> = Stream::new(combination.classes);
        let weights = Stream::<f32>::weights();
        let mut through: Learner<f32> = combination.build(FEATURES);
        if combination.spec.spec().scale == Scale::None {
            through.set_scaling(&[0.3, 0.2, 0.1, 0.0, -0.1], &[2.0, 1.0, 0.0, 0.5, 1.5]).unwrap();
        }
        let mut broken = through.clone();
        for (i, weight) in weights.iter().enumerate() {
            through.learn_one(stream.row(i), stream.y[i], *weight).unwrap();
            broken.learn_one(stream.row(i), stream.y[i], *weight).unwrap();
            if i % 40 == 3 {
                broken = combination.load(&combination.bytes(&broken));
            }
        }
        assert_eq!(combination.bytes(&broken), combination.bytes(&through), "{combination}");
    }
}

#[test]
fn an_untrained_model_comes_back() {
    for combination in legal() {
        let model = Model::new(combination.spec.clone());
        let file = model.to_bytes().unwrap();
        let back = Model::from_bytes(&file).unwrap();
        assert!(back.trained.is_none() && back.classes.is_none() && back.spec == combination.spec);
        assert_eq!(back.to_bytes().unwrap(), file, "{combination}");
    }
}
