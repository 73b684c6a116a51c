//! The values of a row beyond the clip of standardisation.

use crate::batch::Row;
use crate::expansion::LinearInput;
use crate::float::Real;

/// The nonzero excesses of one row; a buffer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Excess<T: Real> {
    pub(super) features: Vec<u32>,
    pub(super) values: Vec<T>,
}

impl<T: Real> Excess<T> {
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.features.clear();
        self.values.clear();
    }

    /// Makes room for `n` values, so that later rows allocate nothing.
    #[inline(always)]
    pub(super) fn reserve(&mut self, n: usize) {
        self.features.reserve(n.saturating_sub(self.features.len()));
        self.values.reserve(n.saturating_sub(self.values.len()));
    }

    #[inline(always)]
    pub(super) fn push(&mut self, feature: usize, value: T) {
        self.features.push(feature as u32);
        self.values.push(value);
    }

    /// Keeps the excesses of some features.
    #[inline(always)]
    pub(super) fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        if self.features.iter().all(|feature| keep(*feature as usize)) {
            return;
        }
        let mut n = 0;
        for i in 0..self.features.len() {
            if keep(self.features[i] as usize) {
                (self.features[n], self.values[n]) = (self.features[i], self.values[i]);
                n += 1;
            }
        }
        self.features.truncate(n);
        self.values.truncate(n);
    }

    /// The input of the linear term: a clipped row with these excesses.
    #[inline(always)]
    pub(super) fn of<'a>(&'a self, x: Row<'a, T>) -> LinearInput<'a, T> {
        LinearInput { clipped: x, excess_features: &self.features, excess: &self.values }
    }
}
