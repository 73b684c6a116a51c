//! The gradients of the metric against finite differences, its steps against matrix products, and invalid files.

use super::Metric;
use crate::batch::{Example, Label, Row, Task};
use crate::component::{Component, Loading};
use crate::expansion::testing::{Keep, Observed};
use crate::expansion::{NewSupportVector, Query, Scored, Slot};
use crate::kernel::{AnyKernel, RationalQuadratic, Rbf};
use crate::ops::{MarginContrast, SimdBuffer, all_levels};
use crate::persist::Tensors;
use crate::rng::Rng;

const FEATURES: usize = 3;

/// The maximum number of features of the matrix: none, some, all.
const MAX_METRIC_ENTRY: [usize; 3] = [0, 2, usize::MAX];
const OUTPUTS: usize = 2;
const KERNELS: [AnyKernel; 3] = [
    AnyKernel::Rbf(Rbf { gamma: 0.4 }),
    AnyKernel::RationalQuadratic(RationalQuadratic { gamma: 0.8, alpha: 2.0 }),
    AnyKernel::RationalQuadratic(RationalQuadratic { gamma: 0.8, alpha: 0.7 }),
];

fn normal<const N: usize>(rng: &mut Rng) -> [f64; N] {
    std::array::from_fn(|_| rng.normal())
}

fn insert(expansion: &mut Observed<f64>, kernel: AnyKernel, x: &[f64], row: &[f64]) {
    let (k, x) = (SimdBuffer::default(), Row::Dense(x));
    let new = NewSupportVector {
        z: x,
        row_stat: kernel.row_stat(x),
        label: Label::Class(0),
        alpha: row,
        f: &[],
        k: &k,
    };
    expansion.insert(kernel, new);
}

/// Support vectors with two coefficients each.
fn expansion(kernel: AnyKernel, vectors: usize, rng: &mut Rng) -> Observed<f64> {
    let mut expansion = Observed::new(Some(vectors), FEATURES, OUTPUTS, Keep::default());
    for _ in 0..vectors {
        let (x, row) = (normal::<FEATURES>(rng), normal::<OUTPUTS>(rng));
        insert(&mut expansion, kernel, &x, &row);
    }
    expansion
}

fn scores(expansion: &Observed<f64>, kernel: AnyKernel, z: &[f64]) -> (SimdBuffer<f64>, Vec<f64>) {
    let (mut k, mut f) = (SimdBuffer::zeros(expansion.n_simd()), vec![0.0; OUTPUTS]);
    expansion.scores(kernel, (Row::Dense(z), kernel.row_stat(Row::Dense(z))), &mut k, &mut f);
    (k, f)
}

/// The margin of class 1 over class 0, with feature `i` of the row and of all vectors multiplied by `factor`.
fn margin(expansion: &Observed<f64>, kernel: AnyKernel, z: &[f64], i: usize, factor: f64) -> f64 {
    let mut moved = expansion.clone();
    let mut factors = [1.0; FEATURES];
    factors[i] = factor;
    moved.stretch(kernel, &factors);
    let z: Vec<f64> = z.iter().zip(factors).map(|(z, factor)| z * factor).collect();
    let (_, f) = scores(&moved, kernel, &z);
    f[1] - f[0]
}

#[test]
fn the_gradient_of_the_scales_equals_finite_differences() {
    let mut rng = Rng::new(5);
    for kernel in KERNELS {
        let expansion = expansion(kernel, 21, &mut rng);
        let z = normal::<FEATURES>(&mut rng);
        let (k, _) = scores(&expansion, kernel, &z);
        let between = MarginContrast { sign: 1.0, plus: 1, minus: Some(0) };
        let (mut w, mut costs) = (SimdBuffer::default(), SimdBuffer::default());
        expansion.slopes(kernel.mergeable().unwrap(), &k, between, &mut w, &mut costs);
        let mut squares = [0.0; FEATURES];
        expansion.squares(&w, &z, &mut squares);
        for (i, square) in squares.into_iter().enumerate() {
            // With respect to the logarithm of the squared scale.
            let half = 1e-4;
            let up = margin(&expansion, kernel, &z, i, f64::exp(half / 2.0));
            let down = margin(&expansion, kernel, &z, i, f64::exp(-half / 2.0));
            let expected = (up - down) / (2.0 * half);
            let found = -kernel.gamma().unwrap() * square;
            assert!((found - expected).abs() < 1e-7, "{kernel:?}, feature {i}: {found}, not {expected}");
        }
        for slot in expansion.order().iter() {
            // The costs, computed from the distance.
            let mut x = [0.0; FEATURES];
            expansion.read(slot, &mut x);
            let distance: f64 = x.iter().zip(z).map(|(x, z)| (x - z).powi(2)).sum();
            let cost = costs.get(slot.index()) / w.get(slot.index()).abs();
            assert!((cost + kernel.gamma().unwrap() * distance).abs() < 1e-10, "{kernel:?}");
        }
    }
}

