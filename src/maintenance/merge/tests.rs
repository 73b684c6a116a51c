//! The search against a golden-section search over every partner in f64, and merging itself against the algebra.

use super::Merge;
use crate::float::Real;
use crate::kernel::{AnyKernel, Rbf};
use crate::label::Label;
use crate::maintenance::{Maintain, Maintained};
use crate::ops::merge::{Partner, Search};
use crate::ops::{Lanes, Level, all_levels, fused_levels, level};
use crate::rng::Rng;
use crate::row::Row;
use crate::rules::Example;
use crate::store::{Keep, Slot, Store, testing};

/// A store and its kernel.
struct World<T: Real> {
    store: Store<T>,
    rbf: Rbf,
}

impl<T: Real> World<T> {
    fn new(slots: usize, features: usize, outputs: usize, gamma: f64) -> Self {
        let keep = Keep { norm2: true, ..Keep::default() };
        Self { store: Store::new(Some(slots), features, outputs, keep), rbf: Rbf { gamma } }
    }

    fn insert(&mut self, x: &[f64], row: &[f64]) -> Slot {
        let kernel = AnyKernel::Rbf(self.rbf);
        let (x, row): (Vec<T>, Vec<T>) =
            (x.iter().map(|&x| T::from_f64(x)).collect(), row.iter().map(|&a| T::from_f64(a)).collect());
        testing::insert(level(), &mut self.store, kernel, Row::Dense(&x), &row)
    }

    fn smallest(&self) -> Slot {
        testing::smallest(level(), &self.store)
    }

    fn x(&self, slot: Slot) -> Vec<f64> {
        let mut x = vec![T::ZERO; self.store.features()];
        self.store.read(slot, &mut x);
        x.into_iter().map(T::to_f64).collect()
    }

    fn row(&self, slot: Slot) -> Vec<f64> {
        (0..self.store.outputs()).map(|c| self.store.expansion().get(slot, c).to_f64()).collect()
    }

    /// `p`, `q`, `r` and `L = -ln k` of a pair.
    fn pair(&self, m: Slot, n: Slot) -> [f64; 4] {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (a_m, a_n) = (self.row(m), self.row(n));
        let distance: f64 = self.x(m).iter().zip(&self.x(n)).map(|(a, b)| (a - b).powi(2)).sum();
        [dot(&a_m, &a_m), dot(&a_n, &a_n), dot(&a_m, &a_n), self.rbf.gamma * distance]
    }
}

/// `|a_z phi_z - a_m phi_m - a_n phi_n|^2` at h, and the size of the terms that it is the sum of:
/// `p (1 - u^2) + q (1 - v^2) + 2 r (k - u v)`, each without cancellation.
fn degradation([p, q, r, l]: [f64; 4], h: f64) -> (f64, f64) {
    let uv = (-l * ((1.0 - h).powi(2) + h * h)).exp();
    let m = -p * (-2.0 * l * (1.0 - h).powi(2)).exp_m1();
    let n = -q * (-2.0 * l * h * h).exp_m1();
    let both = 2.0 * r * uv * (-2.0 * l * h * (1.0 - h)).exp_m1();
    (m + n + both, m + n + both.abs())
}

/// The least of it and the size of its terms, by a golden-section search: there is one stationary point with
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

/// What the numbers that the search computes with allow to tell apart: ties, and the rounding of distances and products
/// of type `T`.
fn error<T: Real>(wd: f64, p: f64) -> f64 {
    let unit = 2f64.powi(-(T::MANTISSA as i32));
    (2.0 * T::TIE.to_f64() + 50.0 * unit) * wd + 8.0 * unit * p
}

fn partner<T: Real>(level: Level, world: &World<T>, m: Slot) -> Option<Partner> {
    let mut search: Search<T> = Search::new(world.store.vectors());
    testing::partner(level, &world.store, &mut search, world.rbf, m)
}

/// The partner that the search finds must be as good as any, to rounding, and as old as any that is as good.
fn check<T: Real>(level: Level, world: &World<T>, what: &str) -> Option<Slot> {
    let m = world.smallest();
    let found = partner(level, world, m);
    let others: Vec<Slot> = world.store.age().iter().filter(|&n| n != m).collect();
    let Some(found) = found else {
        assert!(others.is_empty(), "{what}: none found");
        return None;
    };
    assert!(others.contains(&found.n), "{what}: {:?} is no partner of {m:?}", found.n);
    let pair = world.pair(m, found.n);
    let (got, size) = least(pair);
    let bound = error::<T>(got, pair[0]) + 1e-14 * size;
    for &n in &others {
        let (wd, size) = least(world.pair(m, n));
        let better = got > wd + bound + 1e-14 * size;
        assert!(!better, "{what}: {got:e} with {pair:?}, but {wd:e} with {:?}", world.pair(m, n));
    }
    // The degradation that it reports, and the one at its h.
    for (name, wd) in [("reported", found.degradation), ("at h", degradation(pair, found.h).0)] {
        assert!((wd - got).abs() <= bound, "{what}: {name} {wd:e}, not {got:e} ({pair:?}, h = {})", found.h);
    }
    let exact = -pair[3] * std::f64::consts::LOG2_E;
    assert!((found.y - exact).abs() <= 50.0 * 2f64.powi(-(T::MANTISSA as i32)) * (1.0 - exact), "{what}: y");
    // Exactly equal pairs: the oldest.
    let twin = others.iter().find(|&&n| world.pair(m, n) == pair).unwrap();
    assert!(!world.store.age().older(*twin, found.n), "{what}: {twin:?} is as good and older");
    Some(found.n)
}

