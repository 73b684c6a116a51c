//! What a kernel is: what its features add up to, and a function of that sum.

use crate::float::{Real, Vector};
use crate::row::Row;

/// What the features of two rows add up to; the loop over them is the same for every kernel of that sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accumulation {
    /// `|x - x'|^2`; the row_stat of a row is `|x|^2`.
    SquaredDifference,
    /// `|x - x'|_1`; the row_stat of a row is `|x|_1`.
    AbsoluteDifference,
    /// `x . x'`; the row_stat of a row is `|x|^2`.
    Product,
}

impl Accumulation {
    /// The accumulated sum as a formula.
    pub(crate) fn formula(self) -> &'static str {
        match self {
            Self::SquaredDifference => "|x - x'|^2",
            Self::AbsoluteDifference => "|x - x'|_1",
            Self::Product => "x . x'",
        }
    }

    /// Whether it depends on differences of rows alone.
    pub(crate) fn of_differences(self) -> bool {
        match self {
            Self::SquaredDifference | Self::AbsoluteDifference => true,
            Self::Product => false,
        }
    }

    /// The row_stat of a row, for messages.
    pub(crate) fn stat_name(self) -> &'static str {
        match self {
            Self::SquaredDifference | Self::Product => "|x|^2",
            Self::AbsoluteDifference => "|x|_1",
        }
    }

    /// The row's row_stat.
    #[inline(always)]
    pub(crate) fn row_stat<T: Real>(self, x: Row<'_, T>) -> T {
        let values = x.values().iter();
        match self {
            Self::SquaredDifference | Self::Product => values.fold(T::ZERO, |sum, &x| sum + x * x),
            Self::AbsoluteDifference => {
                values.fold(T::ZERO, |sum, &x| sum + if x < T::ZERO { -x } else { x })
            }
        }
    }
}

/// A kernel as a function of an accumulated sum. One file each: the formula is written once, for any type and any
/// SIMD level.
pub(crate) trait Kernel<T: Real>: Copy {
    /// What is accumulated over the features.
    const ACCUMULATION: Accumulation;
    /// Whether [`Kernel::finish`] reads the row_stats.
    const READS_ROW_STATS: bool = false;

    /// The kernel values of finished sums, from the row's row_stat and those of the stored vectors.
    fn finish<V: Vector<T>>(self, sum: V, row_stat: T, row_stats: V) -> V;

    /// `k(x, x)`, from the row's row_stat.
    fn diag(self, row_stat: T) -> T;

    /// The largest row_stat whose `k(x, x)` is `most` at most, infinite for kernels of at most 1 (and `most >= 1`);
    /// negative where there is none.
    fn reach(self, _most: f64) -> f64 {
        f64::INFINITY
    }
}
