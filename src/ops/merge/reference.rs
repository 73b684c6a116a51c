//! What the solver is tested against: the weight degradation by its definition and as a sum of squares, its
//! minimum by golden section, and random pairs.

use crate::float::Real;
use crate::ops::{Level, Ops};
use crate::rng::Rng;
use std::f64::consts::{LN_2, LOG2_E};

/// The definition.
pub(super) fn weight_degradation(p: f64, q: f64, r: f64, k: f64, h: f64) -> f64 {
    let (u, v) = (k.powf((1.0 - h) * (1.0 - h)), k.powf(h * h));
    p + q + 2.0 * r * k - (p * u * u + 2.0 * r * u * v + q * v * v)
}

/// The minimum of a single pair.
pub(super) fn polish_one<T: Real>(level: Level, c: &PairCase) -> (f64, f64) {
    let pairs = c.numbers().map(|x| {
        let mut lanes = T::Array::default();
        lanes.as_mut().fill(x);
        lanes
    });
    let (wd, h) = Ops::<T>::at(level).polish(T::from_f64(c.p), &pairs);
    (wd.as_ref()[0].to_f64(), h.as_ref()[0].to_f64())
}

/// A pair in units of `q = 1`.
#[derive(Debug, Clone, Copy)]
pub(super) struct NormalizedPair {
    /// `sqrt(p/q)`.
    pub(super) s: f64,
    /// `(1 + rho)/2`.
    pub(super) cp: f64,
    /// `(1 - rho)/2`.
    pub(super) cm: f64,
    /// `-ln k`.
    pub(super) l: f64,
}

impl NormalizedPair {
    /// `F(h)`; h is stationary where they are equal.
    pub(super) fn stationary(&self, h: f64) -> f64 {
        let em = (-self.l * (1.0 - 2.0 * h)).exp_m1();
        let (b, y) = (self.s * em + self.s, 1.0 - self.s - self.s * em);
        b * (2.0 * self.cp - y) / (self.cp * (1.0 + b).powi(2) + self.cm * y * y)
    }

    /// By how much the solver's formulas magnify rounding, relatively: near-dipoles with `h ~ L^(-1/3)`
    /// cancel by `L^(-2/3)`, and angles close to 0 or 180 degrees are not given any better.
    pub(super) fn condition(&self) -> f64 {
        let angle = self.cp * self.cm;
        1.0 + self.l.max(1e-30).powf(-2.0 / 3.0) + if angle > 0.0 { 1.0 / angle } else { 0.0 }
    }

    /// `WD/q`, to nearly full accuracy at any h.
    ///
    /// Around z the feature map is a Taylor series: degree n of `a_m phi(x_m) + a_n phi(x_n)` has the squared
    /// norm `2^n/n! |A a_m/|a_m| + B a_n/|a_n||^2`, `A = s u alpha^n`, `B = v beta^n`,
    /// `alpha = (1 - h) sqrt L`, `beta = -h sqrt L`. The merged vector is the part of degree 0; WD is the
    /// rest, a sum of squares.
    pub(super) fn degradation(&self, h: f64) -> f64 {
        let &Self { s, cp, cm, l } = self;
        let (alpha, beta) = ((1.0 - h) * l.sqrt(), -h * l.sqrt());
        if l > 4.0 {
            let lost = |x: f64| -(-x).exp_m1();
            // Far apart there is nothing to cancel in the definition, written with 1 - e^-x.
            return s * s * lost(2.0 * alpha * alpha)
                + lost(2.0 * beta * beta)
                + 2.0 * (cp - cm) * s * (-l).exp() * lost(2.0 * alpha * beta);
        }
        // For h < 0 both are positive and may be nearly equal: their difference by the logarithm of their
        // ratio. For h >= 0 that is NaN or far from zero.
        let (log_uv, log_degree) = ((s - 1.0).ln_1p() - l * (1.0 - 2.0 * h), (-1.0 / h).ln_1p());
        let (mut a, mut b) = (s * (-alpha * alpha).exp(), (-beta * beta).exp());
        let (mut weight, mut sum) = (1.0, 0.0);
        let largest = 2.0 * alpha.abs().max(beta.abs()).powi(2);
        for n in 1..400 {
            let n = f64::from(n);
            a *= alpha;
            b *= beta;
            weight *= 2.0 / n;
            let log_ratio = log_uv + n * log_degree;
            let difference = if log_ratio.abs() < 0.5 { b * log_ratio.exp_m1() } else { a - b };
            sum += weight * (cp * (a + b) * (a + b) + cm * difference * difference);
            if n > largest && weight * (a.abs() + b.abs()).powi(2) <= 1e-18 * sum {
                break;
            }
        }
        sum
    }

    /// `(WD/q, h)` at the minimum over `[-reach, 1/2]`, by golden section: between there and 1/2 g has one
    /// maximum.
    pub(super) fn minimum(&self, reach: f64) -> (f64, f64) {
        let golden = 0.5 * (5f64.sqrt() - 1.0);
        let (mut low, mut high) = (-(4.0 / self.l.sqrt()).min(reach), 0.5);
        let mut left = high - golden * (high - low);
        let mut right = low + golden * (high - low);
        let (mut at_left, mut at_right) = (self.degradation(left), self.degradation(right));
        let mut best = (self.degradation(high), high);
        let at_low = self.degradation(low);
        if at_low < best.0 {
            best = (at_low, low);
        }
        // WD grows with the square of the distance, so a small part of the scale of h is enough.
        let scale = 1e-9 * self.l.sqrt().min(1.0);
        for _ in 0..200 {
            if high - low <= scale * low.abs().min(high.abs()).min(1.0) {
                break;
            }
            if at_left < at_right {
                (high, right, at_right) = (right, left, at_left);
                left = high - golden * (high - low);
                at_left = self.degradation(left);
            } else {
                (low, left, at_left) = (left, right, at_right);
                right = low + golden * (high - low);
                at_right = self.degradation(right);
            }
            for (wd, h) in [(at_left, left), (at_right, right)] {
                if wd < best.0 {
                    best = (wd, h);
                }
            }
        }
        best
    }
}

