//! Kernel values by hand, at the ends of parameter ranges, and of a zero row.

use super::kernels::{expansion_of, row_of};
use crate::batch::Row;
use crate::kernel::{
    AnyKernel, Cosine, KernelName, Laplacian, Linear, Matern32, Matern52, Polynomial, RationalQuadratic, Rbf,
    Sigmoid,
};
use crate::ops::all_levels;

#[test]
fn the_cosine_of_a_zero_row_is_zero() {
    let (zero, x) = (vec![0.0; 3], vec![0.3, -0.4, 0.0]);
    let kernel = AnyKernel::Cosine(Cosine);
    for level in all_levels() {
        let expansion = expansion_of(level, kernel, &[zero.clone(), x.clone()], 2);
        assert_eq!(row_of(level, kernel, &expansion, Row::Dense(&zero)), [0.0, 0.0]);
        assert_eq!(row_of(level, kernel, &expansion, Row::Sparse(&[], &[])), [0.0, 0.0]);
        assert_eq!(row_of(level, kernel, &expansion, Row::Dense(&[0.6, -0.8, 0.0])), [0.0, 1.0]);
    }
    assert_eq!(kernel.diag(0.0), 0.0);
    assert_eq!(kernel.diag(0.25), 1.0);
}

/// Values by hand for x = (1, 2), x' = (3, -1): x.x' = 1, |x - x'|^2 = 13, |x - x'|_1 = 5.
#[test]
fn values_by_hand() {
    let cases = [
        (AnyKernel::Rbf(Rbf { gamma: 0.5 }), (-6.5f64).exp()),
        (AnyKernel::Laplacian(Laplacian { gamma: 0.2 }), (-1.0f64).exp()),
        (AnyKernel::Polynomial(Polynomial { gamma: 2.0, coef0: 1.0, degree: 4 }), 81.0),
        (AnyKernel::Polynomial(Polynomial { gamma: 3.0, coef0: 0.0, degree: 1 }), 3.0),
        (AnyKernel::Polynomial(Polynomial { gamma: 1.0, coef0: 1.0, degree: 100 }), 2f64.powi(100)),
        (AnyKernel::Linear(Linear), 1.0),
        (AnyKernel::Sigmoid(Sigmoid { gamma: 0.5, coef0: 0.5 }), 1f64.tanh()),
        (AnyKernel::Cosine(Cosine), 1.0 / 50f64.sqrt()),
        (AnyKernel::Matern32(Matern32 { gamma: 6.0 / 13.0 }), 7.0 * (-6f64).exp()),
        (AnyKernel::Matern52(Matern52 { gamma: 18.0 / 65.0 }), 19.0 * (-6f64).exp()),
        (AnyKernel::RationalQuadratic(RationalQuadratic { gamma: 3.0 / 13.0, alpha: 1.0 }), 0.25),
        (AnyKernel::RationalQuadratic(RationalQuadratic { gamma: 6.0 / 13.0, alpha: 2.0 }), 0.0625),
    ];
    for name in KernelName::ALL {
        assert!(cases.iter().any(|(kernel, _)| kernel.kind() == name), "no value of {name:?}");
    }
    for (kernel, exact) in cases {
        for level in all_levels() {
            let expansion = expansion_of(level, kernel, &[vec![3.0, -1.0]], 1);
            let k: f64 = row_of(level, kernel, &expansion, Row::Dense(&[1.0, 2.0]))[0];
            // The rounding error of an exponent grows with the exponent.
            let tolerance = 1e-15 * (1.0 + exact.abs().ln().abs().min(7.0)) * exact.abs();
            assert!((k - exact).abs() <= tolerance, "{kernel:?} {level:?}: {k}, not {exact}");
        }
    }
}

#[test]
fn saturated_values_are_exact() {
    let cases = [
        (AnyKernel::Rbf(Rbf { gamma: 1.0 }), 0.0),
        (AnyKernel::Laplacian(Laplacian { gamma: 1.0 }), 0.0),
        (AnyKernel::Sigmoid(Sigmoid { gamma: 1.0, coef0: 0.0 }), -1.0),
    ];
    for (kernel, exact) in cases {
        for level in all_levels() {
            let expansion = expansion_of(level, kernel, &[vec![1e3f32; 40]], 1);
            assert_eq!(
                row_of(level, kernel, &expansion, Row::Dense(&[-1e3; 40])),
                [exact],
                "{kernel:?} {level:?}"
            );
        }
    }
}
