//! ADWIN, one-sided: an alarm when the mean of a stream has risen (Bifet and Gavalda 2007, Learning from time-changing
//! data with adaptive windowing).

use crate::count::saturating_inc;
use crate::error::{Error, Result};
use crate::persist::{Persist, Tensors};

/// `delta`: the bound on the probability of a cut where nothing changed.
const DELTA: f64 = 0.002;

/// Cuts are looked for every so many numbers, in windows of at least so many, with at least so many on each side.
const PERIOD: u64 = 32;
const LEAST_WINDOW: u64 = 64;
const LEAST_SIDE: u64 = 10;

/// The most buckets of one size.
const PER_LEVEL: usize = 5;

/// Buckets that are never exceeded: sizes are powers of two, and there is one more before two are merged.
const MOST_BUCKETS: usize = PER_LEVEL * u64::BITS as usize + 1;

/// Consecutive numbers of the window.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bucket {
    size: u64,
    /// In `[0, size]`.
    sum: f64,
}

/// A window of the latest numbers that is as long as their mean does not change, as an exponential histogram.
///
/// Whether the window is cut is decided between every two buckets: the oldest bucket is dropped while the means `mu_0`
/// of the older and `mu_1` of the newer numbers differ by more than `eps_cut` anywhere, that of the paper's normal
/// approximation. A falling mean cuts the window too, but is no alarm. Memory grows with the logarithm of the window.
///
/// Invariant: sizes are powers of two, the newest 1, and each size down to 1 occurs 4 or 5 times, the largest 1 to 5
/// times.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Adwin {
    /// The oldest first.
    buckets: Vec<Bucket>,
    /// The sum of all sizes.
    len: u64,
    /// How many numbers have been added.
    seen: u64,
}

impl Adwin {
    /// With an empty window.
    pub(crate) fn new() -> Self {
        Self { buckets: Vec::with_capacity(MOST_BUCKETS), len: 0, seen: 0 }
    }

    /// Losses so far.
    pub(super) fn seen(&self) -> u64 {
        self.seen
    }

    /// How many numbers the window has.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The mean of the window; 0 where it is empty.
    pub(crate) fn mean(&self) -> f64 {
        self.sum() / self.len.max(1) as f64
    }

    /// Adds a number of `[0, 1]`; when the window was cut because the mean has risen, the mean of what was cut off.
    pub(crate) fn add(&mut self, x: f64) -> Option<f64> {
        debug_assert!((0.0..=1.0).contains(&x), "{x} is not in [0, 1]");
        self.buckets.push(Bucket { size: 1, sum: x });
        self.len += 1;
        saturating_inc(&mut self.seen);
        self.merge();
        if !self.seen.is_multiple_of(PERIOD) || self.len < LEAST_WINDOW {
            return None;
        }
        let (mut risen, mut len, mut sum) = (false, 0, 0.0);
        while let Some(difference) = self.difference() {
            risen |= difference > 0.0;
            let old = self.buckets.remove(0);
            self.len -= old.size;
            len += old.size;
            sum += old.sum;
        }
        risen.then(|| sum / len as f64)
    }

    /// Summed up anew each time, so that rounding cannot pile up.
    fn sum(&self) -> f64 {
        self.buckets.iter().map(|bucket| bucket.sum).sum()
    }

    /// From the newest on: where a size occurs too often, its two oldest buckets become one of the next size.
    fn merge(&mut self) {
        // The newest bucket of a size is before `end`.
        let mut end = self.buckets.len();
        loop {
            let size = self.buckets[end - 1].size;
            let larger = self.buckets[..end].iter().rposition(|bucket| bucket.size != size);
            let start = larger.map_or(0, |place| place + 1);
            if end - start <= PER_LEVEL {
                return;
            }
            let second = self.buckets.remove(start + 1);
            self.buckets[start].size += second.size;
            self.buckets[start].sum += second.sum;
            end = start + 1;
        }
    }

    /// `mu_1 - mu_0` where they first differ by more than `eps_cut`, from the oldest bucket on.
    fn difference(&self) -> Option<f64> {
        let (len, sum) = (self.len as f64, self.sum());
        let mean = sum / len;
        // That of numbers that are 0 or 1; the variance of others in [0, 1] is smaller.
        let variance = mean * (1.0 - mean);
        // ln(2/delta') with delta' = delta / ln(len)
        let log = (2.0 * len.ln() / DELTA).ln();
        let (mut old_len, mut old_sum) = (0, 0.0);
        for bucket in &self.buckets {
            old_len += bucket.size;
            old_sum += bucket.sum;
            let new_len = self.len - old_len;
            if new_len < LEAST_SIDE {
                return None;
            }
            if old_len < LEAST_SIDE {
                continue;
            }
            let (n0, n1) = (old_len as f64, new_len as f64);
            // 1/m, half of one over the harmonic mean of n0 and n1
            let inverse = 1.0 / n0 + 1.0 / n1;
            let eps_cut = (2.0 * inverse * variance * log).sqrt() + 2.0 / 3.0 * inverse * log;
            let difference = (sum - old_sum) / n1 - old_sum / n0;
            if difference.abs() > eps_cut {
                return Some(difference);
            }
        }
        None
    }

    /// Whether numbers of `[0, 1]` can have led here.
    fn is_legal(&self) -> bool {
        let Some(oldest) = self.buckets.first() else { return self.seen == 0 };
        // What was left by the last cut, and the numbers since.
        let cut = self.seen >= LEAST_WINDOW && self.len >= LEAST_SIDE + self.seen % PERIOD;
        let mut size = 1_u64;
        let levels = self.buckets.chunk_by(|a, b| a.size == b.size).rev();
        let mut levels = levels.map(|level| {
            let expected = size;
            size = size.saturating_mul(2);
            let least = if expected == oldest.size { 1 } else { PER_LEVEL - 1 };
            level[0].size == expected && (least..=PER_LEVEL).contains(&level.len())
        });
        (self.len == self.seen || (self.len < self.seen && cut))
            && levels.all(|legal| legal)
            && self.buckets.iter().all(|bucket| (0.0..=bucket.size as f64).contains(&bucket.sum))
    }
}

impl Persist for Adwin {
    fn save(&self, out: &mut Tensors) {
        let shape = [self.buckets.len()];
        out.put("sizes", &shape, self.buckets.iter().map(|bucket| bucket.size));
        out.put("sums", &shape, self.buckets.iter().map(|bucket| bucket.sum));
        out.set("seen", self.seen);
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        let shape: [usize; 1] = from.shape("sizes")?;
        let (sizes, sums): (Vec<u64>, Vec<f64>) = (from.get("sizes", &shape)?, from.get("sums", &shape)?);
        let refused =
            || Error::Model("the window of a drift detector is not one that a stream leads to".into());
        let len = sizes.iter().try_fold(0_u64, |len, &size| len.checked_add(size)).ok_or_else(refused)?;
        *self = Self { len, seen: from.count("seen")?, ..Self::new() };
        self.buckets.extend(sizes.into_iter().zip(sums).map(|(size, sum)| Bucket { size, sum }));
        if self.is_legal() { Ok(()) } else { Err(refused()) }
    }
}

#[cfg(test)]
mod tests;
