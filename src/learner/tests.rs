//! The loop against an obvious one, and what comes before it: widths, scaling, weights, refusals.

use super::{Learner, Rows, Targets};
use crate::classes::Classes;
use crate::error::Error;
use crate::float::Real;
use crate::generate::{Stream, checkerboard, waveform};
use crate::model::{AnyLearner, Model};
use crate::rng::Rng;
use crate::spec::{Gamma, KernelName, Maintenance, Spec};
use ndarray::ArrayView2;

fn spec(maintenance: Maintenance, budget: Option<usize>) -> Spec {
    let mut spec = Spec::named("bsgd-merge").unwrap();
    (spec.maintenance, spec.budget, spec.gamma, spec.alpha) = (maintenance, budget, Gamma::Value(0.5), 0.01);
    spec
}

fn build<T: Real>(spec: &Spec, features: usize, classes: usize) -> Learner<T> {
    spec.check().unwrap().build(features, classes).unwrap()
}

/// Everything that a model file keeps.
fn bytes<T: Real>(learner: &Learner<T>) -> Vec<u8> {
    let mut saved = crate::persist::Tensors::new();
    learner.save(&mut saved);
    crate::persist::encode(&saved).unwrap()
}

/// A stream in numbers of type `T`: each row and its class.
fn rows_of<T: Real>(stream: &Stream) -> Vec<(Vec<T>, u32)> {
    let rows = stream.rows.chunks(stream.features);
    let rows = rows.map(|x| x.iter().map(|&x| T::from_f64(f64::from(x))).collect());
    rows.zip(stream.classes.iter().copied()).collect()
}

fn learn<T: Real>(learner: &mut Learner<T>, rows: &[(Vec<T>, u32)]) {
    for (x, class) in rows {
        learner.learn_one(x, *class, 1.0).unwrap();
    }
}

/// Budgeted kernel SGD on the hinge loss as the papers write it, in f64: coefficients that decay with every example.
struct Pegasos {
    spec: Spec,
    outputs: usize,
    t: f64,
    /// Support vectors in order of birth, and their coefficients.
    support: Vec<(Vec<f64>, Vec<f64>)>,
    rng: Rng,
}

