//! The check of too large rows against its definition: in f64, one row at a time.

use super::{build, bytes, spec};
use crate::float::Real;
use crate::learner::{Learner, Rows, Targets};
use crate::params::{Gamma, KernelName, KernelParameters, Maintenance, Spec};
use crate::rng::Rng;
use crate::testing::kernel_f64;
use ndarray::{Array2, ShapeBuilder};

/// Features of a row.
const FEATURES: usize = 3;

/// The kernels of the random cases: a fixed list, so that a new kernel does not change every case.
const KERNELS: [&str; 9] =
    ["rbf", "laplacian", "poly", "linear", "sigmoid", "cosine", "matern32", "matern52", "rational-quadratic"];

/// `k(x, x)` of a row with a squared norm.
fn diag(spec: &Spec, gamma: f64, sq_norm: f64) -> f64 {
    let x = [sq_norm.sqrt()];
    kernel_f64(spec.kernel.with(gamma, spec.kernel_parameters), &x, &x)
}

/// Gamma by two passes over all values.
fn naive_gamma(rows: &[Vec<f64>]) -> f64 {
    let all = rows.concat();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let variance = all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / all.len() as f64;
    let factor = if variance == 0.0 { 1.0 } else { variance };
    (1.0 / (FEATURES as f64 * factor)).clamp(1e-30, 1e30)
}

/// The first row that is too large, and whether any bound is so close that rounding decides.
fn naive(spec: &Spec, large: f64, rows: &[Vec<f64>], weights: &[f64]) -> (Option<usize>, bool) {
    let mut near = false;
    let mut exceeds = |x: f64| {
        near |= (x / large).log10().abs() < 0.01;
        x > large || x.is_nan()
    };
    let mut gamma = if let Gamma::Value(gamma) = spec.gamma { gamma } else { 1.0 / FEATURES as f64 };
    let mut seen: Vec<Vec<f64>> = Vec::new();
    let (mut longest, mut heaviest) = (0.0f64, 1.0f64);
    for (i, (x, &weight)) in rows.iter().zip(weights).enumerate() {
        if weight == 0.0 {
            continue;
        }
        let squares: f64 = x.iter().map(|x| x * x).sum();
        let sum: f64 = x.iter().map(|x| x.abs()).sum();
        let norm = if spec.kernel == KernelName::Laplacian { sum } else { squares };
        if exceeds(norm) {
            return (Some(i), near);
        }
        (longest, heaviest) = (longest.max(squares), heaviest.max(weight));
        let t = seen.len() + 1;
        let has_gamma = spec.kernel.has("gamma");
        if has_gamma && spec.gamma == Gamma::Scale && t >= 2 && t.is_power_of_two() && t <= 1024 {
            gamma = naive_gamma(&seen);
            if exceeds(heaviest.powi(2) * diag(spec, gamma, longest)) {
                return (Some(i), near);
            }
        }
        if exceeds(weight.max(1.0).powi(2) * diag(spec, gamma, squares)) {
            return (Some(i), near);
        }
        seen.push(x.clone());
    }
    (None, near)
}

/// All layouts of a batch, and its rows one by one, give equal results.
fn verdicts<T: Real>(learner: &Learner<T>, x: &Array2<T>, weights: &[f64]) -> Option<String> {
    let classes = vec![0; x.nrows()];
    let (targets, weights) = (Targets::Classes(&classes), Some(weights));
    let verdict = |rows: &Rows<'_, T>| learner.validate(rows, targets, weights).err().map(|e| e.to_string());
    let verdict_dense = verdict(&Rows::Dense(x.view()));
    let mut by_columns = Array2::from_elem(x.dim().f(), T::ZERO);
    by_columns.assign(x);
    assert_eq!(verdict(&Rows::Dense(by_columns.view())), verdict_dense);
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in x.rows() {
        for (j, &x) in row.iter().enumerate().filter(|(_, x)| **x != T::ZERO) {
            indices.push(j as u32);
            values.push(x);
        }
        indptr.push(values.len());
    }
    let sparse = Rows::Sparse { indptr: &indptr, indices: &indices, values: &values, columns: FEATURES };
    assert_eq!(verdict(&sparse), verdict_dense);
    let predict = |rows: &Rows<'_, T>| learner.decision_function(rows).map_err(|e| e.to_string());
    assert_eq!(predict(&sparse), predict(&Rows::Dense(x.view())));
    verdict_dense
}

