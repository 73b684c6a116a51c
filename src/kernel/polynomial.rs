//! The polynomial kernel.

use super::{Accumulation, Kernel, KernelInfo, KernelParameters};
use crate::float::{Real, Vector};
use std::ops::Mul;

/// `(gamma x . x' + coef0)^degree`, `gamma > 0`, `coef0 >= 0`, `degree >= 1`; homogeneous with `coef0 = 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Polynomial {
    /// Factor of the dot product.
    pub gamma: f64,
    /// Constant added to it.
    pub coef0: f64,
    /// The power.
    pub degree: u32,
}

/// `base^degree` by repeated squaring, `degree >= 1`.
#[inline(always)]
fn power<V: Copy + Mul<Output = V>>(base: V, degree: u32) -> V {
    let (mut square, mut left) = (base, degree);
    while left.is_multiple_of(2) {
        square = square * square;
        left /= 2;
    }
    let mut product = square;
    left /= 2;
    while left > 0 {
        square = square * square;
        if !left.is_multiple_of(2) {
            product = product * square;
        }
        left /= 2;
    }
    product
}

impl Kernel for Polynomial {
    const INFO: KernelInfo = KernelInfo {
        name: "poly",
        formula: "(gamma x . x' + coef0)^degree",
        parameters: &["gamma", "degree", "coef0"],
        is_psd: true,
        merges: false,
    };
    const ACCUMULATION: Accumulation = Accumulation::Product;

    fn new(gamma: f64, KernelParameters { coef0, degree, .. }: KernelParameters) -> Self {
        Self { gamma, coef0, degree }
    }

    fn gamma_mut(&mut self) -> Option<&mut f64> {
        Some(&mut self.gamma)
    }

    #[inline(always)]
    fn finish<T: Real, V: Vector<T>>(self, sum: V, _: T, _: V) -> V {
        let (gamma, coef0) = (T::from_f64(self.gamma), T::from_f64(self.coef0));
        power(sum.mul_add(sum.broadcast(gamma), sum.broadcast(coef0)), self.degree)
    }

    fn diag<T: Real>(self, row_stat: T) -> T {
        power(T::from_f64(self.gamma) * row_stat + T::from_f64(self.coef0), self.degree)
    }

    fn max_row_stat(self, max: f64) -> f64 {
        (max.powf(1.0 / f64::from(self.degree)) - self.coef0) / self.gamma
    }
}