impl Pegasos {
    fn kernel(a: &[f64], b: &[f64]) -> f64 {
        (-0.5 * a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp()
    }

    fn scores(&self, x: &[f64]) -> Vec<f64> {
        let score = |c: usize| self.support.iter().map(|(s, alpha)| alpha[c] * Self::kernel(s, x)).sum();
        (0..self.outputs).map(score).collect()
    }

    fn norm(&self) -> f64 {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let pairs = self.support.iter().flat_map(|a| self.support.iter().map(move |b| (a, b)));
        pairs.map(|((x, a), (z, b))| dot(a, b) * Self::kernel(x, z)).sum::<f64>().sqrt()
    }

    /// Whether the example was inserted.
    fn learn(&mut self, x: &[f64], class: usize) -> bool {
        self.t += 1.0;
        let f = self.scores(x);
        let mut direction = vec![0.0; self.outputs];
        let margin = if self.outputs == 1 {
            direction[0] = if class == 1 { 1.0 } else { -1.0 };
            direction[0] * f[0]
        } else {
            let rivals = (0..self.outputs).filter(|&r| r != class);
            let rival = rivals.reduce(|best, r| if f[r] > f[best] { r } else { best }).unwrap();
            (direction[class], direction[rival]) = (1.0, -1.0);
            f[class] - f[rival]
        };
        let lambda = self.spec.alpha;
        for alpha in self.support.iter_mut().flat_map(|(_, row)| row) {
            *alpha *= 1.0 - 1.0 / self.t;
        }
        let full = self.spec.budget.is_some_and(|budget| self.support.len() == budget);
        if margin >= 1.0 || (full && self.spec.maintenance == Maintenance::Stop) {
            return false;
        }
        let row = direction.iter().map(|v| v / (lambda * self.t)).collect();
        self.support.push((x.to_vec(), row));
        if full {
            let leaver = match self.spec.maintenance {
                Maintenance::Oldest => 0,
                Maintenance::Random => self.rng.below(self.support.len() - 1),
                Maintenance::Smallest => {
                    let size = |(_, row): &(_, Vec<f64>)| row.iter().map(|a| a * a).sum::<f64>();
                    let least = self.support.iter().map(size).fold(f64::INFINITY, f64::min);
                    self.support.iter().position(|s| size(s) <= least * (1.0 + 1e-9)).unwrap()
                }
                other => unreachable!("{other:?} is not written here"),
            };
            self.support.remove(leaver);
        }
        let (norm, radius) = (self.norm(), 1.0 / lambda.sqrt());
        if self.spec.ball && norm > radius {
            for alpha in self.support.iter_mut().flat_map(|(_, row)| row) {
                *alpha *= radius / norm;
            }
        }
        true
    }
}

#[test]
fn the_loop_is_that_of_the_papers() {
    use Maintenance::{None, Oldest, Random, Smallest, Stop};
    let streams = [("binary", checkerboard(400, 0.1, 1)), ("three classes", waveform(300, 2))];
    for (what, stream) in &streams {
        let rows = rows_of::<f64>(stream);
        for (maintenance, budget) in [
            (None, Option::None),
            (Stop, Some(20)),
            (Oldest, Some(20)),
            (Random, Some(20)),
            (Smallest, Some(20)),
        ] {
            for (ball, alpha) in [(false, 0.01), (true, 0.01), (true, 0.5)] {
                let spec = Spec { ball, alpha, seed: 7, ..spec(maintenance, budget) };
                let mut learner: Learner<f64> = build(&spec, stream.features, stream.n_classes);
                let outputs = learner.n_outputs();
                let rng = Rng::new(7);
                let mut oracle = Pegasos { spec, outputs, t: 0.0, support: Vec::new(), rng };
                let (mut mistakes, mut updates) = (0, 0);
                for (i, (x, class)) in rows.iter().enumerate() {
                    let f = oracle.scores(x);
                    let got = learner.decision_function(&Rows::one(x)).unwrap();
                    let size = f.iter().fold(1.0f64, |size, f| size.max(f.abs()));
                    for (got, exact) in got.iter().zip(&f) {
                        assert!(
                            (got - exact).abs() <= 1e-10 * size,
                            "{what} {maintenance:?} ball {ball} row {i}"
                        );
                    }
                    let predicted = if outputs == 1 {
                        usize::from(f[0] > 0.0)
                    } else {
                        (0..outputs).reduce(|best, c| if f[c] > f[best] { c } else { best }).unwrap()
                    };
                    mistakes += u64::from(predicted != *class as usize);
                    updates += u64::from(oracle.learn(x, *class as usize));
                    learner.learn_one(x, *class, 1.0).unwrap();
                    let support: Vec<f64> = oracle.support.iter().flat_map(|(x, _)| x.clone()).collect();
                    assert_eq!(
                        learner.support_vectors(),
                        support,
                        "{what} {maintenance:?} ball {ball} row {i}"
                    );
                }
                let counts = learner.counts();
                assert_eq!(
                    (counts.seen, counts.mistakes, counts.updates),
                    (rows.len() as u64, mistakes, updates)
                );
                let exact = (0..outputs).flat_map(|c| oracle.support.iter().map(move |(_, row)| row[c]));
                for (got, exact) in learner.dual_coef().iter().zip(exact) {
                    assert!((got - exact).abs() <= 1e-10 * (1.0 + exact.abs()), "{got}, not {exact}");
                }
                if ball {
                    assert!(oracle.norm() <= 1.0 / alpha.sqrt() * (1.0 + 1e-9));
                }
            }
        }
    }
}

/// `1/(d var)` by two passes over all numbers of the rows, zeros of sparse ones too.
fn naive_gamma(rows: &[Vec<f64>]) -> f64 {
    let all: Vec<f64> = rows.concat();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let variance = all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / all.len() as f64;
    1.0 / (rows[0].len() as f64 * variance)
}

fn gamma_follows_the_data<T: Real>(sparse: bool) {
    let mut rng = Rng::new(11);
    let spec = Spec { gamma: Gamma::Scale, ..spec(Maintenance::Merge, Some(10)) };
    let mut learner: Learner<T> = build(&spec, 3, 2);
    assert_eq!(learner.kernel().gamma(), Some(1.0 / 3.0));
    let mut seen: Vec<Vec<f64>> = Vec::new();
    let mut expected = 1.0 / 3.0;
    for t in 1..1200usize {
        let x: Vec<T> = (0..3)
            .map(|j| if (t + j) % 3 == 0 { T::ZERO } else { T::from_f64(5.0 + 3.0 * rng.normal()) })
            .collect();
        if [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].contains(&t) {
            expected = naive_gamma(&seen);
        }
        let class = rng.below(2) as u32;
        if sparse {
            let (indices, values): (Vec<u32>, Vec<T>) =
                x.iter().enumerate().filter(|(_, x)| **x != T::ZERO).map(|(j, &x)| (j as u32, x)).unzip();
            let indptr = [0, values.len()];
            let rows = Rows::Sparse { indptr: &indptr, indices: &indices, values: &values, columns: 3 };
            learner.learn_batch(&rows, Targets::Classes(&[class]), None).unwrap();
        } else {
            learner.learn_one(&x, class, 1.0).unwrap();
        }
        // Rows of weight 0 are not counted.
        learner.learn_one(&[T::from_f64(1e3); 3], class, 0.0).unwrap();
        seen.push(x.into_iter().map(T::to_f64).collect());
        let gamma = learner.kernel().gamma().unwrap();
        assert!((gamma / expected - 1.0).abs() <= 1e-12, "row {t}: {gamma}, not {expected}");
    }
}

#[test]
fn gamma_is_set_before_rows_that_are_powers_of_two() {
    for sparse in [false, true] {
        gamma_follows_the_data::<f32>(sparse);
        gamma_follows_the_data::<f64>(sparse);
    }
}

#[test]
fn gamma_is_legal_whatever_the_data_are() {
    // The number that every other row is filled with, and the width that comes of it.
    let cases = [
        (0.0, 1.0 / 4.0),
        (1e-170, 1.0 / 4.0),
        (1e-160, 1e30),
        (1e-20, 1e30),
        (1.0, 1.0),
        (1e20, 1e-30),
        (1e160, 1e-30),
        (1.7e308, 1e-30),
    ];
    for kernel in [KernelName::Rbf, KernelName::Laplacian, KernelName::Poly, KernelName::Sigmoid] {
        for (size, expected) in cases {
            let spec = Spec { gamma: Gamma::Scale, kernel, ..spec(Maintenance::Oldest, Some(5)) };
            let mut learner: Learner<f64> = build(&spec, 4, 2);
            for i in 0..40u32 {
                let x = if i % 4 == 0 { [size, size, -size, -size] } else { [size, -size, size, -size] };
                learner.learn_one(&x, i % 2, 1.0).unwrap();
            }
            let gamma = learner.kernel().gamma().unwrap();
            assert!(
                (gamma * 4.0 * size * size - 1.0).abs() < 1e-9 || gamma == expected,
                "{size:e}: {gamma:e}"
            );
        }
    }
    for (kernel, gamma) in
        [(KernelName::Rbf, Some(0.125)), (KernelName::Linear, None), (KernelName::Cosine, None)]
    {
        let spec = Spec { gamma: Gamma::Auto, kernel, ..spec(Maintenance::Oldest, Some(5)) };
        let mut learner: Learner<f32> = build(&spec, 8, 2);
        learn(&mut learner, &vec![(vec![1.0; 8], 0), (vec![9.0; 8], 1), (vec![0.0; 8], 1)]);
        assert_eq!(learner.kernel().gamma(), gamma);
    }
}

/// Numbers near the end of their type: the model stays one that can be saved, loaded and asked.
fn extreme_rows<T: Real>(huge: f64) {
    let mut rng = Rng::new(5);
    for maintenance in Maintenance::ALL {
        for kernel in KernelName::ALL {
            for gamma in [Gamma::Scale, Gamma::Value(1e-30), Gamma::Value(1.0), Gamma::Value(1e30)] {
                let budget = (maintenance != Maintenance::None).then_some(6);
                let mut spec = spec(maintenance, budget);
                (spec.kernel, spec.gamma, spec.ball) = (kernel, gamma, true);
                let Ok(checked) = spec.check() else { continue };
                let mut learner: Learner<T> = checked.build(3, 3).unwrap();
                for i in 0..60 {
                    let size = [1.0, 1e-30, 0.0, huge.sqrt(), huge][rng.below(5)];
                    let x: Vec<T> = (0..3).map(|_| T::from_f64(size * (2.0 * rng.unit() - 1.0))).collect();
                    let weight = [1.0, 1e-9, 1e9][rng.below(3)];
                    learner.learn_one(&x, i % 3, weight).unwrap();
                    assert!(budget.is_none_or(|budget| learner.n_support() <= budget));
                }
                let what = format!("{maintenance:?} {kernel:?} {gamma:?}");
                let numbers = [learner.support_vectors(), learner.dual_coef()].concat();
                assert!(numbers.iter().all(|x| x.is_finite()), "{what}");
                assert!(learner.mean_weight_degradation().is_finite(), "{what}");
                let near = [T::ONE, T::ZERO, -T::ONE];
                let scores = learner.decision_function(&Rows::one(&near)).unwrap();
                assert!(scores.iter().all(|f| f.is_finite()), "{what}: {scores:?}");
                let mut saved = crate::persist::Tensors::new();
                learner.save(&mut saved);
                let copy: Learner<T> =
                    Learner::load(&checked, &saved).unwrap_or_else(|e| panic!("{what}: {e}"));
                assert_eq!(bytes(&copy), bytes(&learner), "{what}");
            }
        }
    }
}

#[test]
fn extreme_rows_leave_a_legal_model() {
    extreme_rows::<f32>(3e38);
    extreme_rows::<f64>(1.7e308);
}

#[test]
fn rows_without_length_change_nothing() {
    for (kernel, x) in
        [(KernelName::Linear, [0.0; 2]), (KernelName::Cosine, [0.0; 2]), (KernelName::Linear, [1e20, 1e20])]
    {
        let spec = Spec { kernel, ..spec(Maintenance::Oldest, Some(5)) };
        let mut learner: Learner<f32> = build(&spec, 2, 2);
        learner.learn_one(&x, 1, 1.0).unwrap();
        assert_eq!((learner.n_support(), learner.counts().seen, learner.counts().updates), (0, 1, 0));
        learner.learn_one(&[1.0, 2.0], 1, 1.0).unwrap();
        assert_eq!((learner.n_support(), learner.counts().updates), (1, 1));
    }
}

fn scaling<T: Real>() {
    let mut rng = Rng::new(13);
    let (mean, deviation) = ([3.0, -1e3, 0.0, 7.0], [0.5, 2e2, 1.0, 0.0]);
    let raw: Vec<(Vec<T>, u32)> = (0..200)
        .map(|i| {
            let x = (0..4).map(|j| T::from_f64(mean[j] + deviation[j] * rng.normal()));
            (x.collect(), i % 2)
        })
        .collect();
    for kernel in [KernelName::Rbf, KernelName::Laplacian, KernelName::Linear, KernelName::Poly] {
        let shifted = matches!(kernel, KernelName::Linear | KernelName::Poly);
        let spec = Spec { kernel, gamma: Gamma::Scale, ..spec(Maintenance::Oldest, Some(20)) };
        let mut scaled: Learner<T> = build(&spec, 4, 2);
        scaled.set_scaling(&mean, &deviation).unwrap();
        let mut plain: Learner<T> = build(&spec, 4, 2);
        let by_hand = |x: &[T]| -> Vec<T> {
            let factor = deviation.map(|d| T::from_f64(if d == 0.0 { 1.0 } else { 1.0 / d }));
            (0..4)
                .map(|j| (x[j] - if shifted { T::from_f64(mean[j]) } else { T::ZERO }) * factor[j])
                .collect()
        };
        for (x, class) in &raw {
            scaled.learn_one(x, *class, 1.0).unwrap();
            plain.learn_one(&by_hand(x), *class, 1.0).unwrap();
        }
        assert_eq!(scaled.support_vectors(), plain.support_vectors());
        assert_eq!(scaled.dual_coef(), plain.dual_coef());
        assert_eq!(scaled.kernel(), plain.kernel());
        for (x, _) in &raw {
            let f = scaled.decision_function(&Rows::one(x)).unwrap();
            assert_eq!(f, plain.decision_function(&Rows::one(&by_hand(x))).unwrap());
        }
        let error = scaled.set_scaling(&mean, &deviation).unwrap_err();
        assert!(matches!(error, Error::State(_)), "{error}");
    }
}

#[test]
fn scaling_is_that_by_hand() {
    scaling::<f32>();
    scaling::<f64>();
}

/// Scaled sparse rows of a kernel of differences stay sparse: as sparse rows scaled by hand, bit for bit.
#[test]
fn scaled_sparse_rows_stay_sparse() {
    let mut rng = Rng::new(17);
    let deviation = [0.5, 4.0, 0.25, 1.0, 8.0];
    for kernel in [KernelName::Rbf, KernelName::Linear] {
        let spec = Spec { kernel, ..spec(Maintenance::Oldest, Some(20)) };
        let mut scaled: Learner<f32> = build(&spec, 5, 2);
        scaled.set_scaling(&[0.0; 5], &deviation).unwrap();
        let mut plain: Learner<f32> = build(&spec, 5, 2);
        for i in 0..100u32 {
            let indices: Vec<u32> = (0..5).filter(|_| rng.below(2) == 0).collect();
            let values: Vec<f32> = indices.iter().map(|_| rng.normal() as f32).collect();
            let by_hand: Vec<f32> =
                indices.iter().zip(&values).map(|(&j, x)| x * (1.0 / deviation[j as usize]) as f32).collect();
            let indptr = [0, indices.len()];
            let rows = |values| Rows::Sparse { indptr: &indptr, indices: &indices, values, columns: 5 };
            scaled.learn_batch(&rows(&values), Targets::Classes(&[i % 2]), None).unwrap();
            if kernel == KernelName::Rbf {
                plain.learn_batch(&rows(&by_hand), Targets::Classes(&[i % 2]), None).unwrap();
            } else {
                // A kernel that is shifted sees every feature.
                let mut dense = [0.0; 5];
                indices.iter().zip(&by_hand).for_each(|(&j, &x)| dense[j as usize] = x);
                plain.learn_one(&dense, i % 2, 1.0).unwrap();
            }
        }
        assert_eq!(scaled.support_vectors(), plain.support_vectors());
        assert_eq!(scaled.dual_coef(), plain.dual_coef());
    }
}

#[test]
fn illegal_scalings_are_refused_by_name() {
    let mut learner: Learner<f32> = build(&spec(Maintenance::Merge, Some(5)), 2, 2);
    let before = bytes(&learner);
    let cases: [(&str, &[f64], &[f64]); 9] = [
        ("mean", &[0.0], &[1.0, 1.0]),
        ("std", &[0.0, 0.0], &[1.0, 1.0, 1.0]),
        ("mean", &[0.0, f64::NAN], &[1.0, 1.0]),
        ("mean", &[0.0, 1e39], &[1.0, 1.0]),
        ("std", &[0.0, 0.0], &[1.0, -1.0]),
        ("std", &[0.0, 0.0], &[1.0, f64::NAN]),
        ("std", &[0.0, 0.0], &[1.0, f64::INFINITY]),
        ("std", &[0.0, 0.0], &[1.0, 1e-40]),
        ("std", &[0.0, 0.0], &[1.0, 1e60]),
    ];
    for (name, mean, deviation) in cases {
        let error = learner.set_scaling(mean, deviation).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{name} must ")), "{mean:?} {deviation:?}: {error}");
        assert_eq!(bytes(&learner), before);
    }
}

#[test]
fn a_weight_scales_the_coefficients() {
    for classes in [2, 3] {
        let mut learner: Learner<f64> = build(&spec(Maintenance::Oldest, Some(5)), 1, classes);
        for (x, weight) in [(0.0, 1.0), (100.0, 2.5), (200.0, 1e-3), (300.0, 0.0), (400.0, 1e9)] {
            learner.learn_one(&[x], 1, weight).unwrap();
        }
        // Too far apart to know of each other: each row adds its weight over lambda t.
        let scale = 1.0 / (0.01 * 4.0);
        let expected = [1.0, 2.5, 1e-3, 1e9].map(|w| w * scale);
        let coefficients = learner.dual_coef();
        let row = if classes == 2 { &coefficients[..] } else { &coefficients[4..8] };
        assert_eq!(row, expected);
        assert_eq!(learner.counts().seen, 4);
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

/// A batch with one illegal thing, perhaps at its end, and what the error begins with.
#[test]
fn refused_batches_change_nothing() {
    let stream = checkerboard(50, 0.0, 1);
    let mut learner: Learner<f32> = build(&spec(Maintenance::Merge, Some(10)), 2, 2);
    learn(&mut learner, &rows_of(&stream));
    let before = bytes(&learner);
    let with = |at: usize, x: f32| {
        let mut rows = stream.rows.clone();
        rows[at] = x;
        rows
    };
    let mut wrong_class = stream.classes.clone();
    wrong_class[49] = 2;
    let weights = |w: f64| {
        let mut weights = vec![1.0; 50];
        weights[49] = w;
        weights
    };
    let (good, ones) = (stream.rows.clone(), vec![1.0; 50]);
    let cases: [(&str, &[f32], (usize, usize), &[u32], &[f64]); 13] = [
        ("X contains NaN at row 49, column 1;", &with(99, f32::NAN), (50, 2), &stream.classes, &ones),
        ("X contains infinity at row 0, column 1;", &with(1, f32::INFINITY), (50, 2), &stream.classes, &ones),
        (
            "X contains infinity at row 25, column 0;",
            &with(50, f32::NEG_INFINITY),
            (50, 2),
            &stream.classes,
            &ones,
        ),
        ("X must have 2 features, got 4", &good, (25, 4), &stream.classes[..25], &ones[..25]),
        ("X must have 2 features, got 1", &good, (100, 1), &stream.classes, &ones),
        ("X must have 2 features, got 0", &[], (50, 0), &stream.classes, &ones),
        ("y must have 50 entries, got 49", &good, (50, 2), &stream.classes[..49], &ones),
        ("y contains 2 at row 49; the classes are 0 to 1", &good, (50, 2), &wrong_class, &ones),
        ("sample_weight must have 50 entries, got 49", &good, (50, 2), &stream.classes, &ones[..49]),
        (
            "sample_weight must be from 0 to 1e9 in every row, got -1",
            &good,
            (50, 2),
            &stream.classes,
            &weights(-1.0),
        ),
        (
            "sample_weight must be from 0 to 1e9 in every row, got NaN",
            &good,
            (50, 2),
            &stream.classes,
            &weights(f64::NAN),
        ),
        (
            "sample_weight must be from 0 to 1e9 in every row, got inf",
            &good,
            (50, 2),
            &stream.classes,
            &weights(f64::INFINITY),
        ),
        (
            "sample_weight must be from 0 to 1e9 in every row, got 1000000001",
            &good,
            (50, 2),
            &stream.classes,
            &weights(1_000_000_001.0),
        ),
    ];
    for (expected, rows, shape, y, weights) in cases {
        let rows = Rows::Dense(ArrayView2::from_shape(shape, rows).unwrap());
        let error = learner.learn_batch(&rows, Targets::Classes(y), Some(weights)).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
        assert_eq!(bytes(&learner), before, "{error}");
        if error.starts_with('X') {
            assert_eq!(learner.predict(&rows).unwrap_err().to_string(), error);
            assert_eq!(learner.decision_function(&rows).unwrap_err().to_string(), error);
        }
    }
}

#[test]
fn illegal_sparse_rows_are_refused() {
    let mut learner: Learner<f64> = build(&spec(Maintenance::Merge, Some(10)), 3, 2);
    let before = bytes(&learner);
    let cases: [(&str, &[usize], &[u32], &[f64], usize); 14] = [
        ("3 features, got 4", &[0, 1], &[0], &[1.0], 4),
        ("as many indices as values", &[0, 1], &[0, 1], &[1.0], 3),
        ("as many indices as values", &[0, 2], &[0], &[1.0, 1.0], 3),
        ("row pointers", &[], &[], &[], 3),
        ("row pointers", &[1, 1], &[0], &[1.0], 3),
        ("row pointers", &[0, 2], &[0], &[1.0], 3),
        ("row pointers", &[0, 0], &[0], &[1.0], 3),
        ("do not decrease", &[0, 2, 1, 2], &[0, 1], &[1.0, 1.0], 3),
        ("do not decrease", &[0, usize::MAX, 2], &[0, 1], &[1.0, 1.0], 3),
        ("strictly increasing", &[0, 2], &[1, 1], &[1.0, 1.0], 3),
        ("strictly increasing", &[0, 2], &[2, 0], &[1.0, 1.0], 3),
        ("below the number of features", &[0, 1], &[3], &[1.0], 3),
        ("below the number of features", &[0, 1], &[u32::MAX], &[1.0], 3),
        ("NaN at row 1, column 2", &[0, 1, 2], &[0, 2], &[1.0, f64::NAN], 3),
    ];
    for (expected, indptr, indices, values, columns) in cases {
        let rows = Rows::Sparse { indptr, indices, values, columns };
        let y = vec![0; rows.len()];
        let error = learner.learn_batch(&rows, Targets::Classes(&y), None).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}, not {expected}");
        assert_eq!(bytes(&learner), before);
        assert_eq!(learner.decision_function(&rows).unwrap_err().to_string(), error);
    }
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
            narrow.widen(3).unwrap();
        }
        narrow.learn_one(&all[..narrow.n_features()], *class, 1.0).unwrap();
        wide.learn_one(&all, *class, 1.0).unwrap();
    }
    narrow.widen(4).unwrap();
    narrow.widen(4).unwrap();
    assert_eq!(bytes(&narrow), bytes(&wide));
    let before = bytes(&narrow);
    for features in [0, 3, usize::MAX, 1 << 32] {
        assert!(narrow.widen(features).is_err(), "{features}");
        assert_eq!(bytes(&narrow), before);
    }
}

#[test]
fn predictions_follow_the_scores() {
    for (stream, classes) in [(checkerboard(300, 0.0, 1), 2), (waveform(300, 1), 3)] {
        let mut learner: Learner<f32> = build(&spec(Maintenance::Merge, Some(30)), stream.features, classes);
        let view = ArrayView2::from_shape((300, stream.features), &stream.rows).unwrap();
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

#[test]
fn a_model_of_another_learner_is_not_written() {
    let spec = spec(Maintenance::Merge, Some(5)).check().unwrap();
    let learner: Learner<f32> = spec.build(2, 3).unwrap();
    let classes = |n| Some(Classes::Int((0..n).collect()));
    let trained = Some(AnyLearner::F32(learner));
    let model = Model { spec: spec.clone(), classes: classes(3), trained };
    Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    let other = Spec { seed: 1, ..spec.spec().clone() }.check().unwrap();
    for wrong in [
        Model { classes: None, ..model.clone() },
        Model { classes: classes(2), ..model.clone() },
        Model { spec: other, ..model.clone() },
    ] {
        assert!(matches!(wrong.to_bytes(), Err(Error::State(_))));
    }
}
