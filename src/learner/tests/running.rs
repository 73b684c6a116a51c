//! Standardisation by running statistics.

use super::{build, spec};
use crate::batch::Row;
use crate::float::Real;
use crate::input::{Excess, RunningScaler, Scaler, WARMUP_ROWS};
use crate::learner::{Learner, Rows};
use crate::ops::moments::MomentWeights;
use crate::ops::{Ops, level, starts_block};
use crate::params::{Gamma, KernelName, Maintenance, Scaling, Spec};
use crate::persist::Tensors;
use crate::rng::Rng;

/// Row `t`, standardised into `buffer`, after `effective_n_before` rows.
fn standardize(
    scaler: &mut Scaler<f64>,
    (t, effective_n_before): (u64, f64),
    x: &[f64],
    buffer: &mut Vec<f64>,
) {
    if starts_block(t) {
        scaler.begin_block(t, effective_n_before);
    }
    scaler.fit_transform(Ops::at(level()), (t, false), Row::Dense(x), (buffer, &mut Excess::default()));
}

/// Rows with features of different units, a constant feature, a feature that starts late and one with a
/// skewed distribution.
fn rows<T: Real>(count: usize) -> Vec<([T; 6], u32)> {
    let mut rng = Rng::new(31);
    let row = |i: usize| {
        let late = if i < count / 2 { 0.0 } else { rng.normal() };
        let x = [
            3.0 + rng.normal(),
            1e6 * rng.normal() - 1e7,
            1e-9 * rng.normal(),
            5.0,
            late,
            rng.normal().abs(),
        ];
        let class = u32::from(x[0] > 3.0) ^ u32::from(x[2] > 0.0);
        (x.map(T::from_f64), class)
    };
    (0..count).map(row).collect()
}

/// Keeps at most 32 of equal values before `x`, if x differs from them, and not by 1.
fn begin(counted: &mut Vec<f64>, x: f64) {
    if let Some(&first) = counted.first()
        && counted.iter().all(|y| *y == first)
        && x != first
        && x != first + 1.0
    {
        counted.truncate(32);
    }
}

/// Mean and variance of values, each clipped at `2 sqrt(n)` deviations from the mean of the n values before it; from
/// buffers.
fn moments(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let mut counted: Vec<f64> = Vec::new();
    let of = |counted: &[f64]| {
        let n = counted.len() as f64;
        let mean = counted.iter().sum::<f64>() / n;
        (mean, counted.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n)
    };
    for x in values {
        begin(&mut counted, x);
        let (mean, variance) = of(&counted);
        let farthest = 2.0 * (counted.len() as f64 * variance).sqrt();
        counted.push(if farthest > 0.0 { x.clamp(mean - farthest, mean + farthest) } else { x });
    }
    of(&counted)
}

/// The row standardised by the mean and deviation of the present values so far, from scratch; NaN becomes the mean.
fn by_hand<T: Real, const N: usize>(seen: &[([T; N], u32)], x: &[T; N]) -> [T; N] {
    std::array::from_fn(|j| {
        if x[j].to_f64().is_nan() {
            return T::ZERO;
        }
        let (mean, variance) = moments(seen.iter().map(|(x, _)| x[j].to_f64()).filter(|x| !x.is_nan()));
        let deviation = if variance > 1e-25 { variance.sqrt() } else { 1.0 };
        T::from_f64(((x[j].to_f64() - mean) / deviation).clamp(-3.0, 3.0))
    })
}

/// A model that scales the rows of a stream equals a model without scaling that learns the rows scaled by hand.
pub(super) fn scales_as_by_hand<T: Real, const N: usize>(
    spec: &Spec,
    rows: &[([T; N], u32)],
    tolerance: f64,
) {
    let mut scaled: Learner<T> = build(spec, N, 2);
    let mut plain: Learner<T> = build(&Spec { scaling: Scaling::None, ..spec.clone() }, N, 2);
    for (i, (x, class)) in rows.iter().enumerate() {
        scaled.learn_one(x, *class, 1.0).unwrap();
        plain.learn_one(&by_hand(&rows[..=i], x), *class, 1.0).unwrap();
    }
    for (x, _) in rows {
        let found = scaled.decision_function(&Rows::one(x)).unwrap()[0].to_f64();
        let expected = plain.decision_function(&Rows::one(&by_hand(rows, x))).unwrap()[0].to_f64();
        let kernel = spec.kernel;
        assert!((found - expected).abs() <= tolerance, "{kernel:?}: {found}, not {expected}");
    }
    assert_eq!(scaled.counts().updates, plain.counts().updates);
}