/// The formulas in `f32` and `f64` at every level against plain loops, with one and with several panels of vectors.
#[test]
fn operations_equal_plain_loops() {
    let mut rng = Rng::new(6);
    for level in all_levels() {
        for vectors in [1, 9, 70, 150] {
            let mut expansion = Observed::<f64>::at_level(level, Some(vectors), FEATURES, OUTPUTS);
            for _ in 0..vectors {
                let (x, row) = (normal::<FEATURES>(&mut rng), normal::<OUTPUTS>(&mut rng));
                insert(&mut expansion, KERNELS[0], &x, &row);
            }
            let z = normal::<FEATURES>(&mut rng);
            let mut w = SimdBuffer::zeros(expansion.n_simd());
            (0..vectors).for_each(|i| w.set(i, rng.normal()));
            let mut squares = [0.0; FEATURES];
            expansion.squares(&w, &z, &mut squares);
            let read = |expansion: &Observed<f64>, i: usize| {
                let mut x = [0.0; FEATURES];
                expansion.read(Slot(i as u32), &mut x);
                x
            };
            for (i, found) in squares.into_iter().enumerate() {
                let of = |j: usize| w.get(j) * (z[i] - read(&expansion, j)[i]).powi(2);
                let expected: f64 = (0..vectors).map(of).sum();
                assert!((found - expected).abs() < 1e-10 * vectors as f64);
            }
            let before: Vec<_> = (0..vectors).map(|i| read(&expansion, i)).collect();
            expansion.stretch(KERNELS[0], &[0.5, 3.0, 1.25]);
            expansion.check_invariants(KERNELS[0]);
            for (i, before) in before.into_iter().enumerate() {
                assert_eq!(read(&expansion, i), [before[0] * 0.5, before[1] * 3.0, before[2] * 1.25]);
            }
        }
    }
}

/// Learns from `n` rows and inserts each one; returns the rows before the metric.
fn train(
    metric: &mut Metric<f64>,
    expansion: &mut Observed<f64>,
    kernel: AnyKernel,
    rows: usize,
) -> Vec<Vec<f64>> {
    expansion.set_kernel(kernel);
    let mut rng = Rng::new(8);
    let mut all = Vec::new();
    let (mut lanes, mut z) = (SimdBuffer::default(), Vec::new());
    for _ in 0..rows {
        let x = normal::<FEATURES>(&mut rng);
        // The class depends on feature 0 and slightly on feature 1.
        let y = u32::from(x[0] + 0.5 * x[1] > 0.0);
        metric.apply(expansion.ops(), Row::Dense(&x), &mut lanes, &mut z);
        let (mut k, mut f) = scores(expansion, kernel, &z);
        let row = if y == 1 { [-0.1, 0.1] } else { [0.1, -0.1] };
        let query = Query::new(kernel, Row::Dense(&x).into(), Row::Dense(&z));
        let (example, linear_values) = (Example::new(Label::Class(y), 1, 1.0), &SimdBuffer::default());
        let (f, k) = (&mut f[..], &mut k);
        let violation = Scored { example, query, f, k, linear_values, k_tt: 1.0, unit: 1.0 };
        metric.learn(expansion, &violation, &row);
        insert(expansion, kernel, &z, &row);
        expansion.apply_pending_steps(metric, kernel);
        all.push(x.to_vec());
    }
    all
}

#[test]
fn support_vectors_move_with_the_metric_and_what_matters_grows() {
    for most in MAX_METRIC_ENTRY {
        for kernel in KERNELS {
            let mut metric = Metric::new(most, most, FEATURES);
            let mut expansion = Observed::new(None, FEATURES, OUTPUTS, Keep::default());
            let rows = train(&mut metric, &mut expansion, kernel, 2000);
            expansion.check_invariants(kernel);
            let (mut lanes, mut z, mut stored) = (SimdBuffer::default(), Vec::new(), [0.0; FEATURES]);
            for (slot, x) in expansion.order().iter().zip(rows) {
                metric.apply(expansion.ops(), Row::Dense(&x), &mut lanes, &mut z);
                expansion.read(slot, &mut stored);
                for (z, stored) in z.iter().zip(stored) {
                    assert!((z - stored).abs() < 1e-11, "{kernel:?}, {most}");
                }
            }
            let a = metric.entries();
            let relevance = |j: usize| {
                if most > 0 {
                    (0..FEATURES).map(|i| a[i * FEATURES + j].powi(2)).sum::<f64>()
                } else {
                    a[j].powi(2)
                }
            };
            assert!(relevance(0) > 1.3 * relevance(2), "{kernel:?}, {most}: {a:?}");
        }
    }
}

