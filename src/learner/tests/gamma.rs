//! The width that follows the data.

use super::{build, learn, spec};
use crate::float::Real;
use crate::learner::{Learner, Rows, Targets};
use crate::rng::Rng;
use crate::spec::{Gamma, KernelName, Maintenance, Spec};

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
        learn(&mut learner, &[(vec![1.0; 8], 0), (vec![9.0; 8], 1), (vec![0.0; 8], 1)]);
        assert_eq!(learner.kernel().gamma(), gamma);
    }
}
