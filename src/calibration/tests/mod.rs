mod file;

use super::*;
use crate::rng::Rng;

/// All rows with the probabilities they had; curvature and bins are computed anew from all of them.
struct Oracle {
    classes: usize,
    slope: f64,
    intercept: f64,
    /// Scores, class, and uncorrected probabilities.
    rows: Vec<(Vec<f64>, usize, Vec<f64>)>,
}

fn top(p: &[f64]) -> usize {
    p.iter().position(|x| p.iter().all(|y| x >= y)).unwrap()
}

impl Oracle {
    fn uncorrected(&self, f: &[f64]) -> Vec<f64> {
        let scores = if f.len() == 1 { vec![0.0, self.slope * f[0] + self.intercept] } else { f.to_vec() };
        let slope = if f.len() == 1 { 1.0 } else { self.slope };
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let powers: Vec<f64> = scores.iter().map(|f| (slope * (f - most)).exp()).collect();
        powers.iter().map(|power| power / powers.iter().sum::<f64>()).collect()
    }

    fn bin(&self, p: &[f64]) -> usize {
        let least = 1.0 / self.classes as f64;
        ((p[top(p)] - least) / (1.0 - least) * 20.0).floor().min(19.0) as usize
    }

    fn probabilities(&self, f: &[f64]) -> Vec<f64> {
        let p = self.uncorrected(f);
        let (mut rows, mut hits) = (0.0, 0.0);
        for (_, class, q) in self.rows.iter().filter(|(_, _, q)| self.bin(q) == self.bin(&p)) {
            rows += 1.0;
            hits += if top(q) == *class { 1.0 } else { 0.0 };
        }
        let c = (hits + 10.0 * p[top(&p)]) / (rows + 10.0);
        let others = (1.0 - c) / (0..p.len()).map(|k| if k == top(&p) { 0.0 } else { p[k] }).sum::<f64>();
        (0..p.len()).map(|k| if k == top(&p) { c } else { others * p[k] }).collect()
    }

    /// `H = I + sum (1 - 1e-4)^age H_row`, then one step against the gradient of the last row.
    fn observe(&mut self, f: &[f64], class: usize) {
        self.rows.push((f.to_vec(), class, self.uncorrected(f)));
        let (mut aa, mut ab, mut bb) = (1.0, 0.0, 1.0);
        let mut gradient = [0.0; 2];
        for (age, (f, class, p)) in self.rows.iter().rev().enumerate() {
            let faded = (1.0 - 1e-4_f64).powi(age as i32);
            let mean = |g: &dyn Fn(usize) -> f64| (0..p.len()).map(|k| p[k] * g(k)).sum::<f64>();
            let derivatives = if f.len() == 1 {
                let w = faded * (p[0] * p[1]).max(1e-4);
                (aa, ab, bb) = (aa + w * f[0] * f[0], ab + w * f[0], bb + w);
                [(p[1] - *class as f64) * f[0], p[1] - *class as f64]
            } else {
                let centre = mean(&|k| f[k]);
                aa += faded * mean(&|k| (f[k] - centre).powi(2)).max(1e-4);
                [centre - f[*class], 0.0]
            };
            if age == 0 {
                gradient = derivatives;
            }
        }
        let [a, b] = gradient;
        self.slope -= (bb * a - ab * b) / (aa * bb - ab * ab);
        self.intercept -= (aa * b - ab * a) / (aa * bb - ab * ab);
        self.slope = self.slope.clamp(0.05, 50.0);
    }
}

/// A class of these probabilities.
fn draw(p: &[f64], rng: &mut Rng) -> usize {
    let mut left = rng.unit();
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
    calibration.probabilities(f, &mut out);
    out
}

#[test]
fn agrees_with_an_oracle_that_keeps_all_rows() {
    let mut rng = Rng::new(1);
    for (classes, scale) in [(2, 1.0), (2, 0.2), (2, 4.0), (3, 1.0), (7, 0.5), (4, 8.0)] {
        let mut calibration = Calibration::new(classes);
        let mut oracle = Oracle { classes, slope: 2.0, intercept: 0.0, rows: Vec::new() };
        for t in 0..400 {
            let f: Vec<f64> = scores(classes, &mut rng).iter().map(|f| scale * f).collect();
            let (found, expected) = (probabilities(&calibration, &f), oracle.probabilities(&f));
            let close = found.iter().zip(&expected).all(|(p, q)| (p - q).abs() < 1e-6);
            assert!(close, "{classes} classes, row {t}: {found:?}, not {expected:?}");
            let class =
                draw(&softmax(1.5, &if classes == 2 { vec![-0.2, f[0]] } else { f.clone() }), &mut rng);
            calibration.observe(&f, class);
            oracle.observe(&f, class);
            let (a, b) = (calibration.slope, calibration.intercept);
            assert!((a - oracle.slope).abs() < 1e-8 * a, "{classes} classes, row {t}: {a}");
            assert!((b - oracle.intercept).abs() < 1e-8, "{classes} classes, row {t}: {b}");
            assert!(calibration.is_legal());
        }
    }
}

