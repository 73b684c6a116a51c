//! Lower bounds on the weight degradation: partners whose bound exceeds a degradation already reached need no
//! solving.

use super::pair::{Pair, snap};
use super::psi::{exp2_m1, psi};
use crate::float::{Mask, Real, Vector};

/// What [`threshold`] does not go beyond: for far-apart vectors a bound by k alone is nearly p.
const MAX_BOUND_BY_K: f64 = 0.787;

/// What the bounds by k are multiplied with for `rho >= 0`: without it they hold within 4.5%, where the two
/// are equal (`p = q`, `rho = 1`, `k = 0.0975`).
const POSITIVE_RHO_FACTOR: f64 = 0.954;

/// A lower bound on the weight degradation of pairs from k alone, for any angle between their coefficients, in units of
/// p and less a tie for rounding: `min(2 (1 - r)^2, 1 - 1.472 r^3 - 2.472 r^4)` with `r = sqrt k`, less what [`lower`]
/// takes of its bounds by k. The second is `1 - k^2 - 2 k^2 L`, because `2 k^2 L` is at most `8/e k^1.75`, and `k^1.75`
/// at most `(r^3 + r^4)/2`.
#[inline(always)]
pub(in crate::ops) fn lower_by_k<T: Real, V: Vector<T>>(k: V) -> V {
    let one = k.constant(1.0);
    let root = k.sqrt();
    let (apart, cube) = (one - root, k * root);
    let far = (-cube).mul_add(root.mul_add(k.constant(2.472), k.constant(1.472)), one);
    let less = small_k(cube * k).max(k.constant(0.95)) * T::from_f64(1.0 - T::TIE_RTOL.to_f64());
    (apart * apart * k.constant(2.0)).min(far) * less
}

/// What the bounds by k are multiplied with where k is small, `1 - 16 k^2.5`, from `k^2.5`; of either sign.
#[inline(always)]
fn small_k<T: Real, V: Vector<T>>(power: V) -> V {
    power.mul_add(power.constant(-16.0), power.constant(1.0))
}

/// What a bound must exceed the best degradation by, relatively, before a candidate is dropped: more than a
/// tie, because ties are resolved by age, and more than what rounding may do.
#[inline(always)]
fn slack<T: Real>() -> f64 {
    1e-6 + 4.0 * T::TIE_RTOL.to_f64()
}

/// A `y = log2 k` that no partner whose degradation is `ub` or less is under, whatever its coefficients.
///
/// `WD >= 2 (1 - sqrt k)^2 p` while the bound is under `0.787 p` (for equal signs
/// `2 (1 - sqrt k)(1 - rho sqrt k) p`, an equality at `p = q`), so with `a^2 = ub/(2 p)` it is `2 log2(1 - a)`; as
/// `-ln(1 - a) <= (a - a^2/2)/(1 - a)`, no logarithm is taken. Partners with a smaller y can be dropped; negative
/// infinity when nothing can. The root is a true one: an approximation may cut off the best candidate itself.
#[inline(always)]
pub(super) fn threshold<T: Real>(p: T, ub: T) -> T {
    let p = p.to_f64();
    let ub = ub.to_f64() * (1.0 + slack::<T>()) + 1e-12 * p;
    if ub >= MAX_BOUND_BY_K * p {
        return -T::INFINITY;
    }
    let a = (0.5 * ub / p).sqrt();
    T::from_f64(-2.0 * std::f64::consts::LOG2_E * (a - 0.5 * a * a) / (1.0 - a))
}

/// A lower bound on the weight degradation of each pair, for any h: the larger of two.
///
/// - `p c min(2 (1 - sqrt k)(1 - rho sqrt k), 1 - k^2 (1 + 2 rho^2 L))`, where c is the larger of `1 - 16 k^2.5` and,
///   for `rho >= 0`, 0.954, for `rho < 0`, `min(0.96 - 0.11 rho, 0.99)` (measured). Without c it holds for
///   `rho <= -0.3`; for `-0.3 < rho < 0` the least degradation may be less, by 3.5% at most (`p = q`, `rho -> 0`,
///   `k = 0.3`), and for `rho >= 0` by 4.5% (`p = q`, `rho = 1`, `k = 0.0975`);
/// - the part of `a_m` orthogonal to `a_n` is lost except its share in z:
///   `p (1 - rho^2)(1 - k^(2 (1 - hc)^2))`, with `hc = max(0, (p + r)/(p + q + 2 r))`.
///
/// In units of p: see [`shortened`].
#[inline(always)]
pub(in crate::ops) fn lower<T: Real, V: Vector<T>>(pair: &Pair<T, V>) -> V {
    let q = pair.cp;
    let (zero, one) = (q.constant(0.0), q.constant(1.0));
    let rho = pair.cp - pair.cm;
    // Angles this close to 0 or 180 degrees are known no better than this.
    let unknown = q.broadcast(snap());
    let (cp, cm) = ((pair.cp - unknown).max(zero), (pair.cm - unknown).max(zero));
    let angle = cp * cm * q.constant(4.0);
    let near = -exp2_m1(pair.y * q.constant(0.5));
    // 1 - rho sqrt k, by 1 - sqrt k.
    let slope = rho.mul_add(near, cm + cm);
    let both = (near + near) * slope;
    // 1 - k^2 (1 + 2 rho^2 L), by psi(2L).
    let root_k = one - near;
    let k2 = root_k * root_k * (root_k * root_k);
    let far = psi(pair.l + pair.l, k2);
    let far = (pair.l + pair.l).mul_add(k2 * angle, far);
    let negative = rho.mul_add(q.constant(-0.11), q.constant(0.96)).min(q.constant(0.99));
    let least = rho.ge(zero).select(q.constant(POSITIVE_RHO_FACTOR), negative);
    let by_k = both.min(far) * small_k(k2 * root_k).max(least);
    let away = one - pair.centroid();
    let by_angle = -(angle * exp2_m1((pair.y + pair.y) * away * away));
    by_k.max(by_angle)
}

