//! Probabilities of classes from scores, learned from the stream itself.
//!
//! Each row counts with the probabilities that it had before its class was known, so they need no rows of their own.
//! (Sigmoid of two classes: Platt 1999; one slope for many: Guo et al. 2017; online, with bins that correct the result:
//! Gupta and Ramdas 2023, Online Platt scaling with calibeating.)

use crate::error::{Error, Result};
use crate::persist::{Persist, Tensors};
use std::ops::RangeInclusive;

/// The slope before the first row, and its limits.
const SLOPE: f64 = 2.0;
const SLOPES: RangeInclusive<f64> = 0.05..=50.0;

/// The part of its weight that a row loses with each later one.
const FORGETTING: f64 = 1e-4;

/// The least curvature of a row, so that a wrong one of which the model was sure does not move `a` without limit.
const LEAST_CURVATURE: f64 = 1e-4;

/// Scores are clipped at this, so that sums of their squares stay under the other.
const FARTHEST: f64 = 1e100;
const MOST_CURVATURE: f64 = 1e206;

/// Bins of equal width, from the least confidence that the likeliest class can have up to 1.
const BINS: usize = 20;

/// How many rows the uncorrected confidence counts for, beside those of its bin.
const PRIOR: f64 = 10.0;

/// With more rows than this a bin's counts are halved.
const MOST_ROWS: f64 = 2000.0;

/// The weight of the uncorrected confidence in a corrected one, so that this grows with the score wherever that does.
const UNCORRECTED: f64 = 1e-3;

/// How often the predicted class was right, of rows of similar confidence.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Bin {
    rows: f64,
    /// The sum of their confidences, and how many were right; at most `rows`.
    sum: f64,
    hits: f64,
}

impl Bin {
    fn count(&mut self, confidence: f64, hit: bool) {
        self.rows += 1.0;
        self.sum += confidence;
        self.hits += f64::from(u8::from(hit));
        self.limit();
    }

    /// The rows of another bin.
    fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.sum += other.sum;
        self.hits += other.hits;
        self.limit();
    }

    #[inline(always)]
    fn limit(&mut self) {
        if self.rows > MOST_ROWS {
            self.rows *= 0.5;
            self.sum *= 0.5;
            self.hits *= 0.5;
        }
    }
}

/// Running calibration: `sigmoid(a f + b)` is the probability of the second of two classes, `softmax(a f)` are those of
/// more; then that of the predicted class is corrected by how often it was right, and the others are scaled to sum to
/// the rest. The predicted class stays the likeliest, and of two classes the probability grows with the score.
///
/// `a` and `b` minimise the log loss of the rows, recent ones above all, by one Newton step per row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Calibration {
    classes: usize,
    /// `a`.
    slope: f64,
    /// `b`; 0 with more than two classes.
    intercept: f64,
    /// The second derivatives `aa`, `ab` and `bb` of the rows' loss, on top of the identity, which is not forgotten; of
    /// more than two classes only the first changes.
    curvature: [f64; 3],
    bins: [Bin; BINS],
}

/// The uncorrected probability of the second of two classes.
fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn bounded(f: f64) -> f64 {
    f.clamp(-FARTHEST, FARTHEST)
}

/// A sum of second derivatives one row later: it decays to what the prior contributes.
fn forget(sum: f64, prior: f64) -> f64 {
    sum * (1.0 - FORGETTING) + prior * FORGETTING
}

/// The first class with the largest score.
fn first_largest(f: &[f64]) -> usize {
    (1..f.len()).fold(0, |top, class| if f[class] > f[top] { class } else { top })
}

impl Calibration {
    /// Before the first row, of at least two classes.
    pub(crate) fn new(classes: usize) -> Self {
        debug_assert!(classes >= 2, "{classes} classes");
        let bins = [Bin::default(); BINS];
        Self { classes, slope: SLOPE, intercept: 0.0, curvature: [1.0, 0.0, 1.0], bins }
    }

