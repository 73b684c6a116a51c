mod file;
mod growth;

use super::*;
use crate::ops::level;
use crate::rng::Rng;

/// Learns from a row.
fn observe(calibration: &mut Calibration, f: &[f64], class: usize) {
    let mut p = vec![f64::NAN; calibration.classes];
    calibration.observe(Ops::<f64>::at(level()), f, class, &mut p);
}

#[test]
fn two_classes_have_mirrored_probabilities() {
    let (mut rng, mut calibration, mut mirrored) = (Rng::new(5), Calibration::new(2), Calibration::new(2));
    for _ in 0..500 {
        let (f, class) = (rng.normal() + 0.3, rng.index(3).min(1));
        observe(&mut calibration, &[f], class);
        observe(&mut mirrored, &[-f], 1 - class);
    }
    assert_eq!(calibration, mirrored);
    for f in [-3.0, -0.2, 0.7, 2.0] {
        let (p, q) = (probabilities(&calibration, &[f]), probabilities(&calibration, &[-f]));
        assert_eq!(p, [q[1], q[0]]);
    }
}

/// All rows with the probabilities they had; curvature and bins are computed anew from all of them.
struct Oracle {
    classes: usize,
    slope: f64,
    /// Scores, class, and uncorrected probabilities.
    rows: Vec<(Vec<f64>, usize, Vec<f64>)>,
}

fn top(p: &[f64]) -> usize {
    p.iter().position(|x| p.iter().all(|y| x >= y)).unwrap()
}

impl Oracle {
    fn uncorrected(&self, f: &[f64]) -> Vec<f64> {
        let scores = if f.len() == 1 { vec![0.0, f[0]] } else { f.to_vec() };
        let slope = self.slope;
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let powers: Vec<f64> = scores.iter().map(|f| (slope * (f - most)).exp()).collect();
        powers.iter().map(|power| power / powers.iter().sum::<f64>()).collect()
    }

    /// The predicted class with its confidence.
    fn predicted(f: &[f64], p: &[f64]) -> (usize, f64) {
        let class = if f.len() == 1 { usize::from(f[0] > 0.0) } else { top(f) };
        (class, p[class])
    }

    /// `max_{a <= i} min_{b >= i}` of the mean hits of bins a to b: the isotonic regression; between bins a line.
    fn corrected(&self, confidence: f64) -> f64 {
        let least = 1.0 / self.classes as f64;
        let width = (1.0 - least) / 20.0;
        let centre = |i: i32| least + width * (f64::from(i) + 0.5);
        // Rows, their confidences, and hits.
        let mut bins: Vec<[f64; 3]> = (0..20).map(|i| [10.0, 10.0 * centre(i), 10.0 * centre(i)]).collect();
        for (f, class, p) in &self.rows {
            let (predicted, confidence) = Self::predicted(f, p);
            let bin = &mut bins[(((confidence - least) / width).max(0.0) as usize).min(19)];
            bin[0] += 1.0;
            bin[1] += confidence;
            bin[2] += if predicted == *class { 1.0 } else { 0.0 };
        }
        let mean = |a: usize, b: usize| {
            bins[a..=b].iter().map(|bin| bin[2]).sum::<f64>()
                / bins[a..=b].iter().map(|bin| bin[0]).sum::<f64>()
        };
        let isotonic = |i: usize| {
            let least_from = |a: usize| (i..20).map(|b| mean(a, b)).fold(f64::INFINITY, f64::min);
            (0..=i).map(least_from).fold(f64::NEG_INFINITY, f64::max)
        };
        let place = |i: usize| bins[i][1] / bins[i][0];
        let first = vec![(least, least)];
        let bins = (0..20).map(|i| (place(i), isotonic(i))).filter(|(place, _)| *place > least);
        let nodes: Vec<(f64, f64)> = first.into_iter().chain(bins).collect();
        let to = nodes.iter().position(|(place, _)| confidence <= *place).unwrap_or(nodes.len() - 1).max(1);
        let [(x, u), (y, v)] = [nodes[to - 1], nodes[to]];
        (u + (v - u) * (confidence.max(least) - x) / (y - x)).clamp(0.0, 1.0)
    }

    fn probabilities(&self, f: &[f64]) -> Vec<f64> {
        let p = self.uncorrected(f);
        let (predicted, confidence) = Self::predicted(f, &p);
        let others = || (0..p.len()).filter(|k| *k != predicted);
        let sum: f64 = others().map(|k| p[k]).sum();
        let most = others().map(|k| p[k]).fold(0.0, f64::max);
        let least = most / (sum + most);
        let c = 0.999 * self.corrected(confidence).max(least) + 0.001 * (least + (1.0 - least) * confidence);
        (0..p.len()).map(|k| if k == predicted { c } else { (1.0 - c) * p[k] / sum }).collect()
    }

