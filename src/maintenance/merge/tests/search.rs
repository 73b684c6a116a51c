//! The search against a golden-section search over every partner in f64.

use super::{Rows, World, error, random_world, row};
use crate::expansion::{Slot, testing};
use crate::float::Real;
use crate::maintenance::merge::MergeSeed;
use crate::ops::merge::{Partner, PartnerSearch};
use crate::ops::{Level, all_levels, fused_levels, level};
use crate::rng::Rng;

/// `|a_z phi_z - a_m phi_m - a_n phi_n|^2` at h, and the size of its terms:
/// `p (1 - u^2) + q (1 - v^2) + 2 r (k - u v)`, each without cancellation.
fn degradation([p, q, r, l]: [f64; 4], h: f64) -> (f64, f64) {
    let uv = (-l * ((1.0 - h).powi(2) + h * h)).exp();
    let m = -p * (-2.0 * l * (1.0 - h).powi(2)).exp_m1();
    let n = -q * (-2.0 * l * h * h).exp_m1();
    let both = 2.0 * r * uv * (-2.0 * l * h * (1.0 - h)).exp_m1();
    (m + n + both, m + n + both.abs())
}

/// The smallest degradation and the size of its terms, by a golden-section search. There is one stationary point with
/// `h < 1/2`, it is the global minimum, and it lies within `1/sqrt(2 L)` of 0, where nothing underflows.
fn least(pair: [f64; 4]) -> (f64, f64) {
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let width = 1.0 / (2.0 * pair[3].max(1e-12)).sqrt();
    let (mut a, mut b) = (-width, width.min(0.5));
    let (mut c, mut d) = (b - golden * (b - a), a + golden * (b - a));
    let (mut at_c, mut at_d) = (degradation(pair, c).0, degradation(pair, d).0);
    for _ in 0..60 {
        if at_c < at_d {
            (b, d, at_d) = (d, c, at_c);
            c = b - golden * (b - a);
            at_c = degradation(pair, c).0;
        } else {
            (a, c, at_c) = (c, d, at_d);
            d = a + golden * (b - a);
            at_d = degradation(pair, d).0;
        }
    }
    let (wd, size) = degradation(pair, 0.5 * (a + b));
    (wd.max(0.0), size)
}

fn partner<T: Real>(level: Level, world: &World<T>, first: MergeSeed, m: Slot) -> Option<Partner> {
    let mut search: PartnerSearch<T> = PartnerSearch::new(world.expansion.n_simd());
    match first {
        MergeSeed::Smallest => testing::partner(level, &world.expansion, &mut search, world.kernel, m),
        MergeSeed::Newest => {
            let k = row(level, world, m);
            testing::partner_of_newest(level, &world.expansion, &mut search, &k, m)
        }
    }
}

/// Checks that the partner is the best to rounding, and the oldest of the best.
fn check<T: Real>(level: Level, world: &World<T>, first: MergeSeed, what: &str) -> Option<Slot> {
    let m = world.first(first);
    let found = partner(level, world, first, m);
    let others: Vec<Slot> = world.expansion.order().iter().filter(|&n| n != m).collect();
    let Some(found) = found else {
        assert!(others.is_empty(), "{what}: none found");
        return None;
    };
    assert!(others.contains(&found.slot), "{what}: {:?} is no partner of {m:?}", found.slot);
    let pair = world.pair(m, found.slot);
    let (got, size) = least(pair);
    let bound = error::<T>(first, got, pair[0]) + 1e-14 * size;
    for &n in &others {
        let (wd, size) = least(world.pair(m, n));
        let better = got > wd + bound + 1e-14 * size;
        assert!(!better, "{what}: {got:e} with {pair:?}, but {wd:e} with {:?}", world.pair(m, n));
    }
    // The reported degradation, and the degradation at the reported h.
    for (name, wd) in [("reported", found.degradation), ("at h", degradation(pair, found.h).0)] {
        assert!((wd - got).abs() <= bound, "{what}: {name} {wd:e}, not {got:e} ({pair:?}, h = {})", found.h);
    }
    let exact = (-pair[3] * std::f64::consts::LOG2_E).max(T::MIN_EXP.to_f64() + 10.0);
    let y = found.y.max(T::MIN_EXP.to_f64() + 10.0);
    assert!((y - exact).abs() <= 50.0 * 2f64.powi(-(T::MANTISSA as i32)) * (1.0 - exact), "{what}: y");
    // Ties of exactly equal pairs go to the oldest.
    let twin = others.iter().find(|&&n| world.pair(m, n) == pair).unwrap();
    assert!(!world.expansion.order().older(*twin, found.slot), "{what}: {twin:?} is as good and older");
    Some(found.slot)
}

