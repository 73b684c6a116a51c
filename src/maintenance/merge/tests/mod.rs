//! Merging against the algebra; `search` tests the search.

mod search;

use super::{Merge, MergeSeed};
use crate::batch::{Example, Label, Row};
use crate::expansion::testing::{Keep, Observed, with_scores};
use crate::expansion::{Slot, testing};
use crate::float::Real;
use crate::kernel::MergeableKernel;
use crate::maintenance::{Maintain, MaintenanceContext};
use crate::ops::{Level, SimdBuffer, level};
use crate::rng::Rng;

/// A model and its kernel.
struct World<T: Real> {
    expansion: Observed<T>,
    kernel: MergeableKernel,
}

impl<T: Real> World<T> {
    /// A model with the Gaussian kernel.
    fn new(slots: usize, features: usize, outputs: usize, gamma: f64) -> Self {
        Self::of(MergeableKernel::Rbf { gamma }, slots, features, outputs)
    }

    fn of(kernel: MergeableKernel, slots: usize, features: usize, outputs: usize) -> Self {
        let keep = Keep { norm2: true, ..Keep::default() };
        Self { expansion: Observed::new(Some(slots), features, outputs, keep), kernel }
    }

    /// The support vector to merge.
    fn first(&self, first: MergeSeed) -> Slot {
        match first {
            MergeSeed::Smallest => self.expansion.smallest(),
            MergeSeed::Newest => self.expansion.newest(),
        }
    }

    /// `k(x, z)`
    fn value(&self, x: &[f64], z: &[f64]) -> f64 {
        (-self.exponent(x, z)).exp()
    }

    /// `-ln k(x, z)`
    fn exponent(&self, x: &[f64], z: &[f64]) -> f64 {
        let distance: f64 = x.iter().zip(z).map(|(a, b)| (a - b).powi(2)).sum();
        match self.kernel {
            MergeableKernel::Rbf { gamma } => gamma * distance,
            MergeableKernel::RationalQuadratic { gamma, alpha } => alpha * (gamma * distance / alpha).ln_1p(),
        }
    }

    fn insert(&mut self, x: &[f64], row: &[f64]) -> Slot {
        let kernel = self.kernel.into();
        let (x, row): (Vec<T>, Vec<T>) =
            (x.iter().map(|&x| T::from_f64(x)).collect(), row.iter().map(|&a| T::from_f64(a)).collect());
        testing::insert(level(), &mut self.expansion, kernel, Row::Dense(&x), &row)
    }

    fn x(&self, slot: Slot) -> Vec<f64> {
        let mut x = vec![T::ZERO; self.expansion.features()];
        self.expansion.read(slot, &mut x);
        x.into_iter().map(T::to_f64).collect()
    }

    fn row(&self, slot: Slot) -> Vec<f64> {
        (0..self.expansion.outputs()).map(|c| self.expansion.coefficients().get(slot, c).to_f64()).collect()
    }

    /// `p <= q`, `r` and `L = -ln k` of a pair.
    fn pair(&self, m: Slot, n: Slot) -> [f64; 4] {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (a_m, a_n) = (self.row(m), self.row(n));
        let (p, q) = (dot(&a_m, &a_m), dot(&a_n, &a_n));
        [p.min(q), p.max(q), dot(&a_m, &a_n), self.exponent(&self.x(m), &self.x(n))]
    }
}

/// The tolerance of comparisons: ties, and the rounding of distances and products in type `T`; for the newest vector
/// the rounding of kernel values near 1.
fn error<T: Real>(first: MergeSeed, wd: f64, p: f64) -> f64 {
    let unit = 2f64.powi(-(T::MANTISSA as i32));
    let units = if first == MergeSeed::Newest { 30.0 } else { 8.0 };
    (2.0 * T::TIE_RTOL.to_f64() + 50.0 * unit) * wd + units * unit * p
}

/// The kernel row of a slot.
fn row<T: Real>(level: Level, world: &World<T>, slot: Slot) -> SimdBuffer<T> {
    let mut x = vec![T::ZERO; world.expansion.features()];
    world.expansion.read(slot, &mut x);
    testing::scores(level, &world.expansion, world.kernel.into(), Row::Dense(&x)).0
}

/// The distribution of coefficients.
#[derive(Debug, Clone, Copy)]
enum Rows {
    /// Plus and minus one, as with the hinge loss and two classes.
    Signs,
    /// Plus one and minus one in two outputs, as with the hinge loss and more classes.
    Pairs,
    /// Numbers of very different sizes, some zero.
    Any,
}

fn random_row(rng: &mut Rng, rows: Rows, outputs: usize) -> Vec<f64> {
    let mut row = vec![0.0; outputs];
    match rows {
        Rows::Signs => row[0] = if rng.index(2) == 0 { 1.0 } else { -1.0 },
        Rows::Pairs => {
            let y = rng.index(outputs);
            let r = (y + 1 + rng.index(outputs - 1)) % outputs;
            (row[y], row[r]) = (1.0, -1.0);
        }
        Rows::Any => {
            let size = 10f64.powf(4.0 * rng.uniform() - 2.0);
            row.fill_with(|| size * rng.normal());
        }
    }
    row
}

