//! The cosine kernel `x . x' / (|x| |x'|)`.

use super::{Accumulation, Kernel};
use crate::float::{Mask, Real, Vector};

/// `x . x' / (|x| |x'|)`, and 0 where a row is zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cosine;

impl<T: Real> Kernel<T> for Cosine {
    const ACCUMULATION: Accumulation = Accumulation::Product;
    const READS_ROW_STATS: bool = true;

    #[inline(always)]
    fn finish<V: Vector<T>>(self, sum: V, row_stat: T, row_stats: V) -> V {
        let lengths = sum.broadcast(row_stat.sqrt()) * row_stats.sqrt();
        let zero = sum.broadcast(T::ZERO);
        lengths.gt(zero).select(sum / lengths, zero)
    }

    fn diag(self, row_stat: T) -> T {
        if row_stat > T::ZERO { T::ONE } else { T::ZERO }
    }
}
