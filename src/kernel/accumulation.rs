//! Sums over the features of two rows.

use crate::batch::Row;
use crate::float::Real;

/// The sum over the features of two rows that a kernel is a function of. Kernels with equal sums share the loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accumulation {
    /// `|x - x'|^2`; the statistic of a row is `|x|^2`.
    SquaredDifference,
    /// `|x - x'|_1`; the statistic of a row is `|x|_1`.
    AbsoluteDifference,
    /// `x . x'`; the statistic of a row is `|x|^2`.
    Product,
}

impl Accumulation {
    /// True if the sum depends on `x - x'` alone.
    pub(crate) fn of_differences(self) -> bool {
        match self {
            Self::SquaredDifference | Self::AbsoluteDifference => true,
            Self::Product => false,
        }
    }

    /// The sum as a formula.
    pub(crate) fn formula(self) -> &'static str {
        match self {
            Self::SquaredDifference => "|x - x'|^2",
            Self::AbsoluteDifference => "|x - x'|_1",
            Self::Product => "x . x'",
        }
    }

    /// The statistic of a row, as messages write it.
    pub(crate) fn stat_name(self) -> &'static str {
        match self {
            Self::SquaredDifference | Self::Product => "|x|^2",
            Self::AbsoluteDifference => "|x|_1",
        }
    }

    /// The statistic of a row.
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
