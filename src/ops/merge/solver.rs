//! The minimiser of the weight degradation for a vector of partners, by a fixed number of Halley steps.

use super::pair::Pair;
use crate::float::{Real, Vector};

/// The weight degradation and its h for vectors of pairs `(m, n)`, after `STEPS` Halley steps; `N` vectors at once: a
/// chain of divisions and exponentials is bound by latency, several side by side are not.
///
/// A lane of padding may hold `q = 1e30`, `r = 0`. Nothing overflows and no NaN comes out. What is returned is the
/// degradation *at the returned h*: an upper bound on the least one for any `STEPS`, 0 included. After two
/// steps it exceeds the least one by at most 0.09% (three: 0.006%), and by more than 1e-5 of it only where
/// two maxima of g are about to part.
#[inline(always)]
pub(in crate::ops) fn solve<T: Real, V: Vector<T>, const N: usize, const STEPS: usize>(
    pairs: &[Pair<T, V>; N],
) -> [(V, V); N] {
    let zero = pairs[0].cp.broadcast(T::ZERO);
    let mut h = [zero; N];
    let mut solved = [(zero, zero); N];
    for i in 0..N {
        h[i] = pairs[i].start();
    }
    for _ in 0..STEPS {
        for i in 0..N {
            h[i] = pairs[i].step(h[i]);
        }
    }
    for i in 0..N {
        solved[i] = (pairs[i].degradation(h[i]), h[i]);
    }
    solved
}

#[cfg(test)]
mod tests {
    use crate::float::Real;
    use crate::ops::merge::reference::PairCase;
    use crate::ops::{Level, Ops, all_levels, fused_levels, level};
    use crate::rng::Rng;

    const SEED: u64 = 11;
    /// What the solver takes for parallel rows in f32.
    const SNAP: f64 = 2e-7;
    /// How far it lets h go.
    const REACH: f64 = 1e3;

    fn solved<T: Real, const STEPS: usize>(level: Level, cases: &[PairCase]) -> Vec<(f64, f64)> {
        let ops = Ops::<T>::at(level);
        let solve = |c: &PairCase| {
            let pair = c.numbers::<T>().map(all);
            let [(wd, h), _] = ops.solve(STEPS, T::from_f64(c.p), [pair; 2]);
            (wd[0].to_f64(), h[0].to_f64())
        };
        cases.iter().map(solve).collect()
    }

    /// Every lane the same.
    fn all<T: Real>(x: T) -> T::Array {
        let mut lanes = T::Array::default();
        lanes.as_mut().fill(x);
        lanes
    }

    fn cases(n: usize, mut draw: impl FnMut(&mut Rng) -> PairCase) -> Vec<PairCase> {
        let mut rng = Rng::new(SEED);
        (0..n).map(|_| draw(&mut rng)).collect()
    }

    /// The largest relative error of WD at the returned h, and the share of those above 1e-5.
    fn errors<const STEPS: usize>(cases: &[PairCase]) -> (f64, f64) {
        let (mut worst, mut above) = (0.0, 0.0);
        for (c, (_, h)) in cases.iter().zip(solved::<f32, STEPS>(level(), cases)) {
            let shape = c.shape(SNAP);
            let (least, _) = shape.minimum(REACH);
            let error = (shape.degradation(h) - least) / least;
            worst = f64::max(worst, error);
            above += f64::from(error > 1e-5) / cases.len() as f64;
        }
        (worst, above)
    }

    #[test]
    fn steps_reach_their_figures() {
        let uniform = cases(30_000, |rng| PairCase::uniform(rng).rounded::<f32>());
        let (worst, above) = errors::<2>(&uniform);
        assert!(worst < 8.5e-4 && above < 1e-3, "seed {SEED}: {worst:.2e}, above 1e-5 in {above:.5}");
        // A tenth of these stand where two maxima part, the worst case of all.
        let hard = cases(30_000, |rng| PairCase::random(rng, 3.0).rounded::<f32>());
        let (worst, above) = errors::<2>(&hard);
        assert!(worst < 8.7e-4 && above < 3e-2, "seed {SEED}: {worst:.2e}, above 1e-5 in {above:.5}");
        let (worst, _) = errors::<3>(&hard);
        assert!(worst < 5.5e-5, "seed {SEED}: {worst:.2e}");
    }

