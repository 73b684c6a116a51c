//! A model with feature hashing equals a model that learns rows hashed beforehand.

use crate::combinations::{Combination, Float, contracts, streams};
use crate::stream::{FEATURES, ROWS, Stream, bits, pieces};
use budgetrs::params::Missing;
use budgetrs::rng::Rng;
use budgetrs::{Learner, Rows, Spec};
use ndarray::Array2;

/// Number of hashed features, fewer than columns.
const N: usize = 4;

/// The stream with rows hashed as documented, column by column.
fn hashed<T: Float>(stream: &Stream<T>, seed: u64) -> Stream<T> {
    let mut sequence = Rng::new(Rng::new(seed ^ 0xD1B5_4A32_D192_ED03).bits());
    let mut x = Array2::from_elem((ROWS, N), T::ZERO);
    for column in stream.x.columns() {
        let number = sequence.bits();
        let feature = (((number >> 32) * N as u64) >> 32) as usize;
        for (to, from) in x.column_mut(feature).iter_mut().zip(column) {
            *to += if number % 2 == 1 { -*from } else { *from };
        }
    }
    Stream { x, y: stream.y.clone() }
}

fn equals_hashed_rows<T: Float>(combination: &Combination, stream: &Stream<T>) {
    let with = |hash_features| {
        let missing = Missing::Error;
        let spec = Spec { hash_features, missing, ..combination.spec.spec().clone() };
        Combination { spec: spec.check().unwrap(), ..combination.clone() }
    };
    let (hashing, plain) = (with(Some(N)), with(None));
    let hashed_stream = hashed(stream, combination.spec.spec().seed);
    let (mut learner, mut other): (Learner<T>, Learner<T>) = (hashing.build(FEATURES), plain.build(N));
    for part in pieces([60, 61, ROWS]) {
        stream.learn(&mut learner, part.clone());
        hashed_stream.learn(&mut other, part);
        learner = hashing.load(&hashing.bytes(&learner));
    }
    assert_eq!(bits(&learner.support_vectors()), bits(&other.support_vectors()), "{combination}");
    assert_eq!(bits(&learner.dual_coef()), bits(&other.dual_coef()), "{combination}");
    assert_eq!(learner.counts(), other.counts(), "{combination}");
    let scores = learner.decision_function(&stream.all()).unwrap();
    assert_eq!(bits(&scores), bits(&other.decision_function(&hashed_stream.all()).unwrap()), "{combination}");
    // Additional zero columns change nothing.
    let mut wide = stream.row(7).to_vec();
    wide.resize(1000, T::ZERO);
    let outputs = learner.n_outputs();
    let one = learner.decision_function(&Rows::one(&wide)).unwrap();
    assert_eq!(bits(&one), bits(&scores[7 * outputs..8 * outputs]), "{combination}");
}

contracts! {
    streams:
    hashing_equals_learning_hashed_rows = equals_hashed_rows;
}