fn refuses_what_the_rule_refuses<T: Real>(middle: f64, end: f64) {
    let (mut refused, mut passed) = (0, 0);
    for seed in 0..1500 {
        let mut rng = Rng::new(seed);
        let rng = &mut rng;
        let mut spec = spec(Maintenance::Oldest, Some(4));
        spec.kernel = KernelName::named(KERNELS[rng.index(KERNELS.len())]).unwrap();
        let mut number = |from: f64, to: f64| 10f64.powf(from + (to - from) * rng.uniform());
        spec.kernel_parameters.coef0 = [0.0, 1.0, number(0.0, 4.0)][(seed % 3) as usize];
        let (scale, outlier) = (number(-middle, middle), number(-middle, end));
        let value = number(-2.0, 2.0) / scale.powi(2);
        spec.gamma = [Gamma::Scale, Gamma::Auto, Gamma::Value(value.clamp(1e-30, 1e30))][rng.index(3)];
        spec.kernel_parameters.degree = [1, 2, 5, 9, 30][rng.index(5)];
        let n = 1 + rng.index(40);
        let at = rng.index(n);
        let x = Array2::from_shape_fn((n, FEATURES), |(i, _)| {
            let size = if i == at { outlier } else { scale };
            T::from_f64(if rng.index(4) == 0 { 0.0 } else { size * (2.0 * rng.uniform() - 0.5) })
        });
        let weights: Vec<f64> = (0..n).map(|_| [1.0, 1.0, 0.0, 0.1, 1e3, 1e9][rng.index(6)]).collect();
        let mut learner: Learner<T> = build(&spec, FEATURES, 2);
        let mut scaled: Vec<Vec<f64>> =
            x.rows().into_iter().map(|x| x.iter().map(|x| x.to_f64()).collect()).collect();
        if rng.index(3) == 0 {
            let mean = if learner.kernel().translation_invariant() { 0.0 } else { scale };
            let deviation = scale * 0.5;
            learner.set_scaling(&[mean; FEATURES], &[deviation; FEATURES]).unwrap();
            scaled.iter_mut().flatten().for_each(|x| *x = (*x - mean) / deviation);
        }
        let what = format!("seed {seed}: {spec:?} {x:?} {weights:?}");
        let (expected, near) = naive(&spec, T::MAX_SQ_NORM, &scaled, &weights);
        if near {
            continue;
        }
        let verdict = verdicts(&learner, &x, &weights);
        let row = verdict.as_ref().map(|error| {
            let row = error.strip_prefix("X is too large at row ").expect(error).split(':').next();
            row.and_then(|row| row.parse::<usize>().ok()).expect(error)
        });
        assert_eq!(row, expected, "{what}: {verdict:?}");
        let mut single = learner.clone();
        let classes: Vec<u32> = (0..n as u32).map(|i| i % 2).collect();
        for i in 0..expected.unwrap_or(n) {
            single
                .learn_one(x.row(i).to_slice().unwrap(), classes[i], weights[i])
                .unwrap_or_else(|e| panic!("{what}: {e}"));
        }
        let before = bytes(&learner);
        let learned = learner.learn_batch(&Rows::Dense(x.view()), Targets::Classes(&classes), Some(&weights));
        assert_eq!(learned.is_err(), expected.is_some());
        if let Some(row) = expected {
            assert_eq!(bytes(&learner), before, "{what}");
            let before = bytes(&single);
            assert!(single.learn_one(x.row(row).to_slice().unwrap(), 0u32, weights[row]).is_err(), "{what}");
            assert_eq!(bytes(&single), before, "{what}");
            refused += 1;
        } else {
            assert_eq!(bytes(&learner), bytes(&single), "{what}");
            passed += 1;
        }
    }
    assert!(refused > 300 && passed > 300, "{refused} refused, {passed} passed");
}