/// A pair: `|a_m|^2`, `|a_n|^2`, `a_m . a_n`, `log2 k`.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairCase {
    pub(super) p: f64,
    pub(super) q: f64,
    pub(super) r: f64,
    pub(super) y: f64,
}

impl PairCase {
    /// `q`, `r` and `y` in numbers of a type.
    pub(super) fn numbers<T: Real>(&self) -> [T; 3] {
        [self.q, self.r, self.y].map(T::from_f64)
    }

    /// A random pair, exact in f64. Half of all have equal norms or parallel rows, as with one class and the
    /// hinge loss; a tenth stands near where two maxima of g part (`L = 2 c+` at equal norms). `decades` is
    /// how far `p/q`, `1 - |rho|` and `1 - k` go.
    pub(super) fn random(rng: &mut Rng, decades: f64) -> Self {
        let small = |rng: &mut Rng| 10f64.powf(-decades * rng.uniform());
        let s = match rng.index(4) {
            0 => 1.0,
            1 => 1.0 - small(rng),
            2 => small(rng),
            _ => rng.uniform().max(1e-3),
        };
        let rho = match rng.index(8) {
            0 | 1 => 1.0,
            2 => -1.0,
            3 => 1.0 - small(rng),
            4 => small(rng) - 1.0,
            5 => 0.0,
            _ => 2.0 * rng.uniform() - 1.0,
        };
        let y = match rng.index(10) {
            0 => -LOG2_E * (1.0 + rho) * (1.0 + small(rng) * (rng.uniform() - 0.5)),
            1 | 2 => -60.0 * rng.uniform(),
            3..=5 => -small(rng).powi(2),
            _ => rng.uniform().max(1e-9).log2(),
        };
        // 24 bits each, so that products of two are exact.
        let (s, rho) = (f64::from((s as f32).max(1e-6)), f64::from(rho as f32));
        let q = 4f64.powi(rng.index(21) as i32 - 10);
        Self { p: s * s * q, q, r: s * rho * q, y: y.min(0.0) }
    }

    /// A random pair with `p/q`, `rho` and k uniform; rows are parallel in half of all.
    pub(super) fn uniform(rng: &mut Rng) -> Self {
        let (p, k) = (rng.uniform().max(1e-9), rng.uniform().max(1e-9));
        let rho = [1.0, -1.0, 2.0 * rng.uniform() - 1.0, 2.0 * rng.uniform() - 1.0][rng.index(4)];
        Self { p, q: 1.0, r: rho * p.sqrt(), y: k.log2() }
    }

    /// With every number rounded to T, and still `p <= q`.
    pub(super) fn rounded<T: Real>(self) -> Self {
        let round = |x: f64| T::from_f64(x).to_f64();
        Self { p: round(self.p), q: round(self.q), r: round(self.r), y: round(self.y) }
    }

    /// In units of q; rows within `snap` of parallel are parallel, as the solver takes them.
    pub(super) fn shape(&self, snap: f64) -> NormalizedPair {
        let s = (self.p / self.q).sqrt();
        let cp = (0.5 + 0.5 * (self.r / (self.q * s))).clamp(0.0, 1.0);
        let cp = if cp < snap { 0.0 } else { cp };
        let cp = if cp > 1.0 - snap { 1.0 } else { cp };
        NormalizedPair { s, cp, cm: 1.0 - cp, l: self.y.abs() * LN_2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: u64 = 5;

    #[test]
    fn the_sum_of_squares_is_the_definition() {
        let mut rng = Rng::new(SEED);
        for _ in 0..200_000 {
            let c = PairCase::random(&mut rng, 2.0);
            let shape = c.shape(0.0);
            let h = 3.0 * rng.uniform() - 2.5;
            let direct = weight_degradation(c.p, c.q, c.r, c.y.exp2(), h) / c.q;
            let wd = shape.degradation(h);
            assert!(
                (wd - direct).abs() <= 4e-15 * (1.0 + h * h),
                "seed {SEED}: {c:?} at {h}: {wd}, not {direct}"
            );
        }
    }

    #[test]
    fn golden_section_finds_what_a_scan_finds() {
        let mut rng = Rng::new(SEED);
        for _ in 0..300 {
            let c = PairCase::random(&mut rng, 1.0);
            let shape = c.shape(0.0);
            let reach = 2.0 / shape.l.sqrt();
            // All real h, on both sides of 1/2.
            let scan = (0..4000).map(|i| shape.degradation(reach * (f64::from(i) / 1999.5 - 1.0) + 0.5));
            let (least, h) = shape.minimum(1e6);
            let scanned = scan.fold(f64::INFINITY, f64::min);
            assert!(least <= scanned * (1.0 + 1e-12), "seed {SEED}: {c:?}: {least} at {h}, a scan {scanned}");
        }
    }
}
