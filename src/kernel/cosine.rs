//! The cosine kernel.

use super::{Accumulation, Kernel, KernelInfo, KernelParameters};
use crate::float::{Mask, Real, Vector};

/// `x . x' / (|x| |x'|)`, and 0 if a row is zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cosine;

impl Kernel for Cosine {
    const INFO: KernelInfo = KernelInfo {
        name: "cosine",
        formula: "x . x' / (|x| |x'|)",
        parameters: &[],
        is_psd: true,
        merges: false,
    };
    const ACCUMULATION: Accumulation = Accumulation::Product;
    const READS_ROW_STATS: bool = true;

    fn new(_: f64, _: KernelParameters) -> Self {
        Self
    }

    #[inline(always)]
    fn finish<T: Real, V: Vector<T>>(self, sum: V, row_stat: T, support_stats: V) -> V {
        let norms = sum.broadcast(row_stat.sqrt()) * support_stats.sqrt();
        let zero = sum.broadcast(T::ZERO);
        norms.gt(zero).select(sum / norms, zero)
    }

    fn diag<T: Real>(self, row_stat: T) -> T {
        if row_stat > T::ZERO { T::ONE } else { T::ZERO }
    }
}