/// What [`lower`] is multiplied with: p, less what rounding and ties may do.
#[inline(always)]
pub(in crate::ops) fn shortened<T: Real>(p: T) -> T {
    T::from_f64((1.0 - slack::<T>()) * p.to_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::merge::reference::{PairCase, polish_one};
    use crate::ops::{Ops, level};
    use crate::rng::Rng;

    const SEED: u64 = 17;

    /// The bound, the threshold under the least degradation and the least degradation itself.
    fn bounds<T: Real>(cases: &[PairCase]) -> Vec<(f64, f64, f64)> {
        let ops = Ops::<T>::at(level());
        let bound = |c: &PairCase| {
            let p = T::from_f64(c.p);
            let (wd, _) = polish_one::<f64>(level(), c);
            let by_k = c.p * ops.lower_by_k(T::from_f64(c.y.exp2())).to_f64();
            let rounding = 1e-7 * c.p;
            assert!(by_k <= wd + rounding, "{}: {c:?} loses {wd}, less than {by_k}", T::NAME);
            (ops.lower(p, c.numbers()).to_f64(), threshold(p, T::from_f64(wd)).to_f64(), wd)
        };
        cases.iter().map(bound).collect()
    }

    fn bounds_hold<T: Real>(n: usize, draw: impl Fn(&mut Rng) -> PairCase) -> f64 {
        let mut rng = Rng::new(SEED);
        let cases: Vec<PairCase> = (0..n).map(|_| draw(&mut rng).rounded::<T>()).collect();
        let mut slacks = Vec::new();
        for (c, (bound, threshold, wd)) in cases.iter().zip(bounds::<T>(&cases)) {
            assert!(
                bound >= 0.0 && bound <= wd,
                "seed {SEED}, {}: {c:?} loses {wd}, less than {bound}",
                T::NAME
            );
            assert!(threshold <= c.y, "seed {SEED}, {}: {c:?} loses {wd} but is under {threshold}", T::NAME);
            slacks.push(wd / bound.max(f64::MIN_POSITIVE));
        }
        slacks.sort_by(f64::total_cmp);
        println!("median {}", slacks[n / 2]);
        slacks[n / 2]
    }

    #[test]
    fn no_pair_loses_less_than_its_bounds() {
        for decades in [1.0, 3.0, 6.0] {
            bounds_hold::<f32>(400_000, |rng| PairCase::random(rng, decades));
            bounds_hold::<f64>(400_000, |rng| PairCase::random(rng, decades));
        }
    }

    #[test]
    fn the_bound_is_close() {
        assert!(bounds_hold::<f32>(200_000, PairCase::uniform) < 1.21);
        assert!(bounds_hold::<f64>(200_000, PairCase::uniform) < 1.21);
    }

    #[test]
    fn thresholds_by_hand() {
        // WD = 2 (1 - sqrt k)^2 p for equal rows: k = 1/4 gives p/2.
        // (1/2 - 1/8)/(1 - 1/2) = 3/4 for ln 2.
        let expected = -1.5 * std::f64::consts::LOG2_E;
        let y = threshold(3.0, 1.5);
        assert!((expected - 1e-5..expected).contains(&y), "{y}");
        let y = f64::from(threshold(3.0f32, 1.5));
        assert!((expected - 4e-4..expected).contains(&y), "{y}");
        // WD/p = 0.02 at sqrt k = 0.9.
        let (y, exact) = (threshold(1.0, 0.02), 2.0 * 0.9f64.log2());
        assert!((exact * 1.002..exact).contains(&y), "{y}");
        // A copy costs nothing, and nothing but a copy can compete.
        let y = threshold(3.0, 0.0);
        assert!((-4e-6..0.0).contains(&y), "{y}");
        // No bound by k reaches 0.787 p.
        assert_eq!(threshold(1.0, 0.79), f64::NEG_INFINITY);
        assert_eq!(threshold(1.0, 1e9), f64::NEG_INFINITY);
    }
}
