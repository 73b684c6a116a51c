//! Standardisation by given means and standard deviations.

use super::{build, bytes, spec};
use crate::error::Error;
use crate::float::Real;
use crate::learner::{Learner, Rows, Targets};
use crate::params::{Gamma, KernelName, Maintenance, Spec};
use crate::rng::Rng;

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
        // Gamma of kernels without shift is computed from the shifted rows.
        let gamma = if shifted { Gamma::Scale } else { Gamma::Value(0.3) };
        let spec = Spec { kernel, gamma, ..spec(Maintenance::Oldest, Some(20)) };
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

/// `gamma = "scale"` does not depend on the location of the rows: it is computed from the shifted rows, even if the
/// kernel is translation-invariant and gets rows without shift. Sparse rows, whose zeros are shifted too, give an equal
/// gamma.
#[test]
fn the_width_is_that_of_the_shifted_rows() {
    let mut rng = Rng::new(23);
    let (mean, deviation) = ([3.0, -1e4, 0.0, 70.0], [0.5, 2.0, 1.0, 0.0]);
    let spec = Spec { gamma: Gamma::Scale, ..spec(Maintenance::Oldest, Some(20)) };
    let empty = || {
        let mut learner: Learner<f64> = build(&spec, 4, 2);
        learner.set_scaling(&mean, &deviation).unwrap();
        learner
    };
    let (mut dense, mut sparse, mut shifted) = (empty(), empty(), build::<f64>(&spec, 4, 2));
    for i in 0..1100u32 {
        let x =
            [0, 1, 2, 3].map(|j| if rng.index(5) > 0 { mean[j] + deviation[j] * rng.normal() } else { 0.0 });
        let by_hand =
            [0, 1, 2, 3].map(|j| (x[j] - mean[j]) / if deviation[j] > 0.0 { deviation[j] } else { 1.0 });
        let stored = (0..4u32).filter(|&j| x[j as usize] != 0.0);
        let (indices, values): (Vec<u32>, Vec<f64>) = stored.map(|j| (j, x[j as usize])).unzip();
        let indptr = [0, indices.len()];
        let row = Rows::Sparse { indptr: &indptr, indices: &indices, values: &values, columns: 4 };
        dense.learn_one(&x, i % 2, 1.0).unwrap();
        sparse.learn_batch(&row, Targets::Classes(&[i % 2]), None).unwrap();
        shifted.learn_one(&by_hand, i % 2, 1.0).unwrap();
        let widths = [&dense, &sparse, &shifted].map(|learner| learner.kernel().gamma().unwrap());
        assert_eq!(widths[0], widths[1], "row {i}: a sparse row gives the same bits");
        assert!((widths[0] / widths[2] - 1.0).abs() < 1e-8, "row {i}: {widths:?}");
    }
}

/// Sparse rows stay sparse with a translation-invariant kernel, bit-identical to sparse rows scaled by hand.
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
            let indices: Vec<u32> = (0..5).filter(|_| rng.index(2) == 0).collect();
            let values: Vec<f32> = indices.iter().map(|_| rng.normal() as f32).collect();
            let by_hand: Vec<f32> =
                indices.iter().zip(&values).map(|(&j, x)| x * (1.0 / deviation[j as usize]) as f32).collect();
            let indptr = [0, indices.len()];
            let rows = |values| Rows::Sparse { indptr: &indptr, indices: &indices, values, columns: 5 };
            scaled.learn_batch(&rows(&values), Targets::Classes(&[i % 2]), None).unwrap();
            if kernel == KernelName::Rbf {
                plain.learn_batch(&rows(&by_hand), Targets::Classes(&[i % 2]), None).unwrap();
            } else {
                // With a shift every feature is non-zero.
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
fn invalid_scalings_raise_by_name() {
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
    let mut given = learner.clone();
    given.set_scaling(&[1.0, 2.0], &[1.0, 2.0]).unwrap();
    let mut shared = learner.clone();
    shared.share_preprocessing_of(&given).unwrap();
    let before = bytes(&shared);
    assert!(shared.set_scaling(&[0.0, 0.0], &[1.0, 1.0]).is_err());
    assert_eq!(bytes(&shared), before);
    let before = bytes(&given);
    assert!(given.share_preprocessing_of(&learner).is_err());
    assert_eq!(bytes(&given), before);
}