fn random_world<T: Real>(rng: &mut Rng, n: usize, outputs: usize, rows: Rows) -> World<T> {
    let features = 1 + rng.index(6);
    let gamma = 10f64.powf(2.0 * rng.uniform() - 1.5);
    // Some slots are freed, and may stay free.
    let holes = rng.index(T::LANES);
    let kernel = match rng.index(2) {
        0 => MergeableKernel::Rbf { gamma },
        _ => MergeableKernel::RationalQuadratic { gamma, alpha: [0.5, 2.0][rng.index(2)] },
    };
    let mut world = World::of(kernel, n + holes, features, outputs);
    let mut points: Vec<Vec<f64>> = Vec::new();
    for _ in 0..n + holes {
        let mut x: Vec<f64> = (0..features).map(|_| 2.0 * rng.normal()).collect();
        if !points.is_empty() && rng.index(4) == 0 {
            let near = &points[rng.index(points.len())];
            let noise = [0.0, 1e-3, 0.1][rng.index(3)];
            x = near.iter().map(|x| x + noise * rng.normal()).collect();
        }
        let row = random_row(rng, rows, outputs);
        world.insert(&x, &row);
        points.push(x);
    }
    for _ in 0..holes {
        let slot = world.expansion.nth_oldest(rng.index(world.expansion.len()));
        world.expansion.remove(world.kernel.into(), slot);
    }
    world
}

#[inline(never)]
fn merge<T: Real>(world: &mut World<T>, first: MergeSeed) -> f64 {
    let (kernel, mut rng) = (world.kernel.into(), Rng::new(0));
    let mut merge: Merge<T> = Merge::new(first, world.expansion.n_simd() * T::LANES);
    let (label, k) = (Label::Class(0), row(level(), world, world.expansion.newest()));
    world.expansion.set_kernel(kernel);
    let (expansion, rng, norm) = (&mut *world.expansion, &mut rng, &mut None);
    with_scores(Example::new(label, 1, 1.0), T::ONE, &[], |scored| {
        *scored.k = k;
        merge.reduce(MaintenanceContext { expansion, rng, budget: 0, scored, norm })
    })
}

/// Two equal vectors with opposite coefficients become one of weight zero, which is then removed without a partner.
#[test]
fn opposite_duplicates_vanish() {
    for outputs in [1, 3] {
        let row = |a: f64| [a, -a, 0.0][..outputs].to_vec();
        let mut world: World<f32> = World::new(4, 2, outputs, 1.0);
        let kept = [world.insert(&[5.0, 5.0], &row(3.0)), world.insert(&[9.0, 5.0], &row(3.0))];
        world.insert(&[1.0, 1.0], &row(1.0));
        world.insert(&[1.0, 1.0], &row(-1.0));
        let before = kept.map(|slot| (world.x(slot), world.row(slot)));
        assert!(merge(&mut world, MergeSeed::Smallest) <= 1e-12);
        assert_eq!(world.expansion.len(), 3);
        world.expansion.check_invariants(world.kernel.into());
        assert_eq!(merge(&mut world, MergeSeed::Smallest), 0.0);
        assert_eq!(world.expansion.len(), 2);
        world.expansion.check_invariants(world.kernel.into());
        assert_eq!(kept.map(|slot| (world.x(slot), world.row(slot))), before);
        assert!((world.expansion.norm2() - 18.0 * outputs.min(2) as f64).abs() < 1e-3);
    }
}

/// A support vector with zero coefficients is removed without a partner.
#[test]
fn zero_coefficients_are_removed_without_a_partner() {
    let mut world: World<f64> = World::new(3, 1, 2, 1.0);
    let first = world.insert(&[0.0], &[1.0, -1.0]);
    let zero = world.insert(&[0.5], &[0.0, 0.0]);
    let last = world.insert(&[1.0], &[1.0, -1.0]);
    assert_eq!(merge(&mut world, MergeSeed::Smallest), 0.0);
    assert_eq!(world.expansion.order().iter().collect::<Vec<_>>(), [first, last]);
    assert!(!world.expansion.order().is_live(zero));
    world.expansion.check_invariants(world.kernel.into());
}

/// Maintenance returns the squared change of the model, `|w' - w|^2`, here from the Gram matrix of both models.
fn changes<T: Real>(first: MergeSeed) {
    let mut rng = Rng::new(9);
    for case in 0..200 {
        let outputs = 1 + case % 3;
        let n = 3 + rng.index(12);
        let mut world: World<T> = random_world(&mut rng, n, outputs, Rows::Any);
        let expansion = |world: &World<T>, sign: f64| -> Vec<(Vec<f64>, Vec<f64>)> {
            let row = |slot| world.row(slot).iter().map(|a| sign * a).collect();
            world.expansion.order().iter().map(|slot| (world.x(slot), row(slot))).collect()
        };
        let before = expansion(&world, -1.0);
        let weight = |row: &[f64]| row.iter().map(|a| a * a).sum::<f64>();
        let size: f64 = before.iter().map(|(_, row)| weight(row)).sum();
        let sq_change = merge(&mut world, first);
        let difference = [before, expansion(&world, 1.0)].concat();
        let mut exact = 0.0;
        for (x, a) in &difference {
            for (z, b) in &difference {
                exact += a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() * world.value(x, z);
            }
        }
        let bound = error::<T>(first, sq_change, 0.0) + 20.0 * 2f64.powi(-(T::MANTISSA as i32)) * size;
        assert!((sq_change - exact).abs() <= bound, "case {case}: {sq_change:e}, not {exact:e}");
    }
}

#[test]
fn the_degradation_is_the_change_of_the_model() {
    for first in [MergeSeed::Smallest, MergeSeed::Newest] {
        changes::<f32>(first);
        changes::<f64>(first);
    }
}
