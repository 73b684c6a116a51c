//! Dense rows: budgets, seeds, batch sizes, memory layouts and predictions.

use crate::combinations::{BUDGET, Combination, Float, contracts, streams};
use crate::kernels::kernel_f64;
use crate::stream::{FEATURES, ROWS, Stream, bits, cuts};
use budgetrs::params::{Average, Maintenance, Scaling};
use budgetrs::{Learner, Rows, Spec, Targets};
use ndarray::{Array2, ArrayView2, Axis, s};

/// A model that has learned the stream row by row.
fn one_by_one<T: Float>(combination: &Combination, stream: &Stream<T>) -> Learner<T> {
    let mut learner = combination.build(FEATURES);
    for i in 0..ROWS {
        learner.learn_one(stream.row(i), stream.y[i], 1.0).unwrap();
    }
    learner
}

fn budget_holds<T: Float>(combination: &Combination, stream: &Stream<T>) {
    let mut learner: Learner<T> = combination.build(FEATURES);
    let Spec { maintenance, budget, average, .. } = combination.spec.spec();
    let bounded = budget.is_some();
    // A sampled model is an earlier one, while the counts are of the last model.
    let sampled = *average == Average::Random;
    for i in 0..ROWS {
        learner.learn_one(stream.row(i), stream.y[i], 1.0).unwrap();
        let n = learner.n_support();
        let fits = combination.max_support().is_none_or(|max| n <= max);
        assert!(fits, "{combination}: {n} support vectors after row {i}");
        assert_eq!(learner.support_vectors().len(), n * FEATURES, "{combination}");
        assert_eq!(learner.dual_coef().len(), n * learner.n_outputs(), "{combination}");
        let counts = learner.counts();
        assert!(counts.n_seen == i as u64 + 1 && counts.updates >= n as u64, "{combination}: {counts:?}");
        let removed = counts.updates - n as u64;
        if sampled {
            continue;
        }
        assert!(bounded || removed == 0, "{combination}: {counts:?}");
        // Steps of Projectron++ on small margins are updates without an insertion.
        let steps =
            if *maintenance == Maintenance::ProjectronPlus { removed - counts.maintenances } else { 0 };
        let maintained = counts.maintenances + steps;
        assert!(!bounded || maintained == removed, "{combination}: {counts:?}, {n} support vectors");
    }
    // The stream has more updates than the budget, so that maintenance runs often. Strategies that need no budget may
    // have fewer support vectors.
    let n = learner.n_support();
    let may_have_fewer = maintenance.entry().may_be_unbounded;
    assert!(!bounded || n >= BUDGET || may_have_fewer || sampled, "{combination}: {n}");
    let runs_often = learner.counts().maintenances > BUDGET as u64;
    assert!(!bounded || runs_often || *maintenance == Maintenance::Stop, "{combination}");
    assert_eq!((learner.n_features(), learner.n_classes()), (FEATURES, combination.classes));
    assert_eq!(learner.n_outputs(), if combination.classes == 2 { 1 } else { combination.classes });
}

fn seeds<T: Float>(combination: &Combination, stream: &Stream<T>) {
    let with_seed = |seed: u64| {
        let mut spec = combination.spec.spec().clone();
        spec.seed = seed;
        let spec = spec.check().unwrap();
        let other = Combination { spec, ..combination.clone() };
        let learner = one_by_one(&other, stream);
        (other.bytes(&learner), learner.support_vectors())
    };
    let (bytes, support_vectors) = with_seed(1);
    assert_eq!(with_seed(1).0, bytes, "{combination}");
    let Spec { maintenance, average, rate, .. } = combination.spec.spec();
    let at_random = maintenance.entry().draws_at_random;
    // One other seed may happen to lead to the same support vectors, if the strategy chooses among a few at random.
    let mut other_seeds = if at_random { 2..10 } else { 2..3 };
    let differ = other_seeds.any(|seed| with_seed(seed).1 != support_vectors);
    // With a rate or a sampled model, different random numbers may give equal models.
    let may_differ = rate.is_some() || *average == Average::Random;
    assert!(
        differ == at_random || may_differ,
        "{combination}: the seed matters only if the strategy is random"
    );
}

