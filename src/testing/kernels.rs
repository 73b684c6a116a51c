//! Oracle of the kernels: each formula in plain `f64`, independent of the product's code. The contract tests include
//! this file too.

use super::AnyKernel;

/// Sums over the features of two rows `a` and `b`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sums {
    /// `a . b`
    pub(crate) dot: f64,
    /// `|a - b|^2`
    pub(crate) sq_distance: f64,
    /// `|a - b|_1`
    pub(crate) l1_distance: f64,
    /// `|a| |b|`
    pub(crate) norms: f64,
}

impl Sums {
    pub(crate) fn of(a: &[f64], b: &[f64]) -> Self {
        let sum = |a: &[f64], b: &[f64], term: fn(f64, f64) -> f64| -> f64 {
            a.iter().zip(b).map(|(a, b)| term(*a, *b)).sum()
        };
        let dot = |a, b| sum(a, b, |a, b| a * b);
        Self {
            dot: dot(a, b),
            sq_distance: sum(a, b, |a, b| (a - b).powi(2)),
            l1_distance: sum(a, b, |a, b| (a - b).abs()),
            norms: dot(a, a).sqrt() * dot(b, b).sqrt(),
        }
    }
}

/// The kernel as a function of sums over the features.
pub(crate) fn kernel_of_sums(kernel: AnyKernel, of: Sums) -> f64 {
    match kernel {
        AnyKernel::Rbf(k) => (-k.gamma * of.sq_distance).exp(),
        AnyKernel::Laplacian(k) => (-k.gamma * of.l1_distance).exp(),
        AnyKernel::Polynomial(k) => (k.gamma * of.dot + k.coef0).powi(k.degree as i32),
        AnyKernel::Linear(_) => of.dot,
        AnyKernel::Sigmoid(k) => (k.gamma * of.dot + k.coef0).tanh(),
        AnyKernel::Cosine(_) if of.norms == 0.0 => 0.0,
        AnyKernel::Cosine(_) => of.dot / of.norms,
        AnyKernel::Matern32(k) => {
            let s = (6.0 * k.gamma * of.sq_distance).sqrt();
            (1.0 + s) * (-s).exp()
        }
        AnyKernel::Matern52(k) => {
            let s = (10.0 * k.gamma * of.sq_distance).sqrt();
            (1.0 + s + s * s / 3.0) * (-s).exp()
        }
        AnyKernel::RationalQuadratic(k) => (-k.alpha * (k.gamma * of.sq_distance / k.alpha).ln_1p()).exp(),
    }
}

/// `k(a, b)` by the formula of the kernel.
pub(crate) fn kernel_f64(kernel: AnyKernel, a: &[f64], b: &[f64]) -> f64 {
    kernel_of_sums(kernel, Sums::of(a, b))
}
