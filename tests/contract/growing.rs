//! Open class sets: new classes may appear at any time. Batches equal single rows, and a new class changes no decision.

use crate::combinations::{BUDGET, Combination, Float, combinations, contracts};
use crate::stream::{FEATURES, ROWS, Stream, bits, cuts};
use budgetrs::classes::Classes;
use budgetrs::model::Model;
use budgetrs::params::Average;
use budgetrs::{Learner, Targets};
use std::ops::Range;

/// A new class appears in every `EVERY`-th row.
const EVERY: usize = 20;
const CLASSES: usize = ROWS / EVERY;

/// A stream that starts with one class; another class appears every [`EVERY`] rows.
fn growing_stream<T: Float>() -> Stream<T> {
    let mut stream = Stream::new(CLASSES);
    for (i, y) in stream.y.iter_mut().enumerate() {
        let known = i / EVERY;
        *y = if i % EVERY == 0 { known as u32 } else { *y % (known as u32 + 1) };
    }
    stream
}

/// The combinations that start with two classes, with the stream.
fn growing<T: Float>() -> impl Iterator<Item = (Combination, Stream<T>)> {
    combinations::<T>().filter(|combination| combination.classes == 2).map(|two| (two, growing_stream()))
}

/// The file of a model with an open class set.
fn file<T: Float>(combination: &Combination, learner: &Learner<T>, labels: usize) -> Vec<u8> {
    // Labels of an open class set are not sorted.
    let labels = Classes::Int((0..labels as i64).map(|label| -label).collect());
    let trained = Some(T::wrap(learner.clone()));
    let model =
        Model { classes: Some(labels), open_classes: true, trained, ..Model::new(combination.spec.clone()) };
    model.to_bytes().expect("a model that has learned can be saved")
}

fn learn<T: Float>(learner: &mut Learner<T>, stream: &Stream<T>, part: Range<usize>, weights: &[f64]) {
    let (rows, targets) = (stream.rows(part.clone()), stream.targets(part.clone()));
    let mut open = learner.begin_learning_open(&rows, targets, Some(&weights[part.clone()])).unwrap();
    open.learn(part.len());
}

fn batches<T: Float>(combination: &Combination, stream: &Stream<T>) {
    for weights in [vec![1.0; ROWS], Stream::<T>::weights()] {
        let mut single: Learner<T> = combination.build(FEATURES);
        for i in 0..ROWS {
            learn(&mut single, stream, i..i + 1, &weights);
        }
        let expected = file(combination, &single, CLASSES);
        assert_eq!((single.n_classes(), single.n_outputs()), (CLASSES, CLASSES), "{combination}");
        for parts in cuts() {
            let mut learner: Learner<T> = combination.build(FEATURES);
            for part in parts {
                learn(&mut learner, stream, part, &weights);
            }
            assert_eq!(file(combination, &learner, CLASSES), expected, "{combination}: in pieces");
        }
    }
}

/// Compares learning in an order with adding each class just before its first row.
fn orders<T: Float>(combination: &Combination, stream: &Stream<T>) {
    let order: Vec<usize> = (0..ROWS).rev().step_by(2).chain(0..40).collect();
    let mut names = Vec::new();
    for &row in &order {
        if !names.contains(&stream.y[row]) {
            names.push(stream.y[row]);
        }
    }
    let class = |y: &u32| names.iter().position(|name| name == y).map_or(0, |class| class as u32);
    let y: Vec<u32> = stream.y.iter().map(class).collect();
    let mut ordered: Learner<T> = combination.build(FEATURES);
    let (rows, targets) = (stream.all(), Targets::Classes(&y));
    let mut by_hand = ordered.clone();
    let Ok(mut parts) = ordered.begin_learning_open(&rows, targets, None).unwrap().in_order(&order) else {
        return;
    };
    while parts.remaining() > 0 {
        parts.learn(7);
    }
    for &row in &order {
        by_hand.add_classes(by_hand.n_classes().max(y[row] as usize + 1)).unwrap();
        by_hand.learn_one(stream.row(row), y[row], 1.0).unwrap();
    }
    assert_eq!(bits(&ordered.support_vectors()), bits(&by_hand.support_vectors()), "{combination}");
    assert_eq!(bits(&ordered.dual_coef()), bits(&by_hand.dual_coef()), "{combination}");
    assert!(ordered.counts().mistakes >= by_hand.counts().mistakes, "{combination}");
}

/// The expected scores or coefficients of a row, one per output, after a class is added.
fn with_new_class<T: Float>(before: &[T]) -> Vec<T> {
    match before {
        [f] => [-0.5 * f.to_f64(), 0.5 * f.to_f64(), 0.0].map(T::from_f64).to_vec(),
        _ => before.iter().copied().chain([T::ZERO]).collect(),
    }
}