fn batches<T: Float>(combination: &Combination, stream: &Stream<T>) {
    let expected = combination.bytes(&one_by_one(combination, stream));
    for parts in cuts() {
        let mut learner: Learner<T> = combination.build(FEATURES);
        for part in parts {
            stream.learn(&mut learner, part);
        }
        assert_eq!(combination.bytes(&learner), expected, "{combination}: in pieces");
    }
    let weights = Stream::<T>::weights();
    let mut whole: Learner<T> = combination.build(FEATURES);
    whole.learn_batch(&stream.all(), stream.targets(0..ROWS), Some(&weights)).unwrap();
    let mut single: Learner<T> = combination.build(FEATURES);
    for (i, weight) in weights.into_iter().enumerate() {
        single.learn_one(stream.row(i), stream.y[i], weight).unwrap();
    }
    assert_eq!(combination.bytes(&whole), combination.bytes(&single), "{combination}: with weights");
    assert_ne!(combination.bytes(&whole), expected, "{combination}: weights change something");
}

/// Learns rows with a tenth of the values missing.
fn missing_values<T: Float>(combination: &Combination, stream: &Stream<T>) {
    if !combination.accepts_nan() {
        return;
    }
    let mut x = stream.x.clone();
    x.iter_mut().step_by(10).for_each(|x| *x = T::from_f64(f64::NAN));
    let (rows, targets) = (Rows::Dense(x.view()), stream.targets(0..ROWS));
    let mut whole: Learner<T> = combination.build(FEATURES);
    whole.learn_batch(&rows, targets, None).unwrap();
    let mut single: Learner<T> = combination.build(FEATURES);
    for (x, class) in x.rows().into_iter().zip(&stream.y) {
        single.learn_one(x.to_slice().unwrap(), *class, 1.0).unwrap();
        single = combination.load(&combination.bytes(&single));
    }
    assert_eq!(combination.bytes(&whole), combination.bytes(&single), "{combination}");
    assert_ne!(
        combination.bytes(&whole),
        combination.bytes(&one_by_one(combination, stream)),
        "{combination}"
    );
    assert!(whole.decision_function(&rows).unwrap().iter().all(|f| f.is_finite()), "{combination}");
}

fn layouts<T: Float>(combination: &Combination, stream: &Stream<T>) {
    let learn = |rows: ArrayView2<'_, T>| {
        let before: Array2<T> = rows.to_owned();
        let mut learner: Learner<T> = combination.build(FEATURES);
        learner.learn_batch(&Rows::Dense(rows), Targets::Classes(&stream.y), None).unwrap();
        let scores = learner.decision_function(&Rows::Dense(rows)).unwrap();
        let predicted = learner.predict(&Rows::Dense(rows)).unwrap();
        assert!(before == rows, "{combination}: the input was changed");
        (combination.bytes(&learner), bits(&scores), predicted)
    };
    let expected = learn(stream.x.view());
    let columns = stream.x.t().as_standard_layout().into_owned();
    assert_eq!(learn(columns.t()), expected, "{combination}: column by column");
    let mut wide = Array2::from_elem((3 * ROWS, 2 * FEATURES), T::ONE);
    wide.slice_mut(s![1..;3, ..;2]).assign(&stream.x);
    assert_eq!(learn(wide.slice(s![1..;3, ..;2])), expected, "{combination}: strided");
    let mut backwards = stream.x.clone();
    backwards.invert_axis(Axis(0));
    backwards.invert_axis(Axis(1));
    let mut backwards = backwards.as_standard_layout().into_owned();
    backwards.invert_axis(Axis(0));
    backwards.invert_axis(Axis(1));
    assert_eq!(learn(backwards.view()), expected, "{combination}: backwards");
}

