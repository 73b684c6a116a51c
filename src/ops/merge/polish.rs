//! The minimiser to convergence, for the pairs that may be the best.

use super::pair::Pair;
use crate::float::{Mask, Real, Vector};
use crate::ops::simd::{Simd, V};

/// Three steps are the rule. It takes more than eight only where three stationary points are about to meet
/// (`p = q`, `L = 2 c+`): a triple root, which floats resolve to a third of their digits and no better, while
/// WD is flat there to the last bit.
const MAX_STEPS: usize = 16;

/// Where `|dh| <= close (1 + |h|)` the iteration has converged: 1e-13 in f64, four units in the last place in
/// f32.
#[inline(always)]
fn close<T: Real>() -> T {
    T::from_f64(if T::MANTISSA < 30 { 5e-7 } else { 1e-13 })
}

/// The weight degradation and its h for a vector of pairs, iterated from the start point until none moves any
/// more. A lane that has converged stays where it is, so that no pair depends on its neighbours.
#[inline(always)]
pub(in crate::ops) fn polish<T: Real, S: Simd<T>>(pair: &Pair<T, V<T, S>>) -> (V<T, S>, V<T, S>) {
    let (close, one) = (pair.cp.broadcast(close()), pair.cp.broadcast(T::ONE));
    let mut h = pair.start();
    let mut moves = h.le(one);
    for _ in 0..MAX_STEPS {
        let next = pair.step(h);
        let still = (next - h).abs().gt((next.abs() + one) * close);
        h = moves.select(next, h);
        moves = moves & still;
        if moves.bits() == 0 {
            break;
        }
    }
    (pair.degradation(h), h)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::merge::reference::{PairCase, polish_one};
    use crate::ops::{Ops, all_levels, level};
    use crate::rng::Rng;

    const SEED: u64 = 13;

    /// `(WD, h)` of each pair.
    fn polished<T: Real>(cases: &[PairCase]) -> Vec<(f64, f64)> {
        cases.iter().map(|c| polish_one::<T>(level(), c)).collect()
    }

    #[test]
    fn finds_the_minimum_of_golden_section() {
        let mut rng = Rng::new(SEED);
        for decades in [1.0, 3.0, 6.0] {
            let cases: Vec<PairCase> = (0..30_000).map(|_| PairCase::random(&mut rng, decades)).collect();
            for (c, (wd, h)) in cases.iter().zip(polished::<f64>(&cases)) {
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
            let c = PairCase { p: 1.0, q: 1.0, r: 1.0, y: -2.0 * std::f64::consts::LOG2_E * (1.0 + e) };
            let (wd, h) = polished::<f64>(&[c])[0];
            let (least, _) = c.shape(0.0).minimum(1.0);
            assert!(
                (wd - least).abs() <= 1e-14 && (0.49..=0.5).contains(&h),
                "e = {e}: {wd} at {h}, not {least}"
            );
        }
    }

    fn lanes_are_independent<T: Real>() {
        let mut rng = Rng::new(SEED);
        for level in all_levels() {
            for _ in 0..2000 {
                let cases: Vec<PairCase> = (0..T::LANES)
                    .map(|_| PairCase::random(&mut rng, 3.0))
                    .map(|c| PairCase { p: 1.0, q: c.q / c.p, r: c.r / c.p, y: c.y })
                    .collect();
                let mut qry = [T::Array::default(); 3];
                for (lane, c) in cases.iter().enumerate() {
                    qry.iter_mut().zip(c.numbers()).for_each(|(lanes, x)| lanes.as_mut()[lane] = x);
                }
                let (wd, h) = Ops::<T>::at(level).polish(T::ONE, &qry);
                for (lane, c) in cases.iter().enumerate() {
                    let found = (wd.as_ref()[lane].to_f64(), h.as_ref()[lane].to_f64());
                    assert_eq!(found, polish_one::<T>(level, c), "seed {SEED}, {}: {c:?}", T::NAME);
                }
            }
        }
    }

    #[test]
    fn a_pair_does_not_depend_on_its_neighbours() {
        lanes_are_independent::<f32>();
        lanes_are_independent::<f64>();
    }

    #[test]
    fn single_precision_finds_it_to_a_few_bits() {
        let mut rng = Rng::new(SEED);
        let cases: Vec<PairCase> =
            (0..30_000).map(|_| PairCase::random(&mut rng, 3.0).rounded::<f32>()).collect();
        for (c, (wd, h)) in cases.iter().zip(polished::<f32>(&cases)) {
            let shape = c.shape(2e-7);
            let (least, best) = shape.minimum(1e3);
            let found = shape.degradation(h);
            let case = || format!("seed {SEED}: {c:?}, {shape:?}, h {h}, golden section {best}");
            assert!(found <= least * (1.0 + 1e-6), "{}: loses {found}, not {least}", case());
            let tolerance = 2e-6 * shape.condition();
            assert!((wd / c.q - found).abs() <= tolerance * found, "{}: {wd} is not its loss", case());
        }
    }
}
