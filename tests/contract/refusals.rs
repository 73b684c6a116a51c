//! A call that fails changes nothing.

use crate::combinations::{Combination, Float, contracts, streams};
use crate::stream::{FEATURES, ROWS, Stream, bits};
use budgetrs::{Learner, Rows, Targets};
use ndarray::Array2;

fn failing_calls<T: Float>(combination: &Combination, stream: &Stream<T>) {
    let mut learner: Learner<T> = combination.build(FEATURES);
    stream.learn(&mut learner, 0..60);
    let before = combination.bytes(&learner);
    let coefficients = bits(&learner.dual_coef());
    let mut check = |what: &str, x: &Array2<T>, y: &[u32], weights: Option<&[f64]>| {
        let outcome = learner.learn_batch(&Rows::Dense(x.view()), Targets::Classes(y), weights);
        assert!(outcome.is_err(), "{combination}: {what}");
        assert_eq!(bits(&learner.dual_coef()), coefficients, "{combination}: {what}");
    };
    for (what, bad) in [("NaN", f64::NAN), ("infinity", f64::INFINITY), ("minus infinity", f64::NEG_INFINITY)]
    {
        if bad.is_nan() && combination.accepts_nan() {
            continue;
        }
        let mut x = stream.x.clone();
        x[[ROWS - 1, FEATURES - 1]] = T::from_f64(bad);
        check(what, &x, &stream.y, None);
    }
    let (narrow, wide) =
        (Array2::from_elem((ROWS, FEATURES - 1), T::ONE), Array2::from_elem((ROWS, 9), T::ONE));
    check("a narrow batch", &narrow, &stream.y, None);
    check("a wide batch", &wide, &stream.y, None);
    let mut y = stream.y.clone();
    y[ROWS - 1] = combination.classes as u32;
    check("an unknown class", &stream.x, &y, None);
    check("a class too few", &stream.x, &stream.y[1..], None);
    for (what, bad) in [("a negative weight", -1.0), ("a weight NaN", f64::NAN), ("infinite", f64::INFINITY)]
    {
        let mut weights = vec![1.0; ROWS];
        weights[ROWS - 1] = bad;
        check(what, &stream.x, &stream.y, Some(&weights));
    }
    check("a weight too few", &stream.x, &stream.y, Some(&[1.0; ROWS - 1]));
    assert_eq!(combination.bytes(&learner), before, "{combination}: a failing call changed the model");
    // The model continues training like one without the failing calls.
    let mut other: Learner<T> = combination.load(&before);
    for learner in [&mut learner, &mut other] {
        stream.learn(learner, 60..ROWS);
    }
    assert_eq!(combination.bytes(&learner), combination.bytes(&other), "{combination}");
}

contracts! {
    streams:
    failing_calls_change_nothing = failing_calls;
}
