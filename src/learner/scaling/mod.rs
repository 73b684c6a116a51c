//! Scaler of the input's features, kept with the model so that it takes raw rows.

mod given;
mod running;

pub(crate) use given::{FARTHEST, FixedScaler};
pub(crate) use running::RunningScaler;
#[cfg(test)]
pub(crate) use running::WARMUP_ROWS;

use crate::float::Real;
use crate::ops::Ops;
use crate::row::Row;

/// What becomes of a row before the kernel sees it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Scaler<T: Real> {
    /// By numbers that were given.
    Fixed(FixedScaler<T>),
    /// By the mean and deviation of the rows learned so far.
    Running(RunningScaler),
    /// By those of the rows that another model has learned.
    Frozen(RunningScaler),
}

impl<T: Real> Scaler<T> {
    /// Takes a row into account that is about to be learned as the `t`-th, at an age of what is known; the scaled row,
    /// in `buffer`.
    #[inline(always)]
    pub(crate) fn learn<'a>(
        &mut self,
        ops: Ops<T>,
        (t, age): (u64, f64),
        x: Row<'a, T>,
        buffer: &'a mut Vec<T>,
    ) -> Row<'a, T> {
        match self {
            Self::Fixed(given) => given.apply(x, buffer),
            Self::Running(running) => running.learn(ops, (t, age), x, buffer),
            Self::Frozen(running) => running.apply(ops, x, buffer),
        }
    }

    /// The scaled row, in `buffer`.
    #[inline(always)]
    pub(crate) fn apply<'a>(&self, ops: Ops<T>, x: Row<'a, T>, buffer: &'a mut Vec<T>) -> Row<'a, T> {
        match self {
            Self::Fixed(given) => given.apply(x, buffer),
            Self::Running(running) | Self::Frozen(running) => running.apply(ops, x, buffer),
        }
    }

    /// The same for a model that begins like this one, and does not move it.
    pub(crate) fn frozen(&self) -> Self {
        match self {
            Self::Fixed(_) | Self::Frozen(_) => self.clone(),
            Self::Running(running) => Self::Frozen(running.clone()),
        }
    }

    /// Whether rows become the same.
    pub(crate) fn scales_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Running(a) | Self::Frozen(a), Self::Running(b) | Self::Frozen(b)) => a == b,
            (a, b) => a == b,
        }
    }

    /// Whether NaN stands for a missing value.
    pub(super) fn accepts_nan(&self) -> bool {
        match self {
            Self::Fixed(_) => false,
            Self::Running(running) | Self::Frozen(running) => running.accepts_nan(),
        }
    }

    /// Whether the square of every scaled number is `square` at most; no also where it would take long to find out.
    pub(super) fn is_bounded(&self, x: Row<'_, T>, square: T) -> bool {
        match self {
            Self::Fixed(given) => given.is_bounded(x, square),
            Self::Running(running) | Self::Frozen(running) => running.is_bounded(x, square),
        }
    }

    /// What a kernel of differences would take of every scaled number, where rows are not shifted for it; else empty.
    pub(super) fn centre(&self) -> &[f64] {
        match self {
            Self::Fixed(given) => &given.centre,
            Self::Running(_) | Self::Frozen(_) => &[],
        }
    }

    /// Appends features that were zero in every row.
    pub(crate) fn widen(&mut self, features: usize) {
        match self {
            Self::Fixed(given) => given.widen(features),
            Self::Running(running) | Self::Frozen(running) => running.widen(features),
        }
    }
}

/// Whether all squares are `square` at most; NaN and infinity are not.
#[inline(always)]
#[expect(clippy::needless_bitwise_bool, reason = "a branch per number would keep vectors out of the loop")]
pub(super) fn all_within<T: Real>(numbers: impl Iterator<Item = T>, square: T) -> bool {
    numbers.fold(true, |ok, x| ok & (x * x <= square))
}