/// How coefficients are drawn.
#[derive(Debug, Clone, Copy)]
enum Rows {
    /// Plus and minus one, as hinge and two classes give.
    Signs,
    /// Plus one and minus one in two places, as hinge and many classes give.
    Pairs,
    /// Any numbers of very different sizes, some zero.
    Any,
}

fn random_row(rng: &mut Rng, rows: Rows, outputs: usize) -> Vec<f64> {
    let mut row = vec![0.0; outputs];
    match rows {
        Rows::Signs => row[0] = if rng.below(2) == 0 { 1.0 } else { -1.0 },
        Rows::Pairs => {
            let y = rng.below(outputs);
            let r = (y + 1 + rng.below(outputs - 1)) % outputs;
            (row[y], row[r]) = (1.0, -1.0);
        }
        Rows::Any => {
            let size = 10f64.powf(4.0 * rng.unit() - 2.0);
            row.fill_with(|| size * rng.normal());
        }
    }
    row
}

fn random_world<T: Real>(rng: &mut Rng, n: usize, outputs: usize, rows: Rows) -> World<T> {
    let features = 1 + rng.below(6);
    let gamma = 10f64.powf(2.0 * rng.unit() - 1.5);
    // Room for some holes: slots that are freed and perhaps not taken again.
    let holes = rng.below(T::LANES);
    let mut world = World::new(n + holes, features, outputs, gamma);
    let mut points: Vec<Vec<f64>> = Vec::new();
    for _ in 0..n + holes {
        let mut x: Vec<f64> = (0..features).map(|_| 2.0 * rng.normal()).collect();
        if !points.is_empty() && rng.below(4) == 0 {
            let near = &points[rng.below(points.len())];
            let noise = [0.0, 1e-3, 0.1][rng.below(3)];
            x = near.iter().map(|x| x + noise * rng.normal()).collect();
        }
        let row = random_row(rng, rows, outputs);
        world.insert(&x, &row);
        points.push(x);
    }
    for _ in 0..holes {
        let slot = world.store.nth(rng.below(world.store.len()));
        testing::remove(level(), &mut world.store, AnyKernel::Rbf(world.rbf), slot);
    }
    world
}