    /// The curvature is 1 plus the variances of the scores of all rows; then one step against the gradient of
    /// the last row.
    fn observe(&mut self, f: &[f64], class: usize) {
        self.rows.push((f.to_vec(), class, self.uncorrected(f)));
        let mut curvature = 1.0;
        let mut gradient = 0.0;
        for (f, class, p) in &self.rows {
            let f = if f.len() == 1 { vec![0.0, f[0]] } else { f.clone() };
            let mean = |g: &dyn Fn(usize) -> f64| (0..p.len()).map(|k| p[k] * g(k)).sum::<f64>();
            let centre = mean(&|k| f[k]);
            curvature += mean(&|k| (f[k] - centre).powi(2)).max(1e-4);
            gradient = centre - f[*class];
        }
        self.slope = (self.slope - gradient / curvature).clamp(0.05, 50.0);
    }
}

/// A class drawn by these probabilities.
fn draw(p: &[f64], rng: &mut Rng) -> usize {
    let mut left = rng.uniform();
    let reached = p.iter().position(|p| {
        left -= p;
        left < 0.0
    });
    reached.unwrap_or(p.len() - 1)
}

/// Normal scores, one for two classes.
fn scores(classes: usize, rng: &mut Rng) -> Vec<f64> {
    let outputs = if classes == 2 { 1 } else { classes };
    (0..outputs).map(|_| rng.normal()).collect()
}

fn softmax(a: f64, f: &[f64]) -> Vec<f64> {
    let sum: f64 = f.iter().map(|f| (a * f).exp()).sum();
    f.iter().map(|f| (a * f).exp() / sum).collect()
}

fn probabilities(calibration: &Calibration, f: &[f64]) -> Vec<f64> {
    let mut out = vec![f64::NAN; calibration.classes];
    calibration.probabilities(Ops::<f64>::at(level()), f, &mut out);
    out
}

#[test]
fn agrees_with_an_oracle_that_keeps_all_rows() {
    let mut rng = Rng::new(1);
    for (classes, scale) in [(2, 1.0), (2, 0.2), (2, 4.0), (3, 1.0), (7, 0.5), (4, 8.0)] {
        let mut calibration = Calibration::new(classes);
        let mut oracle = Oracle { classes, slope: 2.0, rows: Vec::new() };
        for t in 0..400 {
            let f: Vec<f64> = scores(classes, &mut rng).iter().map(|f| scale * f).collect();
            let (found, expected) = (probabilities(&calibration, &f), oracle.probabilities(&f));
            let close = found.iter().zip(&expected).all(|(p, q)| (p - q).abs() < 1e-6);
            assert!(close, "{classes} classes, row {t}: {found:?}, not {expected:?}");
            let class =
                draw(&softmax(1.5, &if classes == 2 { vec![-0.2, f[0]] } else { f.clone() }), &mut rng);
            observe(&mut calibration, &f, class);
            oracle.observe(&f, class);
            let a = calibration.slope;
            assert!((a - oracle.slope).abs() < 1e-8 * a, "{classes} classes, row {t}: {a}");
            assert!(calibration.is_valid());
        }
    }
}

#[test]
fn first_rows_by_hand() {
    let mut calibration = Calibration::new(2);
    assert_probabilities(&probabilities(&calibration, &[0.0]));
    assert!((probabilities(&calibration, &[0.0])[0] - 0.5).abs() < 1e-3);
    observe(&mut calibration, &[2.0], 1);
    // p = sigmoid(4), and the step is `(1 - p) f / (1 + p (1 - p) f^2)`.
    let p = 1.0 / (1.0 + (-4.0_f64).exp());
    assert!((calibration.slope - (2.0 + (1.0 - p) * 2.0 / (1.0 + p * (1.0 - p) * 4.0))).abs() < 1e-15);
    assert_eq!(calibration.bins[19], Bin { rows: 1.0, sum: p, hits: 1.0 });
    // A tie predicts the first class, which is wrong here.
    observe(&mut calibration, &[0.0], 1);
    assert_eq!(calibration.bins[0], Bin { rows: 1.0, sum: 0.5, hits: 0.0 });
    let mut calibration = Calibration::new(3);
    observe(&mut calibration, &[1.0, 1.0, 1.0], 0);
    assert_eq!((calibration.slope, calibration.curvature), (2.0, 1.0001));
}

/// The requirements of scikit-learn: the predicted class is the likeliest, and with two classes the probability
/// increases with the score.
#[test]
fn the_predicted_class_is_the_likeliest() {
    let mut rng = Rng::new(12);
    for classes in [2, 3, 6] {
        let mut calibration = Calibration::new(classes);
        for t in 0..3000 {
            let f = scores(classes, &mut rng);
            let class =
                if rng.index(3) == 0 { 0 } else { draw(&vec![1.0 / classes as f64; classes], &mut rng) };
            if t % 10 == 0 {
                let p = probabilities(&calibration, &f);
                let predicted = if classes == 2 { usize::from(f[0] > 0.0) } else { top(&f) };
                assert!((0..classes).all(|k| k == predicted || p[k] < p[predicted]), "{f:?}: {p:?}");
            }
            observe(&mut calibration, &f, class);
        }
        if classes == 2 {
            let second = |i: i32| probabilities(&calibration, &[f64::from(i) * 0.01])[1];
            assert!((-500..500).all(|i| second(i) < second(i + 1)), "{:?}", calibration.bins);
        }
    }
}

