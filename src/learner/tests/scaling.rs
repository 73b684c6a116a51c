//! Features that are scaled before the kernel sees them.

use super::{build, bytes, spec};
use crate::error::Error;
use crate::float::Real;
use crate::learner::{Learner, Rows, Targets};
use crate::rng::Rng;
use crate::spec::{Gamma, KernelName, Maintenance, Spec};

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