fn online(kernel: KernelName) -> Spec {
    Spec {
        scaling: Scaling::Online,
        kernel,
        gamma: Gamma::Value(0.2),
        ..spec(Maintenance::Smallest, Some(30))
    }
}

#[test]
fn rows_are_scaled_by_all_rows_so_far() {
    for kernel in [KernelName::Rbf, KernelName::Laplacian, KernelName::Linear] {
        scales_as_by_hand(&online(kernel), &rows::<f64>(250), 1e-8);
        scales_as_by_hand(&online(kernel), &rows::<f32>(250), 1e-2);
    }
}

/// Values near the limits of their type are clipped like all values.
#[test]
fn the_largest_numbers_are_harmless() {
    for kernel in [KernelName::Rbf, KernelName::Linear, KernelName::Poly] {
        let mut learner: Learner<f64> = build(&online(kernel), 1, 2);
        for (i, x) in [0.0, 1.0, f64::MAX, -f64::MAX, 1e200, 2.0, -1e-300].into_iter().enumerate() {
            learner.learn_one(&[x], (i % 2) as u32, 1.0).unwrap();
        }
        let stored = learner.support_vectors();
        assert!(stored.iter().all(|z| (-3.0..=3.0).contains(z)), "{kernel:?}: {stored:?}");
        let error = learner.learn_one(&[f64::INFINITY], 0, 1.0).unwrap_err().to_string();
        assert!(error.contains("must be finite"), "{error}");
    }
}

/// A corrupt value does not flatten its feature: it counts as the bounded value.
#[test]
fn an_outlier_counts_as_the_farthest_value_that_counts() {
    for window_rows in [None, Some(40)] {
        let mut rng = Rng::new(3);
        let mut running = Scaler::Running(RunningScaler::new(1, window_rows, false, false));
        let mut buffer = Vec::new();
        let mut t = 0;
        let mut deviation = |running: &mut Scaler<f64>, x: f64| {
            t += 1;
            standardize(running, (t, 0.0), &[x], &mut buffer);
            let scaled = |x: f64| {
                let buffers = (&mut Vec::new(), &mut Excess::default());
                running.transform(Ops::at(level()), Row::Dense(&[x]), buffers).values()[0]
            };
            1.0 / (scaled(0.1) - scaled(0.0))
        };
        let mut before = 0.0;
        (0..100).for_each(|_| before = 0.1 * deviation(&mut running, rng.normal()));
        let after = 0.1 * deviation(&mut running, 1e30);
        assert!(before < 1.2 && after / before < 5.0_f64.sqrt(), "{before}, then {after}");
        (0..100).for_each(|_| before = 0.1 * deviation(&mut running, rng.normal()));
        assert!(before < 2.0, "{before}");
    }
}

/// Statistics of rows from scratch: the counted values, and the values pending until the end of the block.
struct Plain {
    /// The number of values.
    rows: u64,
    counted: Vec<f64>,
    held: Vec<f64>,
}

impl Plain {
    fn moments(&self) -> (f64, f64) {
        let n = self.counted.len() as f64;
        let mean = self.counted.iter().sum::<f64>() / n;
        (mean, self.counted.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n)
    }

    /// Observes the `t`-th value, if there is one, and returns the standardised value.
    fn learn(&mut self, t: u64, x: f64) -> f64 {
        if starts_block(t) {
            self.held.iter().for_each(|x| begin(&mut self.counted, *x));
            self.counted.append(&mut self.held);
        }
        let (mean, variance) = self.moments();
        let farthest = 2.0 * (self.counted.len() as f64 * variance).sqrt();
        let counts = if farthest > 0.0 { x.clamp(mean - farthest, mean + farthest) } else { x };
        if !x.is_nan() {
            self.rows += 1;
            if self.rows <= WARMUP_ROWS { &mut self.counted } else { &mut self.held }.push(counts);
        }
        let (mean, variance) = self.moments();
        let z = ((x - mean) / if variance > 1e-25 { variance.sqrt() } else { 1.0 }).clamp(-3.0, 3.0);
        if z.is_nan() { 0.0 } else { z }
    }
}