/// The transpose of a matrix with one row per output.
fn columns<T: Float>(rows: &[T], outputs: usize) -> Vec<Vec<T>> {
    let n = rows.len() / outputs;
    (0..n).map(|column| (0..outputs).map(|output| rows[output * n + column]).collect()).collect()
}

/// Compares the attributes of a model before and after a class is added.
fn added_class<T: Float>(combination: &Combination, stream: &Stream<T>) {
    let mut learner: Learner<T> = combination.build(FEATURES);
    let rows = stream.all();
    for i in 0..ROWS {
        if i % EVERY == EVERY - 1 {
            let mut after = learner.clone();
            after.add_classes(learner.n_classes() + 1).unwrap();
            assert_eq!(after.n_support(), learner.n_support());
            assert_eq!(bits(&after.support_vectors()), bits(&learner.support_vectors()), "{combination}");
            let equal = |what: &str, before: Vec<Vec<T>>, after: Vec<Vec<T>>| {
                // Compares numbers, because the sign of zeros may differ.
                let expected: Vec<_> = before.iter().map(|row| with_new_class(row)).collect();
                assert_eq!(after, expected, "{combination}: {what} before row {i}");
            };
            let scores = |learner: &Learner<T>| -> Vec<Vec<T>> {
                let scores = learner.decision_function(&rows).unwrap();
                scores.chunks(learner.n_outputs()).map(<[T]>::to_vec).collect()
            };
            equal("scores", scores(&learner), scores(&after));
            let coefficients = |learner: &Learner<T>| columns(&learner.dual_coef(), learner.n_outputs());
            equal("coefficients", coefficients(&learner), coefficients(&after));
            if let (Some((a, a0)), Some((b, b0))) = (learner.linear(), after.linear()) {
                equal("linear term", columns(&a, learner.n_outputs()), columns(&b, after.n_outputs()));
                equal("constants", vec![a0], vec![b0]);
            }
            assert_eq!(after.counts(), learner.counts());
            let decides = i >= EVERY;
            let predicted = [&after, &learner].map(|learner| learner.predict(&rows).unwrap());
            // While there is one class, it is predicted whatever the score.
            assert!(!decides || predicted[0] == predicted[1], "{combination}");
        }
        learn(&mut learner, stream, i..i + 1, &[1.0; ROWS]);
        let sampled = combination.spec.spec().average == Average::Random;
        let max = combination.max_support();
        assert!(sampled || max.is_none_or(|max| learner.n_support() <= max.max(BUDGET)), "{combination}");
    }
    assert!(learner.decision_function(&rows).unwrap().iter().all(|f| f.is_finite()), "{combination}");
}

/// Saves and loads before and after each new class.
fn files<T: Float>(combination: &Combination, stream: &Stream<T>) {
    let mut uninterrupted: Learner<T> = combination.build(FEATURES);
    let mut reloaded = uninterrupted.clone();
    for i in 0..ROWS {
        for learner in [&mut uninterrupted, &mut reloaded] {
            learn(learner, stream, i..i + 1, &[1.0; ROWS]);
        }
        if i % EVERY == 0 || i % EVERY == EVERY - 1 || i % 20 == 7 {
            // `load` also checks that the model saves as equal bytes.
            reloaded = combination.load(&file(combination, &reloaded, i / EVERY + 1));
        }
    }
    assert_eq!(
        file(combination, &reloaded, CLASSES),
        file(combination, &uninterrupted, CLASSES),
        "{combination}"
    );
}

fn failing_calls<T: Float>(combination: &Combination, stream: &Stream<T>) {
    let mut learner: Learner<T> = combination.build(FEATURES);
    learn(&mut learner, stream, 0..2 * EVERY + 10, &[1.0; ROWS]);
    let before = file(combination, &learner, 3);
    for classes in [0, 2, usize::MAX] {
        assert!(learner.add_classes(classes).is_err(), "{combination}: {classes}");
        assert_eq!(file(combination, &learner, 3), before, "{combination}");
    }
    let mut x = stream.x.clone();
    x[[ROWS - 1, 0]] = T::INFINITY;
    let rows = budgetrs::Rows::Dense(x.view());
    assert!(learner.begin_learning_open(&rows, stream.targets(0..ROWS), None).is_err(), "{combination}");
    let y = vec![u32::MAX; ROWS];
    let rows = stream.all();
    assert!(learner.begin_learning_open(&rows, Targets::Classes(&y), None).is_err(), "{combination}");
    assert!(
        learner.learn_batch(&rows, stream.targets(0..ROWS), None).is_err(),
        "{combination}: a new class needs an open call"
    );
    assert_eq!(file(combination, &learner, 3), before, "{combination}");
}

contracts! {
    growing:
    a_batch_equals_its_rows_from_the_first_one_on = batches;
    learning_in_an_order_equals_learning_reordered_rows = orders;
    another_class_changes_no_decision = added_class;
    saving_and_loading_changes_nothing = files;
    failing_calls_add_no_class = failing_calls;
}
