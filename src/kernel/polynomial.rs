//! The polynomial kernel `(gamma x . x' + coef0)^degree`.

use super::{Accumulation, Kernel};
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

impl<T: Real> Kernel<T> for Polynomial {
    const ACCUMULATION: Accumulation = Accumulation::Product;

    #[inline(always)]
    fn finish<V: Vector<T>>(self, sum: V, _: T, _: V) -> V {
        let (gamma, coef0) = (T::from_f64(self.gamma), T::from_f64(self.coef0));
        power(sum.mul_add(sum.broadcast(gamma), sum.broadcast(coef0)), self.degree)
    }

    fn diag(self, row_stat: T) -> T {
        power(T::from_f64(self.gamma) * row_stat + T::from_f64(self.coef0), self.degree)
    }

    fn reach(self, most: f64) -> f64 {
        (most.powf(1.0 / f64::from(self.degree)) - self.coef0) / self.gamma
    }
}