    /// The mean of calibrations of as many classes, by shares that sum to 1: its curvature, too, is the identity and no
    /// less, and its bins have no more hits than rows. None of none.
    pub(crate) fn mean<'a>(mut all: impl Iterator<Item = (&'a Self, f64)>) -> Option<Self> {
        let (first, share) = all.next()?;
        let mut mean = first.clone();
        mean.each(first, |number, _| *number *= share);
        all.for_each(|(other, share)| mean.each(other, |number, other| *number += share * other));
        Some(mean)
    }

    /// Changes each number, given that of another.
    fn each(&mut self, other: &Self, change: impl Fn(&mut f64, f64)) {
        change(&mut self.slope, other.slope);
        change(&mut self.intercept, other.intercept);
        self.curvature.iter_mut().zip(other.curvature).for_each(|(to, from)| change(to, from));
        for (bin, from) in self.bins.iter_mut().zip(other.bins) {
            change(&mut bin.rows, from.rows);
            change(&mut bin.sum, from.sum);
            change(&mut bin.hits, from.hits);
        }
    }

    /// There are so many classes now, more than before. Of two, `sigmoid(a f)` is `softmax(a f)` of the halves that
    /// their scores become, with the same derivatives; an intercept is for two classes alone.
    pub(crate) fn add_classes(&mut self, classes: usize) {
        self.classes = classes;
        self.intercept = 0.0;
        self.curvature = [self.curvature[0], 0.0, 1.0];
        // The bins begin at a lower confidence: each goes where the mean of its rows is now.
        for bin in std::mem::replace(&mut self.bins, [Bin::default(); BINS]) {
            if bin.rows > 0.0 {
                let place = self.bin(bin.sum / bin.rows);
                self.bins[place].add(bin);
            }
        }
    }

    /// Writes the probabilities of all classes, which sum to 1, into `out`. Of two classes `f` has one finite score, of
    /// more one per class.
    pub(crate) fn probabilities(&self, f: &[f64], out: &mut [f64]) {
        debug_assert_eq!(out.len(), self.classes);
        let top = self.uncorrected(f, out);
        let confidence = std::mem::replace(&mut out[top], 0.0);
        let (sum, most) = out.iter().fold((0.0_f64, 0.0_f64), |(sum, most), p| (sum + p, most.max(*p)));
        // What it must be at least, so that no other is likelier.
        let least = if sum > 0.0 { most / (sum + most) } else { 1.0 / self.classes as f64 };
        let corrected = (1.0 - UNCORRECTED) * self.corrected(confidence).max(least)
            + UNCORRECTED * (least + (1.0 - least) * confidence);
        let others = 1.0 - corrected;
        for p in out.iter_mut() {
            // Where the other classes are so unlikely that exp is zero, they are equally likely.
            *p = if sum > 0.0 { others * (*p / sum) } else { others / (self.classes - 1) as f64 };
        }
        out[top] = corrected;
    }

    /// Learns from a row: its scores before its class was known, and its class.
    pub(crate) fn observe(&mut self, f: &[f64], class: usize) {
        debug_assert!(class < self.classes, "class {class} of {}", self.classes);
        if let &[f] = f {
            self.observe_sign(f, class);
        } else {
            self.observe_class(f, class);
        }
        self.slope = self.slope.clamp(*SLOPES.start(), *SLOPES.end());
    }

    /// The probabilities before the bins correct them, and the predicted class.
    fn uncorrected(&self, f: &[f64], out: &mut [f64]) -> usize {
        if let &[f] = f {
            let second = self.second(f);
            out.copy_from_slice(&[1.0 - second, second]);
            return usize::from(f > 0.0);
        }
        let top = first_largest(f);
        for (p, &f_r) in out.iter_mut().zip(f) {
            *p = (self.slope * (bounded(f_r) - bounded(f[top]))).exp();
        }
        let sum: f64 = out.iter().sum();
        for p in out.iter_mut() {
            *p /= sum;
        }
        top
    }

    fn second(&self, f: f64) -> f64 {
        sigmoid(self.slope * bounded(f) + self.intercept)
    }

    /// The bin of a confidence.
    fn bin(&self, confidence: f64) -> usize {
        let least = 1.0 / self.classes as f64;
        let share = (confidence - least) / (1.0 - least);
        ((BINS as f64 * share) as usize).min(BINS - 1)
    }

    fn count(&mut self, confidence: f64, hit: bool) {
        let bin = self.bin(confidence);
        self.bins[bin].count(confidence, hit);
    }

    /// The share of hits at a confidence: lines through the bins' means, their hits made to increase (isotonic
    /// regression, by pooling neighbours that do not).
    fn corrected(&self, confidence: f64) -> f64 {
        let (least, bins) = (1.0 / self.classes as f64, BINS as f64);
        // Mean confidence, hits and rows of each bin or pool, with the prior's rows at its centre.
        let mut nodes = [[0.0; 3]; BINS];
        let mut pools = 0;
        let mut places = [0.0; BINS];
        for (i, bin) in self.bins.iter().enumerate() {
            let prior = PRIOR * (least + (1.0 - least) * (i as f64 + 0.5) / bins);
            let rows = bin.rows + PRIOR;
            places[i] = (bin.sum + prior) / rows;
            nodes[pools] = [(bin.hits + prior) / rows, rows, 1.0];
            pools += 1;
            while pools > 1 && nodes[pools - 1][0] < nodes[pools - 2][0] {
                let [[a, m, i], [b, n, j]] = [nodes[pools - 2], nodes[pools - 1]];
                nodes[pools - 2] = [(a * m + b * n) / (m + n), m + n, i + j];
                pools -= 1;
            }
        }
        let pooled =
            nodes[..pools].iter().flat_map(|[hits, _, count]| std::iter::repeat_n(*hits, *count as usize));
        // From the least that it can be to the first, and on beyond the last.
        let mut line = [(least, least); 2];
        for node in places.into_iter().zip(pooled).filter(|(place, _)| *place > least) {
            if line[1].0 >= confidence {
                break;
            }
            line = [line[1], node];
        }
        let [(from, low), (place, hits)] = line;
        let slope = if place > from { (hits - low) / (place - from) } else { 0.0 };
        (hits - slope * (place - confidence.max(least))).clamp(0.0, 1.0)
    }

    /// Two classes: `(a, b)` moves by `-H^-1 (p - y) (f, 1)`.
    fn observe_sign(&mut self, f: f64, class: usize) {
        let (p, f) = (self.second(f), bounded(f));
        let top = usize::from(f > 0.0);
        self.count(if top == 1 { p } else { 1.0 - p }, top == class);
        let weight = (p * (1.0 - p)).max(LEAST_CURVATURE);
        let [aa, ab, bb] = self.curvature;
        let aa = forget(aa, 1.0) + weight * f * f;
        let ab = forget(ab, 0.0) + weight * f;
        let bb = forget(bb, 1.0) + weight;
        self.curvature = [aa, ab, bb];
        let determinant = aa * bb - ab * ab;
        let residual = p - class as f64;
        self.slope -= residual * (bb * f - ab) / determinant;
        self.intercept -= residual * (aa - ab * f) / determinant;
    }

    /// More classes: the derivative with respect to `a` is `E f - f_y`, the curvature the variance of f, both under p.
    /// Scores are taken relative to the largest, so that a large common part cancels exactly.
    fn observe_class(&mut self, f: &[f64], class: usize) {
        let top = first_largest(f);
        let (mut sum, mut first, mut second) = (0.0, 0.0, 0.0);
        for &f_r in f {
            let relative = bounded(f_r) - bounded(f[top]);
            let weight = (self.slope * relative).exp();
            sum += weight;
            first += weight * relative;
            second += weight * relative * relative;
        }
        self.count(1.0 / sum, top == class);
        let mean = first / sum;
        let aa = forget(self.curvature[0], 1.0) + (second / sum - mean * mean).max(LEAST_CURVATURE);
        self.curvature[0] = aa;
        self.slope -= (mean - (bounded(f[class]) - bounded(f[top]))) / aa;
    }

    /// Whether rows can have led here.
    fn is_legal(&self) -> bool {
        // What rounding may take.
        let (most, least) = (1.0 + 1e-9, 1.0 - 1e-9);
        let [aa, ab, bb] = self.curvature;
        let curvature = if self.classes == 2 {
            // aa = 1 + A and bb = 1 + B, with ab^2 <= A B: so the determinant is at least 1 + A + B.
            (least..=(1.0 + 0.25 / FORGETTING) * most).contains(&bb) && aa * bb - ab * ab >= 0.5 * aa.max(bb)
        } else {
            (self.intercept, ab, bb) == (0.0, 0.0, 1.0)
        };
        SLOPES.contains(&self.slope)
            && self.intercept.is_finite()
            && (least..=MOST_CURVATURE).contains(&aa)
            && ab.is_finite()
            && curvature
            && self.bins.iter().all(|bin| {
                let within = 0.0..=bin.rows;
                bin.rows <= MOST_ROWS
                    && within.contains(&bin.hits)
                    && (0.0..=bin.rows * most).contains(&bin.sum)
            })
    }
}

impl Persist for Calibration {
    fn save(&self, out: &mut Tensors) {
        out.set("slope", self.slope);
        out.set("intercept", self.intercept);
        out.put("curvature", &[3], self.curvature);
        out.put("rows", &[BINS], self.bins.map(|bin| bin.rows));
        out.put("sums", &[BINS], self.bins.map(|bin| bin.sum));
        out.put("hits", &[BINS], self.bins.map(|bin| bin.hits));
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        self.slope = from.finite("slope")?;
        self.intercept = from.finite("intercept")?;
        self.curvature.copy_from_slice(&from.get("curvature", &[3])?);
        let [rows, sums, hits] = ["rows", "sums", "hits"].map(|name| from.get::<f64>(name, &[BINS]));
        let (rows, sums, hits) = (rows?, sums?, hits?);
        for (i, bin) in self.bins.iter_mut().enumerate() {
            *bin = Bin { rows: rows[i], sum: sums[i], hits: hits[i] };
        }
        if self.is_legal() {
            Ok(())
        } else {
            Err(Error::Model("the calibration of probabilities is not one that rows lead to".into()))
        }
    }
}

#[cfg(test)]
mod tests;