/// After the warm-up the rows of a block are added at its end, also if the model is saved meanwhile; a distant or new
/// value is bounded as a single value would be.
#[test]
fn many_rows_are_followed_block_by_block() {
    let mut rng = Rng::new(9);
    for missing in [false, true] {
        let mut scaling = RunningScaler::new(3, None, missing, false);
        let mut plain = [(); 3].map(|()| Plain { rows: 0, counted: Vec::new(), held: Vec::new() });
        for t in 1..1400_u64 {
            let far = if (1200..1204).contains(&t) { 15.0 } else { 0.0 };
            let late = if t < 1150 { 0.0 } else { 2.0 + rng.normal() };
            let gap = if missing && t > 1100 && rng.index(3) == 0 { f64::NAN } else { rng.normal() };
            let x = [50.0 + rng.normal() + far, late, gap];
            let (mut learned, mut buffer) = (Scaler::Running(scaling), Vec::new());
            standardize(&mut learned, (t, 0.0), &x, &mut buffer);
            for (j, plain) in plain.iter_mut().enumerate() {
                // All features use the common number of rows.
                let expected = plain.learn(t, x[j]);
                assert!((buffer[j] - expected).abs() < 1e-9, "row {t}, feature {j}");
            }
            let Scaler::Running(next) = learned else { unreachable!() };
            let saved = Tensors::of(|out| next.save(out));
            scaling = RunningScaler::new(3, None, missing, false);
            scaling.load(&saved, Some(t)).unwrap();
            assert_eq!(Tensors::of(|out| scaling.save(out)), saved);
        }
    }
}

/// A larger effective sample size remembers more rows; after drift the limit falls at the next block of 32 rows.
#[test]
fn the_window_grows_with_the_effective_number_of_rows() {
    let effective_n_before = |i: usize| if i < 120 { 100.0 } else { 0.0 };
    let mut scaler = RunningScaler::new(1, Some(40), false, false);
    let mut rng = Rng::new(4);
    let (mut n, mut mean, mut squares, mut inverse) = (0, 0.0, 0.0, 1.0);
    for i in 0..250 {
        let (x, ops) = (rng.normal(), Ops::at(level()));
        let share = MomentWeights::of_next(&mut n, 1, Some(if i < 128 { 100 } else { 40 }));
        share.observe(x, &mut mean, &mut squares, &mut inverse);
        let mut scaling = Scaler::Running(scaler);
        standardize(&mut scaling, (i as u64 + 1, effective_n_before(i)), &[x], &mut Vec::new());
        let buffers = (&mut Vec::new(), &mut Excess::default());
        let scaled = scaling.transform(ops, Row::Dense(&[x]), buffers).values()[0];
        assert_eq!(scaled, ((x - mean) * inverse).clamp(-3.0, 3.0), "row {i}");
        let Scaler::Running(next) = scaling else { unreachable!() };
        scaler = next;
    }
    assert_eq!(n, 40);
}

/// With any gamma, `k(x, x) = 1`: distances are not computed from products if rounding would be visible.
#[test]
fn narrow_kernels_see_that_rows_are_equal() {
    let mut rng = Rng::new(12);
    for gamma in [1e-2, 1e2, 1e4, 1e6] {
        let spec = Spec { gamma: Gamma::Value(gamma), ..online(KernelName::Rbf) };
        let mut learner: Learner<f32> = build(&spec, 50, 2);
        for i in 0..60u32 {
            let x: Vec<f32> = (0..50).map(|_| rng.normal() as f32).collect();
            learner.learn_one(&x, i % 2, 1.0).unwrap();
            let likest = learner.kernel_values(&Rows::one(&x)).unwrap().into_iter().fold(0.0, f32::max);
            assert!(
                learner.counts().updates <= u64::from(i) || (likest - 1.0).abs() < 1e-4,
                "{gamma}: {likest}"
            );
        }
    }
}

#[test]
fn another_scaling_raises() {
    let mut learner: Learner<f64> = build(&online(KernelName::Rbf), 6, 2);
    assert!(learner.set_scaling(&[0.0; 6], &[1.0; 6]).unwrap_err().to_string().contains("online"));
}