#[test]
fn the_slope_of_a_logistic_stream_is_recovered() {
    for (seed, (classes, a)) in (0..).zip([(2, 1.3), (2, 5.0), (2, 0.3), (4, 0.7), (6, 5.0)]) {
        let (mut calibration, mut rng) = (Calibration::new(classes), Rng::new(seed));
        for _ in 0..30_000 {
            let f = scores(classes, &mut rng);
            let p = if classes == 2 { softmax(a, &[0.0, f[0]]) } else { softmax(a, &f) };
            observe(&mut calibration, &f, draw(&p, &mut rng));
        }
        let found = calibration.slope;
        assert!((found - a).abs() < 0.05 * a + 0.05, "{classes} classes: a = {found}, not {a}");
    }
}

/// The expected calibration error: the distance of the predicted class' probability from its accuracy, in 15 bins.
#[derive(Default)]
struct Ece([f64; 15]);

impl Ece {
    fn count(&mut self, p: &[f64], class: usize) {
        let confidence = p[top(p)];
        let hit = if top(p) == class { 1.0 } else { 0.0 };
        self.0[((15.0 * confidence) as usize).min(14)] += confidence - hit;
    }

    fn of(&self, rows: f64) -> f64 {
        self.0.iter().map(|sum| sum.abs()).sum::<f64>() / rows
    }
}

/// Classes that do not follow a sigmoid of the scores: a third of them are random.
#[test]
fn a_miscalibrated_stream_is_calibrated() {
    for (seed, classes) in (0..).zip([2, 2, 5, 20]) {
        let (mut calibration, mut rng) = (Calibration::new(classes), Rng::new(seed));
        let (fixed, mut before, mut after) = (Calibration::new(classes), Ece::default(), Ece::default());
        for t in 0..20_000 {
            let f = scores(classes, &mut rng);
            let all = if classes == 2 { vec![0.0, f[0]] } else { f.clone() };
            let class =
                if rng.index(3) == 0 { rng.index(classes) } else { draw(&softmax(9.0, &all), &mut rng) };
            if t >= 10_000 {
                before.count(&probabilities(&fixed, &f), class);
                after.count(&probabilities(&calibration, &f), class);
            }
            observe(&mut calibration, &f, class);
        }
        let (before, after) = (before.of(1e4), after.of(1e4));
        assert!(before > 0.04 && after < 0.02, "{classes} classes: {before}, {after}");
    }
}

/// After a drift the rows before count less, so that bins follow a model that gets worse.
#[test]
fn bins_forget_after_drift() {
    let mut calibration = Calibration::new(3);
    let f = [1e3, 0.0, 0.0];
    (0..20_000).for_each(|_| observe(&mut calibration, &f, 0));
    assert!(probabilities(&calibration, &f)[0] > 0.999);
    calibration.limit_rows(32.0);
    assert!((calibration.bins.iter().map(|bin| bin.rows).sum::<f64>() - 32.0).abs() < 1e-9);
    assert!(calibration.is_valid());
    for t in 0..1000 {
        observe(&mut calibration, &f, t % 2);
        // At the maximum slope the probabilities of the other classes underflow to zero.
        assert_eq!(probabilities(&calibration, &f)[1], probabilities(&calibration, &f)[2]);
    }
    assert!((probabilities(&calibration, &f)[0] - 0.5).abs() < 0.05);
}

fn assert_probabilities(p: &[f64]) {
    assert!(p.iter().all(|p| (0.0..=1.0).contains(p)), "{p:?}");
    assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{p:?}");
}

#[test]
fn any_scores_have_probabilities() {
    let mut rng = Rng::new(3);
    for classes in [2, 3, 10, 1000] {
        let outputs = if classes == 2 { 1 } else { classes };
        let mut calibration = Calibration::new(classes);
        for _ in 0..if classes < 100 { 5000 } else { 300 } {
            let scale = [0.0, 1e-300, 1e-3, 1.0, 15.0, 400.0, 1e30, 1e200, f64::MAX][rng.index(9)];
            let common = [0.0, 0.0, 1e30][rng.index(3)];
            let f: Vec<f64> = (0..outputs).map(|_| common + scale * (2.0 * rng.uniform() - 1.0)).collect();
            assert_probabilities(&probabilities(&calibration, &f));
            observe(&mut calibration, &f, rng.index(classes));
            assert_probabilities(&probabilities(&calibration, &f));
            assert!(calibration.is_valid(), "{calibration:?}");
        }
    }
}
