//! Online calibration: class probabilities from scores.
//!
//! Each row is scored before the model learns it, so calibration needs no separate data. (Sigmoid of two classes: Platt
//! 1999; one slope for more classes: Guo et al. 2017; online, with bins that correct the result: Gupta and Ramdas 2023,
//! Online Platt scaling with calibeating.) There is no intercept: the constants of the scores are learned elsewhere.

mod bin;

use crate::count::MAX_COUNT;
use crate::error::{Result, check_model};
use crate::float::Real;
use crate::ops::{Ops, SoftmaxMoments};
use crate::persist::{Persist, Tensors};
use bin::Bin;
use std::ops::RangeInclusive;

/// The slope before the first row.
const INITIAL_SLOPE: f64 = 2.0;
/// The range of the slope.
const SLOPE_RANGE: RangeInclusive<f64> = 0.05..=50.0;

/// The smallest variance of the scores of a row, so that a confident mistake does not move `a` without bound.
const MIN_CURVATURE: f64 = 1e-4;

/// Scores are clipped at this value, so that sums of their squares stay below `MAX_CURVATURE`.
const MAX_SCORE: f64 = 1e90;
const MAX_CURVATURE: f64 = 1e206;

/// The number of bins of equal width between the smallest possible confidence of the predicted class and 1.
const BINS: usize = 20;

/// The weight, in rows, of the uncorrected confidence in each bin.
const PRIOR_ROWS: f64 = 10.0;

/// The weight of the uncorrected confidence in the corrected one, which makes the corrected confidence increase
/// strictly.
const UNCORRECTED_WEIGHT: f64 = 1e-3;

/// Online calibration in two steps. First, `sigmoid(a f)` is the probability of the second of two classes, or
/// `softmax(a f)` the probabilities of more classes. Then the probability of the predicted class is corrected by the
/// accuracy at its confidence, and the probabilities of the other classes are scaled so that all sum to 1. The
/// predicted class stays the likeliest, and with two classes the probability increases with the score.
///
/// `a` minimises the log loss of the rows by one Newton step per row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Calibration {
    classes: usize,
    /// `a`
    slope: f64,
    /// The second derivative of the loss, plus 1.
    curvature: f64,
    bins: [Bin; BINS],
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn clipped(f: f64) -> f64 {
    f.clamp(-MAX_SCORE, MAX_SCORE)
}

impl Calibration {
    /// The calibration of at least two classes, before the first row.
    pub(crate) fn new(classes: usize) -> Self {
        debug_assert!(classes >= 2, "{classes} classes");
        let bins = [Bin::default(); BINS];
        Self { classes, slope: INITIAL_SLOPE, curvature: 1.0, bins }
    }

    /// The mean of calibrations with equal numbers of classes, by weights that sum to 1; None if there are none. The
    /// mean is valid, because a weighted mean keeps the bounds of curvature and bins.
    pub(crate) fn mean(mut weighted: impl Iterator<Item = (Self, f64)>) -> Option<Self> {
        let (first, weight) = weighted.next()?;
        let mut mean = first.clone();
        mean.zip_with(&first, |number, _| *number *= weight);
        weighted.for_each(|(other, weight)| mean.zip_with(&other, |number, other| *number += weight * other));
        Some(mean)
    }

    /// Changes each number, given the corresponding number of another calibration.
    fn zip_with(&mut self, other: &Self, change: impl Fn(&mut f64, f64)) {
        change(&mut self.slope, other.slope);
        change(&mut self.curvature, other.curvature);
        for (bin, from) in self.bins.iter_mut().zip(other.bins) {
            change(&mut bin.rows, from.rows);
            change(&mut bin.sum, from.sum);
            change(&mut bin.hits, from.hits);
        }
    }