    #[test]
    fn two_steps_rank_to_a_thousandth() {
        let hard = cases(30_000, |rng| PairCase::random(rng, 6.0).rounded::<f32>());
        for (c, (wd, _)) in hard.iter().zip(solved::<f32, 2>(level(), &hard)) {
            let least = c.q * c.shape(SNAP).minimum(REACH).0;
            assert!(
                (wd - least).abs() <= 1e-3 * least + 1e-7 * c.p,
                "seed {SEED}: {c:?} loses {least}, not {wd}"
            );
        }
    }

    fn values_are_exact<T: Real, const STEPS: usize>(level: Level, snap: f64, epsilon: f64) {
        let hard = cases(100_000, |rng| PairCase::random(rng, 6.0).rounded::<T>());
        for (c, (wd, h)) in hard.iter().zip(solved::<T, STEPS>(level, &hard)) {
            let shape = c.shape(snap);
            let exact = c.q * shape.degradation(h);
            assert!(
                (wd - exact).abs() <= 30.0 * epsilon * shape.condition() * exact,
                "seed {SEED}, {} after {STEPS} steps: {c:?} at {h} loses {exact}, not {wd}",
                T::NAME
            );
        }
    }

    #[test]
    fn the_degradation_is_that_of_the_returned_h() {
        for level in all_levels() {
            values_are_exact::<f32, 0>(level, SNAP, 6e-8);
            values_are_exact::<f32, 1>(level, SNAP, 6e-8);
            values_are_exact::<f32, 2>(level, SNAP, 6e-8);
            values_are_exact::<f64, 0>(level, 4e-16, 1.1e-16);
            values_are_exact::<f64, 2>(level, 4e-16, 1.1e-16);
        }
    }

    #[test]
    fn h_stays_where_an_optimum_can_be() {
        let hard = cases(200_000, |rng| PairCase::random(rng, 3.0).rounded::<f32>());
        for (c, (_, h)) in hard.iter().zip(solved::<f32, 2>(level(), &hard)) {
            let shape = c.shape(SNAP);
            let centroid = (c.p + c.r) / (c.p + c.q + 2.0 * c.r);
            let fits = if shape.cp >= 0.5 {
                (0.0..=centroid * (1.0 + 1e-3)).contains(&h)
            } else {
                h <= 0.5 && (h >= 0.0 || -h * shape.l.sqrt() <= 0.5f64.sqrt())
            };
            assert!(fits, "seed {SEED}: {c:?} got {h}");
        }
    }

    #[test]
    fn pairs_by_hand() {
        let log2_e = std::f64::consts::LOG2_E;
        // k = 1: nothing is lost; same signs meet at the centroid, an opposite one goes beyond x_n.
        // k = 1/e, equal rows: h = 1/2 loses 2 (1 - sqrt k)^2. k = 0: a_m is lost.
        let cases = [
            (PairCase { p: 1.0, q: 4.0, r: 2.0, y: 0.0 }, 0.0, 1.0 / 3.0),
            (PairCase { p: 1.0, q: 4.0, r: -2.0, y: 0.0 }, 0.0, -1.0),
            (PairCase { p: 1.0, q: 4.0, r: 0.0, y: 0.0 }, 0.0, 0.2),
            (PairCase { p: 1.0, q: 1.0, r: 1.0, y: -log2_e }, 2.0 * (1.0 - (-0.5f64).exp()).powi(2), 0.5),
            (PairCase { p: 3.0, q: 7.0, r: 1.0, y: -1e6 }, 3.0, 0.0),
            (PairCase { p: 3.0, q: 7.0, r: -1.0, y: f64::NEG_INFINITY }, 3.0, 0.0),
        ];
        let inputs = cases.map(|(c, ..)| c);
        let (single, double) = (solved::<f32, 2>(level(), &inputs), solved::<f64, 6>(level(), &inputs));
        for (i, (c, wd, h)) in cases.into_iter().enumerate() {
            for (got, tolerance) in [(single[i], 1e-6), (double[i], 1e-14)] {
                assert!((got.0 - wd).abs() <= tolerance && (got.1 - h).abs() <= tolerance, "{c:?}: {got:?}");
            }
        }
    }

