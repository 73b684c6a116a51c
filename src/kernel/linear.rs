//! The linear kernel.

use super::{Accumulation, Kernel, KernelInfo, KernelParameters};
use crate::float::{Real, Vector};

/// `x . x'`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Linear;

impl Kernel for Linear {
    const INFO: KernelInfo =
        KernelInfo { name: "linear", formula: "x . x'", parameters: &[], is_psd: true, merges: false };
    const ACCUMULATION: Accumulation = Accumulation::Product;

    fn new(_: f64, _: KernelParameters) -> Self {
        Self
    }

    #[inline(always)]
    fn finish<T: Real, V: Vector<T>>(self, sum: V, _: T, _: V) -> V {
        sum
    }

    fn diag<T: Real>(self, row_stat: T) -> T {
        row_stat
    }

    fn max_row_stat(self, max: f64) -> f64 {
        max
    }
}