    /// Reduces the weight of all rows so far to `rows` rows, after a drift.
    #[cold]
    pub(super) fn limit_rows(&mut self, rows: f64) {
        let all: f64 = self.bins.iter().map(|bin| bin.rows).sum();
        if all > rows {
            let share = rows / all;
            self.curvature = 1.0 + share * (self.curvature - 1.0);
            for bin in &mut self.bins {
                (bin.rows, bin.sum, bin.hits) = (share * bin.rows, share * bin.sum, share * bin.hits);
            }
        }
    }

    /// Increases the number of classes to `classes`. The score of two classes becomes two scores of half its size, so
    /// that `softmax(a f)` and its derivatives equal `sigmoid(a f)`.
    pub(crate) fn add_classes(&mut self, classes: usize) {
        self.classes = classes;
        // The bins now begin at a lower confidence: move the rows of each bin to the bin of their mean confidence.
        for bin in std::mem::replace(&mut self.bins, [Bin::default(); BINS]) {
            if bin.rows > 0.0 {
                let index = self.bin(bin.sum / bin.rows);
                self.bins[index].add(bin);
            }
        }
    }

    /// Writes the probabilities of all classes, which sum to 1, into `out`. `f` has one finite score for two classes,
    /// else one per class.
    pub(crate) fn probabilities<T: Real>(&self, ops: Ops<T>, f: &[f64], out: &mut [f64]) {
        debug_assert_eq!(out.len(), self.classes);
        let SoftmaxMoments { top, .. } = self.softmax(ops, f, out);
        let confidence = std::mem::replace(&mut out[top], 0.0);
        let (sum, second) = out.iter().fold((0.0_f64, 0.0_f64), |(sum, max), p| (sum + p, max.max(*p)));
        // The lower bound that keeps the predicted class the likeliest.
        let min = if sum > 0.0 { second / (sum + second) } else { 1.0 / self.classes as f64 };
        let corrected = (1.0 - UNCORRECTED_WEIGHT) * self.corrected(confidence).max(min)
            + UNCORRECTED_WEIGHT * (min + (1.0 - min) * confidence);
        let others = 1.0 - corrected;
        for p in out.iter_mut() {
            // If exp underflows to zero for all other classes, they are equally likely.
            *p = if sum > 0.0 { others * (*p / sum) } else { others / (self.classes - 1) as f64 };
        }
        out[top] = corrected;
    }

    /// Learns from a row, by its scores before it was learned, and its class. Writes the probabilities
    /// without the bins, before this row, into `p`.
    pub(crate) fn observe<T: Real>(&mut self, ops: Ops<T>, f: &[f64], class: usize, p: &mut [f64]) {
        debug_assert!(class < self.classes, "class {class} of {}", self.classes);
        let SoftmaxMoments { top, mean, square } = self.softmax(ops, f, p);
        let bin = self.bin(p[top]);
        self.bins[bin].observe(p[top], top == class);
        // The score of the class relative to the largest score. With two classes the first has the score 0.
        let score = |class: usize| if let &[f] = f { class as f64 * f } else { f[class] };
        let gradient = mean - (clipped(score(class)) - clipped(score(top)));
        self.curvature += (square - mean * mean).max(MIN_CURVATURE);
        self.slope = (self.slope - gradient / self.curvature).clamp(*SLOPE_RANGE.start(), *SLOPE_RANGE.end());
    }

    /// `a`
    pub(super) fn slope(&self) -> f64 {
        self.slope
    }

    /// Writes `softmax(a f)`, or `1 - sigmoid(a f)` and `sigmoid(a f)` for two classes, into `out`. Returns the moments
    /// of the scores, which are 0 and f for two classes; the largest is the predicted class's.
    pub(super) fn softmax<T: Real>(&self, ops: Ops<T>, f: &[f64], out: &mut [f64]) -> SoftmaxMoments {
        let &[f] = f else { return ops.softmax(f, self.slope, MAX_SCORE, out) };
        let f = clipped(f);
        let top = usize::from(f > 0.0);
        out[1 - top] = sigmoid(-self.slope * f.abs());
        out[top] = 1.0 - out[1 - top];
        SoftmaxMoments { top, mean: -f.abs() * out[1 - top], square: f * f * out[1 - top] }
    }