fn partners_are_the_best<T: Real>(seed: u64) {
    let mut rng = Rng::new(seed);
    for (budget, times) in [(1, 60), (2, 60), (15, 30), (16, 30), (17, 30), (100, 12), (500, 3)] {
        for (outputs, rows) in
            [(1, Rows::Signs), (1, Rows::Any), (3, Rows::Pairs), (5, Rows::Pairs), (4, Rows::Any)]
        {
            for time in 0..times {
                let world: World<T> = random_world(&mut rng, budget + 1, outputs, rows);
                for first in [MergeSeed::Smallest, MergeSeed::Newest] {
                    if world.expansion.coefficients().weights().get(world.first(first).index())
                        <= T::FLUSH_BELOW
                    {
                        continue;
                    }
                    let what = format!(
                        "{} seed {seed} budget {budget} outputs {outputs} {rows:?} {time} {first:?}",
                        T::NAME
                    );
                    let found: Vec<_> =
                        all_levels().into_iter().map(|level| check(level, &world, first, &what)).collect();
                    let fused = &found[..fused_levels().len()];
                    assert!(fused.iter().all(|n| *n == found[0]), "{what}: {found:?}");
                }
            }
        }
    }
}

#[test]
fn partners_are_the_best_in_single_precision() {
    (1..4).for_each(partners_are_the_best::<f32>);
}

#[test]
fn partners_are_the_best_in_double_precision() {
    (1..4).for_each(partners_are_the_best::<f64>);
}

/// Partners at large distances or with equal vectors, where the search cannot exclude candidates.
fn extremes<T: Real>() {
    for (distance, what) in [(0.0, "one spot"), (1e-4, "nearly one spot"), (30.0, "far apart")] {
        for signs in [[1.0, 1.0], [1.0, -1.0]] {
            for n in [2usize, 3, 17, 40] {
                let mut world: World<T> = World::new(n, 1, 1, 1.0);
                for i in 0..n {
                    world.insert(&[distance * i as f64], &[signs[i % 2] * (1.0 + 0.1 * i as f64)]);
                }
                check(level(), &world, MergeSeed::Smallest, what);
                check(level(), &world, MergeSeed::Newest, what);
            }
        }
    }
}

#[test]
fn extremes_have_partners() {
    extremes::<f32>();
    extremes::<f64>();
}

/// Ties by hand: on a line with equal coefficients, the two nearest vectors are at equal distances.
#[test]
fn ties_go_to_the_oldest() {
    let mut world: World<f64> = World::new(5, 1, 1, 1.0);
    for x in [0.0, 2.0, 1.0, 3.0, -1.0] {
        world.insert(&[x], &[1.0]);
    }
    assert_eq!(world.first(MergeSeed::Smallest), Slot(0));
    assert_eq!(check(level(), &world, MergeSeed::Smallest, "a line"), Some(Slot(2)));
    let mut world: World<f32> = World::new(5, 1, 1, 1.0);
    for (x, a) in [(2.0, 2.0), (-2.0, 2.0), (9.0, 2.0), (2.0, 2.0), (0.0, -1.0)] {
        world.insert(&[x], &[a]);
    }
    assert_eq!(check(level(), &world, MergeSeed::Smallest, "four as good, the oldest"), Some(Slot(0)));
}
