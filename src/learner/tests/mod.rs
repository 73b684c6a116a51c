//! The training loop against an obvious one, and its inputs: appended features, scaling, weights, invalid batches.

mod balance;
mod blocks;
mod drift;
mod extremes;
mod gamma;
mod hashing;
mod limits;
mod missing;
mod oracle;
mod parts;
mod refusals;
mod running;
mod scaling;
mod stale_buffers;
mod validate;
mod values;

use super::{Learner, Rows, Targets};
use crate::float::Real;
use crate::generate::{Stream, checkerboard, waveform};
use crate::params::{Gamma, Maintenance, Spec};
use crate::persist::Tensors;
use ndarray::ArrayView2;

fn spec(maintenance: Maintenance, budget: Option<usize>) -> Spec {
    let mut spec = Spec::named("bsgd-merge").unwrap();
    (spec.maintenance, spec.budget, spec.gamma, spec.alpha) = (maintenance, budget, Gamma::Value(0.5), 0.01);
    spec
}

fn build<T: Real>(spec: &Spec, features: usize, classes: usize) -> Learner<T> {
    spec.check().unwrap().build(features, classes).unwrap()
}

/// The saved state of a model.
fn bytes<T: Real>(learner: &Learner<T>) -> Vec<u8> {
    crate::persist::encode(&Tensors::of(|out| learner.save(out))).unwrap()
}

/// A model that was saved and loaded.
fn reloaded<T: Real>(learner: &Learner<T>) -> Learner<T> {
    Learner::load(learner.spec(), &Tensors::of(|out| learner.save(out))).unwrap()
}

/// A stream in numbers of type `T`: each row and its class.
fn rows_of<T: Real>(stream: &Stream) -> Vec<(Vec<T>, u32)> {
    let rows = stream.rows.chunks(stream.n_features);
    let rows = rows.map(|x| x.iter().map(|&x| T::from_f64(f64::from(x))).collect());
    rows.zip(stream.classes.iter().copied()).collect()
}

fn learn<T: Real>(learner: &mut Learner<T>, rows: &[(Vec<T>, u32)]) {
    for (x, class) in rows {
        learner.learn_one(x, *class, 1.0).unwrap();
    }
}

#[test]
fn a_weight_scales_the_coefficients() {
    for classes in [2, 3] {
        let mut learner: Learner<f64> = build(&spec(Maintenance::Oldest, Some(5)), 1, classes);
        for (x, weight) in [(0.0, 1.0), (100.0, 2.5), (200.0, 1e-3), (300.0, 0.0), (400.0, 1e9)] {
            learner.learn_one(&[x], 1u32, weight).unwrap();
        }
        // The rows are so far apart that kernel values vanish: each row adds its weight over lambda t.
        let scale = 1.0 / (0.01 * 4.0);
        let expected = [1.0, 2.5, 1e-3, 1e9].map(|w| w * scale);
        let coefficients = learner.dual_coef();
        let row = if classes == 2 { &coefficients[..] } else { &coefficients[4..8] };
        assert_eq!(row, expected);
        assert_eq!(learner.counts().n_seen, 4);
    }
}

#[test]
fn rows_of_weight_zero_are_skipped() {
    let rows = rows_of::<f32>(&checkerboard(300, 0.1, 3));
    let spec = Spec { gamma: Gamma::Scale, ..spec(Maintenance::Random, Some(10)) };
    let (mut all, mut kept): (Learner<f32>, Learner<f32>) = (build(&spec, 2, 2), build(&spec, 2, 2));
    for (i, (x, class)) in rows.iter().enumerate() {
        if i % 3 == 0 {
            all.learn_one(x, *class, 0.0).unwrap();
        } else {
            all.learn_one(x, *class, 1.0).unwrap();
            kept.learn_one(x, *class, 1.0).unwrap();
        }
    }
    assert_eq!(bytes(&all), bytes(&kept));
}

#[test]
fn widening_equals_a_width_known_in_advance() {
    let spec = spec(Maintenance::Merge, Some(8));
    let (mut narrow, mut wide): (Learner<f32>, Learner<f32>) = (build(&spec, 2, 2), build(&spec, 4, 2));
    for learner in [&mut narrow, &mut wide] {
        let deviation = &[2.0, 0.5, 0.0, 0.0][..learner.n_features()];
        learner.set_scaling(&vec![0.0; deviation.len()], deviation).unwrap();
    }
    let rows = rows_of::<f32>(&checkerboard(200, 0.1, 4));
    for (i, (x, class)) in rows.iter().enumerate() {
        let all = [&x[..], &[if i < 100 { 0.0 } else { i as f32 * 0.01 }, 0.0]].concat();
        if i == 100 {
            narrow.add_features(3, false).unwrap();
        }
        narrow.learn_one(&all[..narrow.n_features()], *class, 1.0).unwrap();
        wide.learn_one(&all, *class, 1.0).unwrap();
    }
    narrow.add_features(4, false).unwrap();
    narrow.add_features(4, false).unwrap();
    assert_eq!(bytes(&narrow), bytes(&wide));
    let before = bytes(&narrow);
    for features in [0, 3, usize::MAX, 1 << 32] {
        assert!(narrow.add_features(features, false).is_err(), "{features}");
        assert_eq!(bytes(&narrow), before);
    }
}

