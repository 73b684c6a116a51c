//! ADWIN, one-sided: detects a rise of the mean of a stream (Bifet and Gavalda 2007, Learning from time-changing data
//! with adaptive windowing).

use crate::constants::FEW_ROWS;
use crate::count::saturating_inc;
use crate::error::{Error, Result};
use crate::persist::{Persist, Tensors};

/// `delta`: the bound on the probability of a cut without a change.
const DELTA: f64 = 0.002;

/// The smallest number of values on each side of a cut.
const MIN_SIDE: u64 = 10;

/// The maximum number of buckets of one size.
const MAX_PER_SIZE: usize = 5;

/// The maximum number of buckets: sizes are powers of two, and one bucket is added before two are merged.
const MAX_BUCKETS: usize = MAX_PER_SIZE * u64::BITS as usize + 1;

/// Consecutive values of the window.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bucket {
    size: u64,
    /// In `[0, size]`.
    sum: f64,
}

/// A window of the latest values as an exponential histogram; it grows as long as the mean does not change.
///
/// Each boundary between two buckets splits the window into older values with mean `mu_0` and newer values with mean
/// `mu_1`. The oldest bucket is dropped while `mu_0` and `mu_1` differ at any boundary by more than `eps_cut` of the
/// paper's normal approximation. A falling mean cuts the window too, but is not reported. Memory grows with the
/// logarithm of the window.
///
/// Invariant: sizes are powers of two, and the newest size is 1. The largest size occurs 1 to 5 times, each smaller
/// size 4 or 5 times.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Adwin {
    /// Sorted from oldest to newest.
    buckets: Vec<Bucket>,
    /// The sum of all sizes.
    len: u64,
    /// The number of values added so far.
    n_seen: u64,
}

impl Adwin {
    /// An empty window.
    pub(crate) fn new() -> Self {
        Self { buckets: Vec::with_capacity(MAX_BUCKETS), len: 0, n_seen: 0 }
    }

    /// The number of values in the window.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The mean of the window; 0 if it is empty.
    pub(crate) fn mean(&self) -> f64 {
        self.sum() / self.len.max(1) as f64
    }

    /// Adds a value of `[0, 1]`. If the mean has risen, returns the mean of the values that are cut off.
    pub(crate) fn add(&mut self, x: f64) -> Option<f64> {
        debug_assert!((0.0..=1.0).contains(&x), "{x} is not in [0, 1]");
        self.buckets.push(Bucket { size: 1, sum: x });
        self.len += 1;
        saturating_inc(&mut self.n_seen);
        self.merge();
        if !self.n_seen.is_multiple_of(FEW_ROWS) {
            return None;
        }
        let (mut has_risen, mut len, mut sum) = (false, 0, 0.0);
        while let Some(difference) = self.difference() {
            has_risen |= difference > 0.0;
            let old = self.buckets.remove(0);
            self.len -= old.size;
            len += old.size;
            sum += old.sum;
        }
        has_risen.then(|| sum / len as f64)
    }

    /// The sum of the window, not updated incrementally, so that rounding errors cannot accumulate.
    fn sum(&self) -> f64 {
        self.buckets.iter().map(|bucket| bucket.sum).sum()
    }

    /// Merges buckets, from the newest size on: if a size occurs too often, its two oldest buckets become one bucket of
    /// the next size.
    fn merge(&mut self) {
        // The newest bucket of a size is before `end`.
        let mut end = self.buckets.len();
        loop {
            let size = self.buckets[end - 1].size;
            let larger = self.buckets[..end].iter().rposition(|bucket| bucket.size != size);
            let start = larger.map_or(0, |index| index + 1);
            if end - start <= MAX_PER_SIZE {
                return;
            }
            let second = self.buckets.remove(start + 1);
            self.buckets[start].size += second.size;
            self.buckets[start].sum += second.sum;
            end = start + 1;
        }
    }

    /// `mu_1 - mu_0` at the oldest boundary where they differ by more than `eps_cut`.
    fn difference(&self) -> Option<f64> {
        let (len, sum) = (self.len as f64, self.sum());
        let mean = sum / len;
        // The variance of values that are 0 or 1; other values in [0, 1] have a smaller variance.
        let variance = mean * (1.0 - mean);
        // ln(2/delta') with delta' = delta / ln(len)
        let log = (2.0 * len.ln() / DELTA).ln();
        let (mut old_len, mut old_sum) = (0, 0.0);
        for bucket in &self.buckets {
            old_len += bucket.size;
            old_sum += bucket.sum;
            let new_len = self.len - old_len;
            if new_len < MIN_SIDE {
                return None;
            }
            if old_len < MIN_SIDE {
                continue;
            }
            let (n0, n1) = (old_len as f64, new_len as f64);
            // 1/m = 1/n0 + 1/n1
            let inverse = 1.0 / n0 + 1.0 / n1;
            let eps_cut = (2.0 * inverse * variance * log).sqrt() + 2.0 / 3.0 * inverse * log;
            let difference = (sum - old_sum) / n1 - old_sum / n0;
            if difference.abs() > eps_cut {
                return Some(difference);
            }
        }
        None
    }

    /// Whether values of `[0, 1]` can lead to this window.
    fn is_valid(&self) -> bool {
        let Some(oldest) = self.buckets.first() else { return self.n_seen == 0 };
        // A cut leaves at least one side of the window, and later values were added to it.
        let cut = self.n_seen >= FEW_ROWS && self.len >= MIN_SIDE + self.n_seen % FEW_ROWS;
        let mut size = 1_u64;
        let levels = self.buckets.chunk_by(|a, b| a.size == b.size).rev();
        let mut levels = levels.map(|level| {
            let expected = size;
            size = size.saturating_mul(2);
            let min = if expected == oldest.size { 1 } else { MAX_PER_SIZE - 1 };
            level[0].size == expected && (min..=MAX_PER_SIZE).contains(&level.len())
        });
        (self.len == self.n_seen || (self.len < self.n_seen && cut))
            && levels.all(|is_valid| is_valid)
            && self.buckets.iter().all(|bucket| (0.0..=bucket.size as f64).contains(&bucket.sum))
    }
}

impl Persist for Adwin {
    fn save(&self, out: &mut Tensors) {
        let shape = [self.buckets.len()];
        out.put("sizes", &shape, self.buckets.iter().map(|bucket| bucket.size));
        out.put("sums", &shape, self.buckets.iter().map(|bucket| bucket.sum));
        out.set("seen", self.n_seen);
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        let shape: [usize; 1] = from.shape("sizes")?;
        let (sizes, sums): (Vec<u64>, Vec<f64>) = (from.get("sizes", &shape)?, from.get("sums", &shape)?);
        let error = || Error::Model("no stream leads to the window of the drift detector".into());
        let len = sizes.iter().try_fold(0_u64, |len, &size| len.checked_add(size)).ok_or_else(error)?;
        *self = Self { len, n_seen: from.count("seen")?, ..Self::new() };
        self.buckets.extend(sizes.into_iter().zip(sums).map(|(size, sum)| Bucket { size, sum }));
        if self.is_valid() { Ok(()) } else { Err(error()) }
    }
}

#[cfg(test)]
mod tests;
