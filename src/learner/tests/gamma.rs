//! Gamma from the data.

use super::{build, bytes, learn, spec};
use crate::float::Real;
use crate::learner::{Learner, Rows, Targets, scale_gamma};
use crate::params::{Gamma, KernelName, Maintenance, Spec};
use crate::rng::Rng;
use ndarray::ArrayView2;

/// `1/(d var)` of integers, including the zeros of sparse rows: exact except for the last step.
fn exact_gamma(rows: &[Vec<i64>]) -> f64 {
    let (features, all) = (rows[0].len() as f64, rows.concat());
    let n = all.len() as i128;
    let sum: i128 = all.iter().map(|&x| i128::from(x)).sum();
    let squares: i128 = all.iter().map(|&x| i128::from(x).pow(2)).sum();
    match n * squares - sum * sum {
        0 => 1.0 / features,
        deviations => (n * n) as f64 / (features * deviations as f64),
    }
}

/// `8 / mean |x|^2`.
fn exact_standardized(rows: &[Vec<i64>]) -> f64 {
    match rows.concat().iter().map(|&x| i128::from(x).pow(2)).sum::<i128>() {
        0 => 8.0,
        squares => (8 * rows.len()) as f64 / squares as f64,
    }
}

/// A row in numbers of type `T`.
fn numbers<T: Real>(x: &[i64]) -> Vec<T> {
    x.iter().map(|&x| T::from_f64(x as f64)).collect()
}

/// The sparse rows, with every third zero stored.
fn compressed<T: Real>(rows: &[Vec<T>]) -> (Vec<usize>, Vec<u32>, Vec<T>) {
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for (i, row) in rows.iter().enumerate() {
        for (j, &x) in row.iter().enumerate().filter(|(j, x)| **x != T::ZERO || (i + j) % 3 == 0) {
            indices.push(j as u32);
            values.push(x);
        }
        indptr.push(values.len());
    }
    (indptr, indices, values)
}

/// `offset` is added to all non-zero values; `error` is its effect on rounding.
fn gamma_follows_the_data<T: Real>(offset: i64, error: f64) {
    let mut rng = Rng::new(11);
    let spec = Spec { gamma: Gamma::Scale, ..spec(Maintenance::Merge, Some(10)) };
    let (mut dense, mut sparse): (Learner<T>, Learner<T>) = (build(&spec, 3, 2), build(&spec, 3, 2));
    assert_eq!(dense.kernel().gamma(), Some(1.0 / 3.0));
    let mut seen: Vec<Vec<i64>> = Vec::new();
    let mut expected = 1.0 / 3.0;
    for t in 1..1200usize {
        let exact: Vec<i64> =
            (0..3).map(|_| (rng.index(4) as i64).min(1) * (offset + rng.index(40) as i64)).collect();
        let x: Vec<T> = numbers(&exact);
        if [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].contains(&t) {
            expected = exact_gamma(&seen);
        }
        let class = rng.index(2) as u32;
        dense.learn_one(&x, class, 1.0).unwrap();
        let (indptr, indices, values) = compressed(&[x]);
        let rows = Rows::Sparse { indptr: &indptr, indices: &indices, values: &values, columns: 3 };
        sparse.learn_batch(&rows, Targets::Classes(&[class]), None).unwrap();
        // Rows of weight 0 are not counted.
        dense.learn_one(&[T::from_f64(1e3); 3], class, 0.0).unwrap();
        seen.push(exact);
        let gamma = dense.kernel().gamma().unwrap();
        assert!((gamma / expected - 1.0).abs() <= error, "{offset}, row {t}: {gamma}, not {expected}");
        assert_eq!(sparse.kernel(), dense.kernel(), "{offset}, row {t}");
    }
    // Gamma of a batch equals gamma of its rows one by one.
    let seen: Vec<Vec<T>> = seen[..1023].iter().map(|x| numbers(x)).collect();
    let (indptr, indices, values) = compressed(&seen);
    let seen = seen.concat();
    let whole = Rows::Dense(ArrayView2::from_shape((1023, 3), &seen).unwrap());
    assert_eq!(scale_gamma(&whole).unwrap(), dense.kernel().gamma().unwrap());
    let sparse = Rows::Sparse { indptr: &indptr, indices: &indices, values: &values, columns: 3 };
    assert_eq!(scale_gamma(&sparse).unwrap(), dense.kernel().gamma().unwrap());
}