fn partners_are_the_best<T: Real>(seed: u64) {
    let mut rng = Rng::new(seed);
    for (budget, times) in [(1, 60), (2, 60), (15, 30), (16, 30), (17, 30), (100, 12), (500, 3)] {
        for (outputs, rows) in
            [(1, Rows::Signs), (1, Rows::Any), (3, Rows::Pairs), (5, Rows::Pairs), (4, Rows::Any)]
        {
            for time in 0..times {
                let world: World<T> = random_world(&mut rng, budget + 1, outputs, rows);
                if world.store.expansion().weights().get(world.smallest().index()) <= T::VANISHED {
                    continue;
                }
                let what =
                    format!("{} seed {seed} budget {budget} outputs {outputs} {rows:?} {time}", T::NAME);
                let found: Vec<_> =
                    all_levels().into_iter().map(|level| check(level, &world, &what)).collect();
                assert!(found[..fused_levels().len()].iter().all(|n| *n == found[0]), "{what}: {found:?}");
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

/// Far from all others, or with all others on the same spot, nothing can be excluded.
fn extremes<T: Real>() {
    for (distance, what) in [(0.0, "one spot"), (1e-4, "nearly one spot"), (30.0, "far apart")] {
        for signs in [[1.0, 1.0], [1.0, -1.0]] {
            for n in [2usize, 3, 17, 40] {
                let mut world: World<T> = World::new(n, 1, 1, 1.0);
                for i in 0..n {
                    world.insert(&[distance * i as f64], &[signs[i % 2] * (1.0 + 0.1 * i as f64)]);
                }
                check(level(), &world, what);
            }
        }
    }
}

#[test]
fn extremes_have_partners() {
    extremes::<f32>();
    extremes::<f64>();
}

/// Ties of merging that are seen by hand: on a line with equal coefficients the nearest two are equally far.
#[test]
fn ties_go_to_the_oldest() {
    let mut world: World<f64> = World::new(5, 1, 1, 1.0);
    for x in [0.0, 2.0, 1.0, 3.0, -1.0] {
        world.insert(&[x], &[1.0]);
    }
    assert_eq!(world.smallest(), Slot(0));
    assert_eq!(check(level(), &world, "a line"), Some(Slot(2)));
    let mut world: World<f32> = World::new(5, 1, 1, 1.0);
    for (x, a) in [(2.0, 2.0), (-2.0, 2.0), (9.0, 2.0), (2.0, 2.0), (0.0, -1.0)] {
        world.insert(&[x], &[a]);
    }
    assert_eq!(check(level(), &world, "four as good, the oldest"), Some(Slot(0)));
}

#[inline(never)]
fn merge<T: Real>(world: &mut World<T>) -> f64 {
    let (kernel, mut rng) = (AnyKernel::Rbf(world.rbf), Rng::new(0));
    let mut merge: Merge<T> = Merge::new(world.store.vectors() * T::LANES);
    let (label, k) = (Label::Class(0), Lanes::default());
    let example = Example { label, t: 1, weight: 1.0, k_tt: T::ONE };
    let (store, rng) = (&mut world.store, &mut rng);
    let model = Maintained { store, kernel, rng, budget: 0, example: &example, f: &[], k: &k };
    merge.restore(model)
}

/// Two opposite equal vectors become one of no weight at all, which leaves next, and alone.
#[test]
fn opposite_duplicates_vanish() {
    for outputs in [1, 3] {
        let row = |a: f64| [a, -a, 0.0][..outputs].to_vec();
        let mut world: World<f32> = World::new(4, 2, outputs, 1.0);
        let kept = [world.insert(&[5.0, 5.0], &row(3.0)), world.insert(&[9.0, 5.0], &row(3.0))];
        world.insert(&[1.0, 1.0], &row(1.0));
        world.insert(&[1.0, 1.0], &row(-1.0));
        let before = kept.map(|slot| (world.x(slot), world.row(slot)));
        assert!(merge(&mut world) <= 1e-12);
        assert_eq!(world.store.len(), 3);
        world.store.check_invariants(AnyKernel::Rbf(world.rbf));
        assert_eq!(merge(&mut world), 0.0);
        assert_eq!(world.store.len(), 2);
        world.store.check_invariants(AnyKernel::Rbf(world.rbf));
        assert_eq!(kept.map(|slot| (world.x(slot), world.row(slot))), before);
        assert!((world.store.norm2() - 18.0 * outputs.min(2) as f64).abs() < 1e-3);
    }
}

/// A support vector with coefficients of zero leaves without a partner.
#[test]
fn zero_rows_leave_alone() {
    let mut world: World<f64> = World::new(3, 1, 2, 1.0);
    let first = world.insert(&[0.0], &[1.0, -1.0]);
    let zero = world.insert(&[0.5], &[0.0, 0.0]);
    let last = world.insert(&[1.0], &[1.0, -1.0]);
    assert_eq!(merge(&mut world), 0.0);
    assert_eq!(world.store.age().iter().collect::<Vec<_>>(), [first, last]);
    assert!(!world.store.age().is_live(zero));
    world.store.check_invariants(AnyKernel::Rbf(world.rbf));
}

/// What maintenance gives back is the change of the model: `|w' - w|^2`, from the Gram matrix of both.
fn changes<T: Real>() {
    let mut rng = Rng::new(9);
    for case in 0..200 {
        let outputs = 1 + case % 3;
        let n = 3 + rng.below(12);
        let mut world: World<T> = random_world(&mut rng, n, outputs, Rows::Any);
        let expansion = |world: &World<T>, sign: f64| -> Vec<(Vec<f64>, Vec<f64>)> {
            let row = |slot| world.row(slot).iter().map(|a| sign * a).collect();
            world.store.age().iter().map(|slot| (world.x(slot), row(slot))).collect()
        };
        let before = expansion(&world, -1.0);
        let weight = |row: &[f64]| row.iter().map(|a| a * a).sum::<f64>();
        let size: f64 = before.iter().map(|(_, row)| weight(row)).sum();
        let lost = merge(&mut world);
        let difference = [before, expansion(&world, 1.0)].concat();
        let mut exact = 0.0;
        for (x, a) in &difference {
            for (z, b) in &difference {
                let distance: f64 = x.iter().zip(z).map(|(x, z)| (x - z).powi(2)).sum();
                exact +=
                    a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() * (-world.rbf.gamma * distance).exp();
            }
        }
        let bound = error::<T>(lost, 0.0) + 20.0 * 2f64.powi(-(T::MANTISSA as i32)) * size;
        assert!((lost - exact).abs() <= bound, "case {case}: {lost:e}, not {exact:e}");
    }
}

#[test]
fn the_degradation_is_the_change_of_the_model() {
    changes::<f32>();
    changes::<f64>();
}