#[test]
fn first_rows_by_hand() {
    let mut calibration = Calibration::new(2);
    assert_eq!(probabilities(&calibration, &[0.0]), [0.5, 0.5]);
    calibration.observe(&[0.0], 1);
    // w = 1/4, p - y = -1/2, H = diag(1, 5/4); the first class, which ties are counted for, was not right.
    assert_eq!((calibration.slope, calibration.intercept), (2.0, 0.4));
    assert_eq!(calibration.bins[0], Bin { rows: 1.0, hits: 0.0 });
    let mut calibration = Calibration::new(3);
    calibration.observe(&[1.0, 1.0, 1.0], 0);
    assert_eq!((calibration.slope, calibration.curvature), (2.0, [1.0001, 0.0, 1.0]));
    // 10/3 + 1 of 11 rows.
    let p = probabilities(&calibration, &[5.0; 3]);
    assert!(
        p.iter().zip([13.0, 10.0, 10.0]).all(|(p, expected)| (p - expected / 33.0).abs() < 1e-15),
        "{p:?}"
    );
}

#[test]
fn slope_and_intercept_of_a_logistic_stream_are_recovered() {
    for (seed, (classes, a, b)) in
        (0..).zip([(2, 1.3, 0.5), (2, 5.0, -2.0), (2, 0.3, 0.0), (4, 0.7, 0.0), (6, 5.0, 0.0)])
    {
        let (mut calibration, mut rng) = (Calibration::new(classes), Rng::new(seed));
        for _ in 0..30_000 {
            let f = scores(classes, &mut rng);
            let p = if classes == 2 { softmax(1.0, &[0.0, a * f[0] + b]) } else { softmax(a, &f) };
            calibration.observe(&f, draw(&p, &mut rng));
        }
        let (found_a, found_b) = (calibration.slope, calibration.intercept);
        assert!((found_a - a).abs() < 0.05 * a + 0.05, "{classes} classes: a = {found_a}, not {a}");
        assert!((found_b - b).abs() < 0.15, "{classes} classes: b = {found_b}, not {b}");
    }
}

/// The expected calibration error: how far the likeliest class' probability is from the share of hits, in 15 bins.
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

/// Classes that no sigmoid of the scores describes: a third of them are random.
#[test]
fn a_miscalibrated_stream_is_calibrated() {
    for (seed, classes) in (0..).zip([2, 2, 5, 20]) {
        let (mut calibration, mut rng) = (Calibration::new(classes), Rng::new(seed));
        let (fixed, mut before, mut after) = (Calibration::new(classes), Ece::default(), Ece::default());
        for t in 0..20_000 {
            let f = scores(classes, &mut rng);
            let all = if classes == 2 { vec![0.0, f[0]] } else { f.clone() };
            let class =
                if rng.below(3) == 0 { rng.below(classes) } else { draw(&softmax(9.0, &all), &mut rng) };
            if t >= 10_000 {
                before.count(&probabilities(&fixed, &f), class);
                after.count(&probabilities(&calibration, &f), class);
            }
            calibration.observe(&f, class);
        }
        let (before, after) = (before.of(1e4), after.of(1e4));
        assert!(before > 0.04 && after < 0.02, "{classes} classes: {before}, {after}");
    }
}

/// Counts are halved, so that a bin follows a model that became worse.
#[test]
fn bins_forget() {
    let mut calibration = Calibration::new(3);
    let f = [1e3, 0.0, 0.0];
    (0..20_000).for_each(|_| calibration.observe(&f, 0));
    assert!(probabilities(&calibration, &f)[0] > 0.999);
    for t in 0..6000 {
        calibration.observe(&f, t % 2);
        assert!(calibration.bins.iter().all(|bin| bin.rows <= 2000.0));
        // The slope is at its limit, where the others have no probability left to be scaled.
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
            let scale = [0.0, 1e-300, 1e-3, 1.0, 15.0, 400.0, 1e30, 1e200, f64::MAX][rng.below(9)];
            let common = [0.0, 0.0, 1e30][rng.below(3)];
            let f: Vec<f64> = (0..outputs).map(|_| common + scale * (2.0 * rng.unit() - 1.0)).collect();
            assert_probabilities(&probabilities(&calibration, &f));
            calibration.observe(&f, rng.below(classes));
            assert_probabilities(&probabilities(&calibration, &f));
            assert!(calibration.is_legal(), "{calibration:?}");
        }
    }
}