/// Before the first row gamma follows the number of features; after it appended features must not change gamma.
#[test]
fn widening_never_changes_gamma_on_the_way() {
    let stream = rows_of::<f32>(&checkerboard(1100, 0.1, 4));
    for gamma in [Gamma::Scale, Gamma::Standardized, Gamma::Auto, Gamma::Value(0.5)] {
        let spec = Spec { gamma, ..spec(Maintenance::Merge, Some(8)) };
        let (mut narrow, mut wide): (Learner<f32>, Learner<f32>) = (build(&spec, 2, 2), build(&spec, 3, 2));
        narrow.add_features(3, false).unwrap();
        assert_eq!(bytes(&narrow), bytes(&wide), "{gamma:?}");
        let padded = |x: &[f32], width: usize| [x, &[0.0; 9][..width - x.len()]].concat();
        for (i, (x, class)) in stream.iter().enumerate() {
            for learner in [&mut narrow, &mut wide] {
                learner.learn_one(&padded(x, learner.n_features()), *class, 1.0).unwrap();
            }
            narrow.add_features(3, false).unwrap();
            let (before, width) = (bytes(&narrow), narrow.kernel());
            let frozen = gamma == Gamma::Scale && i + 1 >= 1024;
            let error = narrow.clone().add_features(9, false).err().map(|error| error.to_string());
            if frozen || matches!(gamma, Gamma::Standardized | Gamma::Value(_)) {
                assert_eq!(error, None, "{gamma:?} row {i}");
            } else {
                let got = format!(
                    "got {:?} after row {}",
                    if gamma == Gamma::Auto { "auto" } else { "scale" },
                    i + 1
                );
                let error = error.expect("gamma follows the width");
                assert!(error.starts_with("gamma must be a number") && error.ends_with(&got), "{error}");
                assert_eq!(bytes(&narrow), before, "{gamma:?} row {i}");
                let mut asked = narrow.clone();
                asked.add_features(9, true).unwrap();
                let (f, all) = (narrow.decision_function(&Rows::one(&padded(x, 3))), padded(x, 9));
                assert_eq!(asked.decision_function(&Rows::one(&all)), f, "{gamma:?} row {i}");
            }
            assert_eq!(narrow.kernel(), width);
        }
        assert_eq!(bytes(&narrow), bytes(&wide), "{gamma:?}");
        if narrow.add_features(9, false).is_ok() {
            assert_eq!(narrow.kernel(), wide.kernel());
            let (x, all) = (padded(&stream[0].0, 3), padded(&stream[0].0, 9));
            let f = wide.decision_function(&Rows::one(&x)).unwrap();
            assert_eq!(narrow.decision_function(&Rows::one(&all)).unwrap(), f);
        }
    }
    // A kernel without gamma cannot change it.
    let spec = Spec {
        kernel: crate::params::KernelName::Linear,
        gamma: Gamma::Auto,
        ..spec(Maintenance::Oldest, Some(8))
    };
    let mut learner: Learner<f32> = build(&spec, 2, 2);
    learn(&mut learner, &stream[..3]);
    learner.add_features(3, false).unwrap();
}

#[test]
fn predictions_follow_the_scores() {
    for (stream, classes) in [(checkerboard(300, 0.0, 1), 2), (waveform(300, 1), 3)] {
        let mut learner: Learner<f32> =
            build(&spec(Maintenance::Merge, Some(30)), stream.n_features, classes);
        let view = ArrayView2::from_shape((300, stream.n_features), &stream.rows).unwrap();
        assert_eq!(
            learner.predict(&Rows::Dense(view)).unwrap(),
            vec![0; 300],
            "nothing learned: the first class"
        );
        learner.learn_batch(&Rows::Dense(view), Targets::Classes(&stream.classes), None).unwrap();
        let scores = learner.decision_function(&Rows::Dense(view)).unwrap();
        let predicted = learner.predict(&Rows::Dense(view)).unwrap();
        for (f, predicted) in scores.chunks(learner.n_outputs()).zip(predicted) {
            let expected = match f {
                [f] => u32::from(*f > 0.0),
                _ => (0..classes as u32)
                    .reduce(|a, b| if f[b as usize] > f[a as usize] { b } else { a })
                    .unwrap(),
            };
            assert_eq!(predicted, expected, "{f:?}");
        }
    }
}

/// In a small space with a wide kernel many vectors are nearly in the span of the others. A residual below the
/// resolution of the type must not count as independent, or the coefficients would grow without bound.
fn projects_in_a_narrow_space<T: Real>() {
    let stream = checkerboard(12_000, 0.0, 1);
    for maintenance in [Maintenance::Project, Maintenance::ProjectBest] {
        let mut spec = spec(maintenance, Some(300));
        (spec.alpha, spec.gamma) = (1e-4, Gamma::Value(2.0));
        let mut learner: Learner<T> = build(&spec, 2, 2);
        let rows = rows_of::<T>(&stream);
        learn(&mut learner, &rows[..10_000]);
        let right =
            rows[10_000..].iter().filter(|(x, class)| learner.predict(&Rows::one(x)).unwrap() == [*class]);
        let right = right.count();
        // Relative to one step.
        let largest = learner.dual_coef().iter().fold(0.0, |m: f64, a| m.max(a.to_f64().abs())) * 1e-4 * 1e4;
        let name = T::NAME;
        assert!(right > 1800 && largest < 1e5, "{maintenance:?}, {name}: {right} of 2000, {largest:.1e}");
    }
}

#[test]
fn projection_is_stable_in_a_narrow_space() {
    projects_in_a_narrow_space::<f32>();
    projects_in_a_narrow_space::<f64>();
}