#[test]
fn a_saved_metric_continues() {
    let kernel = KERNELS[1];
    for most in MAX_METRIC_ENTRY {
        let mut metric = Metric::new(most, most, FEATURES);
        let mut expansion = Observed::new(None, FEATURES, OUTPUTS, Keep::default());
        train(&mut metric, &mut expansion, kernel, 70);
        let saved = Tensors::of(|out| metric.save(out));
        let mut loaded = load(&saved, most).unwrap();
        let mut copy = expansion.clone();
        train(&mut metric, &mut expansion, kernel, 100);
        train(&mut loaded, &mut copy, kernel, 100);
        assert_eq!(metric.entries(), loaded.entries());
    }
}

/// A metric for rows of a model file.
fn load(saved: &Tensors, most: usize) -> crate::Result<Metric<f64>> {
    let mut metric = Metric::new(most, most, FEATURES);
    let head = Loading { task: Task::Classes(2), features: FEATURES, n_seen: 0, max_size: usize::MAX };
    metric.load(saved, &head)?;
    Ok(metric)
}

/// A change that makes a saved metric invalid.
type Damage = fn(&mut Tensors);

#[test]
fn invalid_files_raise() {
    let saved = Tensors::of(|out| Metric::<f64>::new(usize::MAX, usize::MAX, FEATURES).save(out));
    let cases: [(&str, &str, Damage); 6] = [
        ("an entry that is too large", "full", |t| t.replace("matrix", &[3, 3], vec![101.0; 9])),
        ("an entry that is NaN", "full", |t| t.replace("matrix", &[3, 3], vec![f64::NAN; 9])),
        ("a step that is infinite", "full", |t| t.replace("pending", &[3, 3], vec![f64::INFINITY; 9])),
        ("a negative mean square", "full", |t| t.reset("mean_square", -1.0)),
        ("a logarithm that is too large", "scales", |t| t.replace("logs", &[3], vec![7.0; 3])),
        ("another number of features", "scales", |t| t.replace("logs", &[2], vec![0.0; 2])),
    ];
    load(&saved, usize::MAX).unwrap();
    for (what, part, damage) in cases {
        assert!(
            load(&saved.changed(|file| damage(file.scope_mut("metric").scope_mut(part))), usize::MAX)
                .is_err(),
            "{what}"
        );
    }
}

/// A metric whose entries would exceed the bound does not change.
#[test]
fn entries_are_bounded() {
    let mut metric = Metric::<f64>::new(usize::MAX, usize::MAX, FEATURES);
    let mut saved = Tensors::of(|out| metric.save(out));
    saved.scope_mut("metric").scope_mut("full").replace("matrix", &[3, 3], vec![99.9; 9]);
    metric = load(&saved, usize::MAX).unwrap();
    let mut expansion = Observed::new(None, FEATURES, OUTPUTS, Keep::default());
    train(&mut metric, &mut expansion, KERNELS[1], 400);
    assert!(metric.entries().iter().all(|a| a.abs() <= 100.0));
}

#[test]
fn appended_features_have_the_scale_1() {
    for most in MAX_METRIC_ENTRY {
        let mut metric = Metric::new(most, most, FEATURES);
        let mut expansion = Observed::new(None, FEATURES, OUTPUTS, Keep::default());
        train(&mut metric, &mut expansion, KERNELS[1], 100);
        let (mut lanes, mut before, mut after) = (SimdBuffer::default(), Vec::new(), Vec::new());
        metric.apply(expansion.ops(), Row::Dense(&[0.3, -1.0, 2.0]), &mut lanes, &mut before);
        metric.add_features(5);
        metric.apply(expansion.ops(), Row::Dense(&[0.3, -1.0, 2.0, 0.0, 7.0]), &mut lanes, &mut after);
        assert_eq!(after, [&before[..], &[0.0, 7.0]].concat());
    }
}