/// Features that appear later change nothing: their values were zero.
#[test]
fn the_mean_length_is_that_of_all_rows_however_many_features_they_have() {
    let mut rng = Rng::new(12);
    let spec = Spec { gamma: Gamma::Standardized, ..spec(Maintenance::Merge, Some(10)) };
    let (mut known, mut widened): (Learner<f64>, Learner<f64>) = (build(&spec, 4, 2), build(&spec, 3, 2));
    let (mut seen, mut expected) = (Vec::new(), 8.0);
    for t in 1..1100usize {
        let exact: Vec<i64> =
            (0..4).map(|j| (rng.index(40) as i64) * i64::from(t > 3 && (t > 50 || j < 3))).collect();
        if t.is_power_of_two() && t > 1 {
            expected = exact_standardized(&seen);
        }
        if t == 50 {
            widened.add_features(4, false).unwrap();
        }
        let (x, class) = (numbers(&exact), rng.index(2) as u32);
        known.learn_one(&x, class, 1.0).unwrap();
        widened.learn_one(&x[..widened.n_features()], class, 1.0).unwrap();
        seen.push(exact);
        let gamma = known.kernel().gamma().unwrap();
        assert!((gamma / expected - 1.0).abs() <= 1e-12, "row {t}: {gamma}, not {expected}");
    }
    assert_eq!(bytes(&known), bytes(&widened));
}

#[test]
fn gamma_is_set_before_rows_that_are_powers_of_two() {
    for offset in [-20, 1000] {
        gamma_follows_the_data::<f32>(offset, 1e-12);
        gamma_follows_the_data::<f64>(offset, 1e-12);
    }
}

/// Seconds since 1970: a mean that is far larger than the deviation.
#[test]
fn an_offset_leaves_the_variance() {
    let mut rng = Rng::new(12);
    for offset in [1_700_000_000i64, -1_700_000_000_000] {
        let rows: Vec<Vec<i64>> =
            (0..500).map(|_| (0..4).map(|_| offset + rng.index(10) as i64).collect()).collect();
        let x: Vec<f64> = rows.iter().flat_map(|x| numbers::<f64>(x)).collect();
        let gamma = scale_gamma(&Rows::Dense(ArrayView2::from_shape((500, 4), &x).unwrap())).unwrap();
        // Each deviation has the rounding error of the mean.
        let error = f64::EPSILON * offset.abs() as f64;
        let exact = exact_gamma(&rows);
        assert!((gamma / exact - 1.0).abs() <= error, "{offset}: {gamma}, not {exact}");
    }
}

#[test]
fn gamma_is_valid_for_all_data() {
    // The value of all entries, and the expected gamma.
    let cases = [
        (0.0, 1.0 / 4.0),
        (1e-170, 1.0 / 4.0),
        (1e-160, 1e30),
        (1e-20, 1e30),
        (1e-10, 0.25e20),
        (1.0, 0.25),
        (1e10, 0.25e-20),
        (1e20, 1e-30),
        (1e160, 1e-30),
        (1.7e308, 1e-30),
    ];
    for (size, expected) in cases {
        let x = [size, size, -size, -size, size, -size, size, -size];
        let gamma = scale_gamma(&Rows::Dense(ArrayView2::from_shape((2, 4), &x).unwrap())).unwrap();
        assert!((gamma / expected - 1.0).abs() < 1e-9, "{size:e}: {gamma:e}");
        // Equal values have no variance, even if their mean is rounded.
        for filled in [vec![size; 30], vec![size / 3.0; 30], vec![0.1f64.mul_add(size, 0.1); 30]] {
            let rows = Rows::Dense(ArrayView2::from_shape((6, 5), &filled).unwrap());
            assert_eq!(scale_gamma(&rows).unwrap(), 0.2, "{size:e}");
        }
    }
    for (kernel, gamma) in
        [(KernelName::Rbf, Some(0.125)), (KernelName::Linear, None), (KernelName::Cosine, None)]
    {
        let spec = Spec { gamma: Gamma::Auto, kernel, ..spec(Maintenance::Oldest, Some(5)) };
        let mut learner: Learner<f32> = build(&spec, 8, 2);
        learn(&mut learner, &[(vec![1.0; 8], 0), (vec![9.0; 8], 1), (vec![0.0; 8], 1)]);
        assert_eq!(learner.kernel().gamma(), gamma);
    }
}

#[test]
fn invalid_batches_have_no_gamma() {
    let refused = |rows: &Rows<'_, f64>| scale_gamma(rows).unwrap_err().to_string();
    let dense = |x: &[f64], shape| refused(&Rows::Dense(ArrayView2::from_shape(shape, x).unwrap()));
    assert_eq!(dense(&[], (0, 3)), "X must have at least 1 row of 1 feature, got 0 rows of 3 features");
    assert_eq!(dense(&[], (3, 0)), "X must have at least 1 row of 1 feature, got 3 rows of 0 features");
    let error = dense(&[1.0, 2.0, 3.0, f64::NAN], (2, 2));
    assert!(error.starts_with("X contains NaN at row 1, column 1;"), "{error}");
    let rows = Rows::Sparse { indptr: &[0, 2], indices: &[0, 2], values: &[1.0, f64::INFINITY], columns: 3 };
    let error = refused(&rows);
    assert!(error.starts_with("X contains infinity at row 0, column 2;"), "{error}");
    let rows = Rows::Sparse { indptr: &[0, 1], indices: &[3], values: &[1.0], columns: 3 };
    assert!(refused(&rows).contains("below the number of features"));
}