fn predictions<T: Float>(combination: &Combination, stream: &Stream<T>) {
    let learner = one_by_one(combination, stream);
    let before = combination.bytes(&learner);
    let outputs = learner.n_outputs();
    // Several threads score that many rows.
    let many: Vec<_> = std::iter::repeat_n(stream.x.view(), 4).collect();
    let many = ndarray::concatenate(Axis(0), &many).unwrap();
    let rows = Rows::Dense(many.view());
    let scores = learner.decision_function(&rows).unwrap();
    assert_eq!(scores.len(), 4 * ROWS * outputs);
    assert!(scores.iter().all(|f| f.is_finite()), "{combination}: scores must be finite");
    let parallel = learner.decision_function_parallel(&rows).unwrap();
    assert_eq!(bits(&parallel), bits(&scores), "{combination}: threads change nothing");
    let predicted = learner.predict(&rows).unwrap();
    assert!(predicted.iter().all(|class| (*class as usize) < combination.classes), "{combination}");
    for i in (0..ROWS).step_by(7) {
        let one = learner.decision_function(&Rows::one(stream.row(i))).unwrap();
        assert_eq!(bits(&one), bits(&scores[i * outputs..(i + 1) * outputs]), "{combination}: row {i} alone");
        assert_eq!(learner.predict(&Rows::one(stream.row(i))).unwrap(), predicted[i..=i], "{combination}");
    }
    assert!(learner.decision_function(&stream.rows(0..0)).unwrap().is_empty());
    assert!(learner.predict(&stream.rows(0..0)).unwrap().is_empty());
    assert_eq!(combination.bytes(&learner), before, "{combination}: predicting changes nothing");
    let untrained: Learner<T> = combination.build(FEATURES);
    assert!(untrained.decision_function(&rows).unwrap().iter().all(|f| *f == T::ZERO), "{combination}");
}

/// `A x`, or x without a metric.
fn mapped<T: Float>(metric: Option<Vec<T>>, x: &[T]) -> Vec<T> {
    let product = |(a, b): (&T, &T)| a.to_f64() * b.to_f64();
    match metric {
        None => x.to_vec(),
        Some(scales) if scales.len() == FEATURES => scales.iter().zip(x).map(|(a, x)| *a * *x).collect(),
        Some(a) => a.chunks(FEATURES).map(|a| T::from_f64(a.iter().zip(x).map(product).sum())).collect(),
    }
}

/// Recomputes the scores from the public attributes: `f(x) = sum_j alpha_j k(x_j, A x) + V x + v0`.
fn attributes<T: Float>(combination: &Combination, stream: &Stream<T>) {
    if combination.spec.spec().scaling == Scaling::Online {
        return; // means and deviations are no attributes
    }
    let learner = one_by_one(combination, stream);
    let linear = learner.linear();
    let (vectors, coefficients) = (learner.support_vectors(), learner.dual_coef());
    let n = learner.n_support();
    let kernel = learner.kernel();
    for i in (0..ROWS).step_by(13) {
        let raw = stream.row(i);
        let x = &mapped(learner.components(), raw)[..];
        let dot = |a: &[T], b: &[T]| a.iter().zip(b).map(|(a, b)| a.to_f64() * b.to_f64()).sum::<f64>();
        let widened = |x: &[T]| x.iter().map(|x| x.to_f64()).collect::<Vec<_>>();
        let values: Vec<f64> =
            vectors.chunks(FEATURES).map(|s| kernel_f64(kernel, &widened(s), &widened(x))).collect();
        let scores = learner.decision_function(&Rows::one(raw)).unwrap();
        for (output, (alpha, f)) in coefficients.chunks(n).zip(scores).enumerate() {
            let linear_part = linear.as_ref().map_or(0.0, |(matrix, constants)| {
                dot(&matrix[output * FEATURES..][..FEATURES], raw) + constants[output].to_f64()
            });
            let exact: f64 =
                alpha.iter().zip(&values).map(|(a, k)| a.to_f64() * k).sum::<f64>() + linear_part;
            let size: f64 = alpha.iter().zip(&values).map(|(a, k)| (a.to_f64() * k).abs()).sum();
            let unit = 2f64.powi(if T::LANES == 16 { -23 } else { -52 });
            let bound = 40.0 * unit * (1.0 + size);
            assert!((f.to_f64() - exact).abs() <= bound, "{combination}: {f}, not {exact}");
        }
    }
}

contracts! {
    streams:
    the_budget_is_never_exceeded = budget_holds;
    equal_seeds_give_equal_models = seeds;
    a_batch_equals_its_rows_however_it_is_cut = batches;
    values_may_be_missing = missing_values;
    the_memory_layout_changes_nothing = layouts;
    predictions_are_finite_and_the_same_on_any_number_of_threads = predictions;
    support_vectors_and_coefficients_are_the_model = attributes;
}
