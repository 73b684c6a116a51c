//! The sigmoid kernel.

use super::{Accumulation, Kernel, KernelInfo, KernelParameters};
use crate::float::{Real, Vector, exp2_parts};
use std::f64::consts::LOG2_E;

/// `tanh(gamma x . x' + coef0)`, `gamma > 0`, `coef0 >= 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sigmoid {
    /// Factor of the dot product.
    pub gamma: f64,
    /// Constant added to it.
    pub coef0: f64,
}

impl Kernel for Sigmoid {
    const INFO: KernelInfo = KernelInfo {
        name: "sigmoid",
        formula: "tanh(gamma x . x' + coef0)",
        parameters: &["gamma", "coef0"],
        is_psd: false,
        merges: false,
    };
    const ACCUMULATION: Accumulation = Accumulation::Product;

    fn new(gamma: f64, KernelParameters { coef0, .. }: KernelParameters) -> Self {
        Self { gamma, coef0 }
    }

    fn gamma_mut(&mut self) -> Option<&mut f64> {
        Some(&mut self.gamma)
    }

    #[inline(always)]
    fn finish<T: Real, V: Vector<T>>(self, sum: V, _: T, _: V) -> V {
        let z = sum.mul_add(sum.constant(self.gamma), sum.constant(self.coef0));
        // tanh |z| = (1 - e)/(1 + e) with e = exp(-2 |z|), and 1 - e without cancellation.
        let y = z.abs() * T::from_f64(-2.0 * LOG2_E);
        let one = z.broadcast(T::ONE);
        let (scale, c) = exp2_parts(y.max(z.broadcast(T::MIN_EXP)));
        let less_one = scale.mul_add(c, scale - one);
        (-less_one / (less_one + one + one)).copysign(z)
    }

    fn diag<T: Real>(self, row_stat: T) -> T {
        T::from_f64((self.gamma * row_stat.to_f64() + self.coef0).tanh())
    }
}
