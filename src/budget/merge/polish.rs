//! The minimiser to full f64 accuracy, for the pairs that rank close to the best.

use super::pair::Pair;
use fearless_simd::{Simd, SimdBase, SimdMask, f64x8};

/// Where `|dh| <= CLOSE (1 + |h|)` the iteration has converged.
const CLOSE: f64 = 1e-13;
/// From the h of two f32 steps two more are the rule and five the most for random pairs. It takes longer only
/// where three stationary points are about to meet (`p = q`, `L = 2 c+`): a triple root, which floats resolve
/// to 1e-5 and no better, while WD is flat there to the last bit.
const STEPS: usize = 16;

/// `(WD, h)` of eight pairs in f64, iterated from a given h until none moves by more than `1e-13 (1 + |h|)`.
///
/// Arguments as in [`solve`](super::solve); h as it returns it. A lane may repeat another.
#[inline(always)]
pub(crate) fn polish<S: Simd>(
    s: S,
    p: f64,
    q: f64x8<S>,
    r: f64x8<S>,
    y: f64x8<S>,
    h: f64x8<S>,
) -> (f64x8<S>, f64x8<S>) {
    let pair = Pair::<f64, S>::new(s, p, q, r, y);
    let mut h = pair.clamp(h);
    for _ in 0..STEPS {
        let next = pair.step(h);
        let moved = (next - h).max(h - next);
        let size = next.max(-next) + 1.0;
        h = next;
        if moved.simd_le(size * CLOSE).all_true() {
            break;
        }
    }
    (pair.degradation(h), h)
}

#[cfg(test)]
mod tests {
    use crate::budget::merge::reference::{Case, polish_one};
    use crate::budget::merge::solve;
    use crate::float::splat;
    use crate::rng::Rng;
    use crate::simd::dispatch;
    use fearless_simd::Level;

    const SEED: u64 = 13;

    /// `(WD, h)` of each pair, from the h of one f32 step.
    fn polished(cases: &[Case]) -> Vec<(f64, f64)> {
        dispatch!(Level::new(), s => {
            let all = |x: f64| splat::<f32, _>(s, x as f32);
            let mut out = Vec::new();
            for c in cases {
                let (_, h) = solve::<f32, _, 1>(s, c.p as f32, all(c.q), all(c.r), all(c.y));
                out.push(polish_one(s, c.p, c.q, c.r, c.y, f64::from(h[0])));
            }
            out
        })
    }

    #[test]
    fn finds_the_minimum_of_golden_section() {
        let mut rng = Rng::new(SEED);
        for decades in [1.0, 3.0, 6.0] {
            let cases: Vec<Case> = (0..30_000).map(|_| Case::random(&mut rng, decades)).collect();
            for (c, (wd, h)) in cases.iter().zip(polished(&cases)) {
                let shape = c.shape(4e-16);
                let (least, best) = shape.minimum(1e6);
                let found = shape.degradation(h);
                let case = || format!("seed {SEED}: {c:?}, {shape:?}, h {h}, golden section {best}");
                assert!(found <= least * (1.0 + 1e-14), "{}: loses {found}, not {least}", case());
                let tolerance = 3e-15 * shape.condition();
                assert!((wd / c.q - found).abs() <= tolerance * found, "{}: {wd} is not its loss", case());
                if h < 0.5 && h > -1e6 && shape.l > 0.0 {
                    let off = (shape.stationary(h) - h).abs() / (1.0 + h.abs());
                    let tolerance = 2e-13 + 4e-16 * shape.condition();
                    assert!(off <= tolerance, "{}: h is off F(h) by {off}", case());
                }
            }
        }
    }

    #[test]
    fn where_maxima_part_it_ends_and_is_as_good() {
        // Equal rows with L = 2 (1 + e): h leaves 1/2 at e = 0.
        for i in 0..2000 {
            let e = f64::from(i - 1000) * 1e-9;
            let c = Case { p: 1.0, q: 1.0, r: 1.0, y: -2.0 * std::f64::consts::LOG2_E * (1.0 + e) };
            let (wd, h) = polished(&[c])[0];
            let (least, _) = c.shape(0.0).minimum(1.0);
            assert!(
                (wd - least).abs() <= 1e-14 && (0.49..=0.5).contains(&h),
                "e = {e}: {wd} at {h}, not {least}"
            );
        }
    }
}