#[test]
fn rows_that_are_too_large_raise() {
    refuses_what_the_rule_refuses::<f32>(3.0, 30.0);
    refuses_what_the_rule_refuses::<f64>(10.0, 150.0);
}

/// Every kernel with parameters at and near the ends of their ranges.
fn extreme_kernels() -> impl Iterator<Item = Spec> {
    let gammas = [1e-30, 1e-3, 0.5, 1e10, 1e30].map(Gamma::Value);
    let gammas = gammas.into_iter().chain([Gamma::Scale, Gamma::Auto, Gamma::Standardized]);
    let kernels = KernelName::ALL.into_iter().flat_map(move |kernel| {
        gammas
            .clone()
            .filter(move |gamma| kernel.has("gamma") || *gamma == Gamma::Auto)
            .map(move |gamma| (kernel, gamma))
    });
    kernels.flat_map(|(kernel, gamma)| {
        let degrees: &[u32] = if kernel.has("degree") { &[1, 2, 30, 100] } else { &[3] };
        let constants: &[f64] =
            if kernel.has("coef0") { &[0.0, 1.0, 1e4, 1e10, 1e100, 1e308] } else { &[0.0] };
        let tails: &[f64] = if kernel.has("alpha_rq") { &[1e-3, 1.0, 1e3] } else { &[1.0] };
        let mut all = Vec::new();
        for (&degree, &coef0) in degrees.iter().flat_map(|degree| constants.iter().map(move |c| (degree, c)))
        {
            for &alpha_rq in tails {
                let kernel_parameters = KernelParameters { degree, coef0, alpha_rq };
                all.push(Spec { kernel, gamma, kernel_parameters, ..spec(Maintenance::Oldest, Some(4)) });
            }
        }
        all
    })
}

/// Dense rows raise exactly where the same sparse rows raise, in learning and in prediction; rows without stored values
/// (all zero) included. What is accepted has finite scores.
fn dense_and_sparse_agree<T: Real>() {
    let mut raised = 0;
    for base in extreme_kernels() {
        for (linear, weight, hash_features) in [
            (None, 1.0, None),
            (None, 1e9, None),
            (Some(1e-6), 1.0, None),
            (Some(1e6), 1e9, None),
            (None, 1.0, Some(FEATURES)),
            (Some(1e6), 1e9, Some(FEATURES)),
        ] {
            let spec = Spec { hash_features, linear_weight: linear, ..base.clone() };
            for value in [0.0, 1e-300, 1e-3, 1.0, 1e5, 1e13, 1e30, 1e69] {
                let x = Array2::from_shape_fn((3, FEATURES), |(i, j)| {
                    if (i, j) == (2, 1) { T::from_f64(value) } else { T::ZERO }
                });
                if !x.iter().all(|x| x.is_finite()) {
                    continue;
                }
                let mut learner: Learner<T> = build(&spec, FEATURES, 2);
                if hash_features.is_none() && value == 1.0 {
                    learner.set_scaling(&[0.5; FEATURES], &[1e-3; FEATURES]).unwrap();
                }
                let verdict = verdicts(&learner, &x, &[weight; 3]);
                raised += usize::from(verdict.is_some());
                if verdict.is_none() {
                    learner
                        .learn_batch(&Rows::Dense(x.view()), Targets::Classes(&[0, 1, 0]), Some(&[weight; 3]))
                        .unwrap();
                    let known = learner.decision_function(&Rows::Dense(x.view())).unwrap();
                    assert!(known.iter().all(|f| f.is_finite()), "{spec:?} {value} {weight}: {known:?}");
                }
            }
        }
    }
    assert!(raised > 1000, "{raised}");
}

#[test]
fn dense_and_sparse_rows_raise_alike() {
    dense_and_sparse_agree::<f32>();
    dense_and_sparse_agree::<f64>();
}