    fn extremes_are_finite<T: Real>(least: f64, largest: f64) {
        let mut all = Vec::new();
        for p in [least * 1e-6, least, 1e-12, 1.0] {
            for q in [p, p * (1.0 + 1e-6), 2.0 * p, 1.0, 1e12, largest] {
                for rho in [-1.0, -1.0 + 1e-6, -0.5, 0.0, 1e-9, 0.5, 1.0 - 1e-6, 1.0] {
                    for y in
                        [0.0, -1e-300, -1e-30, -1e-12, -1e-6, -1.0, -2.885, -60.0, -1e5, f64::NEG_INFINITY]
                    {
                        all.push(PairCase { p, q: q.max(p), r: rho * p.sqrt() * q.max(p).sqrt(), y });
                    }
                }
            }
        }
        for level in all_levels() {
            for (c, (wd, h)) in all.iter().zip(solved::<T, 2>(level, &all)) {
                assert!(wd.is_finite() && wd >= 0.0 && h.is_finite() && h <= 0.5, "{c:?}: {wd} at {h}");
                let real = c.p >= least && c.q <= 1e12 * c.p;
                assert!(!real || wd <= 1.001 * c.p, "{c:?}: loses {wd} at {h}, more than dropping m");
            }
        }
    }

    #[test]
    fn nothing_overflows() {
        extremes_are_finite::<f32>(1e-30, 1e30);
        extremes_are_finite::<f64>(1e-280, 1e30);
    }

    #[test]
    fn parallel_rows_are_recognised() {
        let mut rng = Rng::new(SEED);
        for _ in 0..100_000 {
            let (a, b) = (rng.normal() as f32, rng.normal() as f32);
            let (p, q) = ((a * a).min(b * b), (a * a).max(b * b));
            let cp = Ops::<f32>::at(level()).cp(p, [q, a * b, -1.0]);
            assert_eq!(cp, if a * b > 0.0 { 1.0 } else { 0.0 }, "seed {SEED}: {a} and {b}");
        }
    }

    #[test]
    fn lanes_and_fused_levels_agree_bit_for_bit() {
        fn by_lanes<T: Real>(level: Level, cases: &[PairCase]) -> Vec<(f64, f64)> {
            let ops = Ops::<T>::at(level);
            let mut out = Vec::new();
            for part in cases.chunks_exact(2 * T::LANES) {
                let vector = |i: usize| {
                    let mut qry = [T::Array::default(); 3];
                    for (j, c) in part[i * T::LANES..(i + 1) * T::LANES].iter().enumerate() {
                        for (lanes, x) in qry.iter_mut().zip(c.numbers()) {
                            lanes[j] = x;
                        }
                    }
                    qry
                };
                for (wd, h) in ops.solve(2, T::ONE, [vector(0), vector(1)]) {
                    out.extend((0..T::LANES).map(|j| (wd[j].to_f64(), h[j].to_f64())));
                }
            }
            out
        }
        let unit = |rng: &mut Rng| {
            let c = PairCase::random(rng, 3.0);
            PairCase { p: 1.0, q: c.q / c.p, r: c.r / c.p, y: c.y }.rounded::<f32>()
        };
        let cases = cases(32 * 500, unit);
        for fused in fused_levels() {
            assert_eq!(by_lanes::<f32>(fused, &cases), solved::<f32, 2>(fused_levels()[0], &cases));
            assert_eq!(by_lanes::<f64>(fused, &cases), solved::<f64, 2>(fused_levels()[0], &cases));
        }
    }
}
