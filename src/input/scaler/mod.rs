//! Standardisation of the input features, as part of the model.

mod bound;
mod fixed;
mod running;

pub(crate) use bound::all_bounded;
pub(crate) use fixed::FixedScaler;
#[cfg(test)]
pub(crate) use running::WARMUP_ROWS;
pub(crate) use running::{RunningScaler, feature_bytes};

use super::Excess;
use crate::batch::Row;
use crate::component::{Component, Loading};
use crate::error::Result;
use crate::expansion::Rescaling;
use crate::float::Real;
use crate::ops::Ops;
use crate::persist::Tensors;

/// A standardisation of rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Scaler<T: Real> {
    /// By means and standard deviations that the user gave.
    Fixed(FixedScaler<T>),
    /// By the statistics of the rows learned so far.
    Running(RunningScaler<T>),
    /// By statistics copied from another model, which do not change.
    Frozen(RunningScaler<T>),
}

impl<T: Real> Scaler<T> {
    /// Begins a block of the stream with row `t`: running statistics include the block before.
    /// `effective_n_before` is the effective number of rows before row `t`.
    pub(crate) fn begin_block(&mut self, t: u64, effective_n_before: f64) {
        if let Self::Running(running) = self {
            running.begin_block(t, effective_n_before);
        }
    }

    /// Updates the statistics with row `t`, and returns the standardised row in `buffer`. The values beyond
    /// the clip are written into `excess`, if the linear term reads them.
    #[inline(always)]
    pub(crate) fn fit_transform<'a>(
        &mut self,
        ops: Ops<T>,
        (t, repeated): (u64, bool),
        x: Row<'a, T>,
        (buffer, excess): (&'a mut Vec<T>, &mut Excess<T>),
    ) -> Row<'a, T> {
        match self {
            Self::Fixed(fixed) => fixed.transform(x, buffer),
            Self::Running(running) => running.fit_transform(ops, (t, repeated), x, (buffer, excess)),
            Self::Frozen(running) => running.transform(ops, x, (buffer, excess)),
        }
    }

    /// The standardised row, in `buffer`.
    #[inline(always)]
    pub(crate) fn transform<'a>(
        &self,
        ops: Ops<T>,
        x: Row<'a, T>,
        (buffer, excess): (&'a mut Vec<T>, &mut Excess<T>),
    ) -> Row<'a, T> {
        match self {
            Self::Fixed(fixed) => fixed.transform(x, buffer),
            Self::Running(running) | Self::Frozen(running) => running.transform(ops, x, (buffer, excess)),
        }
    }

    /// The statistics of the rows learned; none if the user gave them.
    pub(crate) fn running(&self) -> Option<&RunningScaler<T>> {
        match self {
            Self::Fixed(_) => None,
            Self::Running(running) | Self::Frozen(running) => Some(running),
        }
    }

    /// A copy that does not change; means and standard deviations that the user gave never change.
    pub(crate) fn frozen(&self) -> Self {
        match self {
            Self::Fixed(_) | Self::Frozen(_) => self.clone(),
            Self::Running(running) => Self::Frozen(running.frozen()),
        }
    }

    /// Whether two scalers transform rows equally.
    pub(crate) fn is_equal(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Running(a) | Self::Frozen(a), Self::Running(b) | Self::Frozen(b)) => a.is_equal(b),
            (a, b) => a == b,
        }
    }

    /// Whether every row becomes dense, standardised by running statistics and clipped.
    pub(crate) fn makes_dense(&self) -> bool {
        self.running().is_some()
    }

    /// The changes of the standardisation at the start of the present block.
    pub(crate) fn changes(&self) -> &[Rescaling] {
        match self {
            Self::Fixed(_) | Self::Frozen(_) => &[],
            Self::Running(running) => running.changes(),
        }
    }

    /// The features with a value that repeats far outside their range in the rows learned, these values, and
    /// the number of rows that have them at least.
    pub(crate) fn repeated_outliers(&self) -> Vec<(usize, f64, u32)> {
        match self {
            Self::Fixed(_) | Self::Frozen(_) => Vec::new(),
            Self::Running(running) => running.repeated_outliers().collect(),
        }
    }

    /// Whether the square of every standardised value is at most `bound`; false if the check would need a copy of the
    /// row.
    pub(crate) fn is_bounded(&self, x: Row<'_, T>, bound: T) -> bool {
        match self {
            Self::Fixed(fixed) => fixed.is_bounded(x, bound),
            Self::Running(running) | Self::Frozen(running) => running.is_bounded(x, bound),
        }
    }

    /// The mean of every scaled feature, if rows are scaled but not shifted; else empty.
    pub(crate) fn centre(&self) -> &[f64] {
        match self {
            Self::Fixed(fixed) => &fixed.centre,
            Self::Running(_) | Self::Frozen(_) => &[],
        }
    }
}

impl<T: Real> Component<T> for Scaler<T> {
    fn add_features(&mut self, features: usize) {
        match self {
            Self::Fixed(fixed) => fixed.add_features(features),
            Self::Running(running) | Self::Frozen(running) => running.add_features(features),
        }
    }

    fn save(&self, out: &mut Tensors) {
        let out = out.scope_mut("scaling");
        match self {
            Self::Fixed(fixed) => fixed.save(out),
            Self::Running(running) | Self::Frozen(running) => running.save(out),
        }
    }

    fn load(&mut self, from: &Tensors, head: &Loading) -> Result<()> {
        let from = from.scope("scaling")?;
        match self {
            Self::Fixed(fixed) => fixed.load(from, head.features),
            Self::Running(running) => running.load(from, Some(head.n_seen)),
            Self::Frozen(running) => running.load(from, None),
        }
    }
}