    /// The index of the bin of a confidence.
    fn bin(&self, confidence: f64) -> usize {
        let min = 1.0 / self.classes as f64;
        let share = (confidence - min) / (1.0 - min);
        ((BINS as f64 * share) as usize).min(BINS - 1)
    }

    /// The accuracy at a confidence: isotonic regression of the bins' accuracies (pool adjacent violators), linearly
    /// interpolated between the bins' mean confidences.
    fn corrected(&self, confidence: f64) -> f64 {
        let (min, bins) = (1.0 / self.classes as f64, BINS as f64);
        // Accuracy, rows and number of bins of each pool; every bin has prior rows at its centre.
        let mut pools = [[0.0; 3]; BINS];
        let mut n_pools = 0;
        let mut confidences = [0.0; BINS];
        for (i, bin) in self.bins.iter().enumerate() {
            let prior = PRIOR_ROWS * (min + (1.0 - min) * (i as f64 + 0.5) / bins);
            let rows = bin.rows + PRIOR_ROWS;
            confidences[i] = (bin.sum + prior) / rows;
            pools[n_pools] = [(bin.hits + prior) / rows, rows, 1.0];
            n_pools += 1;
            while n_pools > 1 && pools[n_pools - 1][0] < pools[n_pools - 2][0] {
                let [[a, m, i], [b, n, j]] = [pools[n_pools - 2], pools[n_pools - 1]];
                pools[n_pools - 2] = [(a * m + b * n) / (m + n), m + n, i + j];
                n_pools -= 1;
            }
        }
        let accuracies = pools[..n_pools]
            .iter()
            .flat_map(|[accuracy, _, count]| std::iter::repeat_n(*accuracy, *count as usize));
        // The segment of the confidence: from the smallest possible confidence to the first bin, between two bins, or
        // beyond the last.
        let mut segment = [(min, min); 2];
        for node in confidences.into_iter().zip(accuracies) {
            if segment[1].0 >= confidence {
                break;
            }
            segment = [segment[1], node];
        }
        let [(x0, y0), (x1, y1)] = segment;
        let slope = if x1 > x0 { (y1 - y0) / (x1 - x0) } else { 0.0 };
        (y1 - slope * (x1 - confidence.max(min))).clamp(0.0, 1.0)
    }

    /// Whether rows can lead to this state.
    fn is_valid(&self) -> bool {
        // Allowances for rounding.
        let (above, below) = (1.0 + 1e-9, 1.0 - 1e-9);
        SLOPE_RANGE.contains(&self.slope)
            && (below..=MAX_CURVATURE).contains(&self.curvature)
            && self.bins.iter().all(|bin| {
                bin.rows <= MAX_COUNT as f64
                    && (0.0..=bin.rows).contains(&bin.hits)
                    && (0.0..=bin.rows * above).contains(&bin.sum)
            })
    }
}

impl Persist for Calibration {
    fn save(&self, out: &mut Tensors) {
        out.set("slope", self.slope);
        out.set("curvature", self.curvature);
        out.put("rows", &[BINS], self.bins.map(|bin| bin.rows));
        out.put("sums", &[BINS], self.bins.map(|bin| bin.sum));
        out.put("hits", &[BINS], self.bins.map(|bin| bin.hits));
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        self.slope = from.finite("slope")?;
        self.curvature = from.finite("curvature")?;
        let [rows, sums, hits] = ["rows", "sums", "hits"].map(|name| from.get::<f64>(name, &[BINS]));
        let (rows, sums, hits) = (rows?, sums?, hits?);
        for (i, bin) in self.bins.iter_mut().enumerate() {
            *bin = Bin { rows: rows[i], sum: sums[i], hits: hits[i] };
        }
        check_model(self.is_valid(), "no rows lead to the calibration of probabilities")
    }
}

#[cfg(test)]
mod tests;
