//! Sampled values of every feature.

use super::spread::Spread;
use crate::constants::FEW_ROWS;
use crate::float::Real;

/// The maximum number of values of a feature.
pub(super) const SAMPLE_VALUES: usize = FEW_ROWS as usize;

/// The last 32 sampled values of each feature, and their order by size.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Samples<T: Real> {
    values: Vec<T>,
    /// For each feature, the indices of its values in increasing order.
    order: Vec<u8>,
}

impl<T: Real> Samples<T> {
    pub(super) fn new(features: usize) -> Self {
        let len = features * SAMPLE_VALUES;
        Self { values: vec![T::ZERO; len], order: vec![0; len] }
    }

    /// Values of which the first `lens` of each feature are sampled.
    pub(super) fn of(values: Vec<T>, lens: impl Iterator<Item = usize>) -> Self {
        let mut samples = Self { order: vec![0; values.len()], values };
        for (feature, len) in lens.enumerate() {
            let all = samples.values[feature * SAMPLE_VALUES..][..len].to_vec();
            all.iter().enumerate().for_each(|(count, x)| samples.put(feature, count as u64, *x));
        }
        samples
    }

    pub(super) fn values(&self) -> &[T] {
        &self.values
    }

    /// Adds a value to the `count` values of a feature, in place of the oldest of 32.
    pub(super) fn put(&mut self, feature: usize, count: u64, x: T) {
        let first = feature * SAMPLE_VALUES;
        let (values, order) =
            (&mut self.values[first..][..SAMPLE_VALUES], &mut self.order[first..][..SAMPLE_VALUES]);
        let index = (count % SAMPLE_VALUES as u64) as u8;
        let mut len = count.min(SAMPLE_VALUES as u64) as usize;
        if len == SAMPLE_VALUES {
            let oldest = order.iter().position(|i| *i == index).unwrap_or(len - 1);
            order.copy_within(oldest + 1.., oldest);
            len -= 1;
        }
        values[usize::from(index)] = x;
        let rank = order[..len].partition_point(|i| values[usize::from(*i)] <= x);
        order.copy_within(rank..len, rank + 1);
        order[rank] = index;
    }

    /// The first `len` values of a feature in increasing order, in `buffer`.
    #[inline(always)]
    pub(super) fn sorted<'a>(
        &self,
        feature: usize,
        len: usize,
        buffer: &'a mut [f64; SAMPLE_VALUES],
    ) -> &'a mut [f64] {
        let first = feature * SAMPLE_VALUES;
        let values = &self.values[first..][..SAMPLE_VALUES];
        for (to, index) in buffer.iter_mut().zip(&self.order[first..][..len]) {
            *to = values[usize::from(*index) % SAMPLE_VALUES].to_f64();
        }
        &mut buffer[..len]
    }

    /// The spread of the first `len` values of a feature.
    pub(super) fn spread(&self, feature: usize, len: usize) -> Spread {
        Spread::of(self.sorted(feature, len, &mut [0.0; SAMPLE_VALUES]))
    }

    /// Removes the values of a feature.
    pub(super) fn clear(&mut self, feature: usize) {
        self.values[feature * SAMPLE_VALUES..][..SAMPLE_VALUES].fill(T::ZERO);
    }

    /// Appends features whose `count` sampled values are zero.
    pub(super) fn add_features(&mut self, features: usize, count: usize) {
        let before = self.values.len() / SAMPLE_VALUES;
        self.values.resize(features * SAMPLE_VALUES, T::ZERO);
        self.order.resize(features * SAMPLE_VALUES, 0);
        for feature in before..features {
            (0..count).for_each(|count| self.put(feature, count as u64, T::ZERO));
        }
    }
}
