//! The kernel's width from the data: `gamma = 1/(d var)`, from the rows seen so far.

use crate::float::Real;
use crate::row::Row;
use crate::spec::{MAX_GAMMA, MIN_GAMMA};

/// Where the kernel's width comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum GammaRule {
    /// A number, or `1/d`.
    Fixed,
    /// Before the rows 2, 4, ..., 1024 it becomes `1/(d var)` over all numbers so far, and is frozen then.
    Running(Moments),
}

/// Sums over all numbers of the rows seen, in row order.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Moments {
    pub(crate) rows: u64,
    pub(crate) sum: f64,
    pub(crate) squares: f64,
}

/// The row before which gamma is set for the last time.
pub(super) const LAST: u64 = 1024;

impl GammaRule {
    /// The width to take from row `t` on, if it changes there; then counts the row.
    #[inline(always)]
    pub(crate) fn before<T: Real>(&mut self, t: u64, x: Row<'_, T>, features: usize) -> Option<f64> {
        match self {
            Self::Fixed => None,
            Self::Running(moments) => {
                if t > LAST {
                    return None;
                }
                let gamma = (t >= 2 && t.is_power_of_two()).then(|| moments.gamma(features));
                moments.count(x);
                gamma
            }
        }
    }
}

impl Moments {
    fn count<T: Real>(&mut self, x: Row<'_, T>) {
        self.rows += 1;
        for x in x.values() {
            let x = x.to_f64();
            self.sum += x;
            self.squares += x * x;
        }
    }

    /// `1/(d var)`, or `1/d` where all numbers are equal: a legal width whatever the sums are.
    fn gamma(&self, features: usize) -> f64 {
        let n = self.rows as f64 * features as f64;
        let (mean, square) = (self.sum / n, self.squares / n);
        let variance = square - mean * mean;
        // Less than rounding leaves of equal numbers counts as none.
        let none = square.is_finite() && variance <= 1e-12 * square;
        let gamma = 1.0 / (features as f64 * if none { 1.0 } else { variance });
        // Sums that overflow come from numbers as far apart as numbers can be.
        if gamma.is_nan() { MIN_GAMMA } else { gamma.clamp(MIN_GAMMA, MAX_GAMMA) }
    }
}
