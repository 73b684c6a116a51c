//! Random edits; all invariants are checked after each.

use super::{Keep, Observed, Slot, bytes, reloaded, testing};
use crate::batch::Row;
use crate::expansion::MergedPair;
use crate::float::Real;
use crate::kernel::{AnyKernel, Cosine, Laplacian, Linear, Polynomial, Rbf};
use crate::ops::level;
use crate::testing::fixed_cases;
use proptest::prelude::*;

/// One edit; indices are taken modulo the number of support vectors.
#[derive(Debug, Clone)]
enum Edit {
    /// A vector near another one or at random, dense or sparse, with these coefficients.
    Insert {
        seed: Vec<f64>,
        near: Option<usize>,
        sparse: bool,
        row: Vec<f64>,
    },
    Remove(usize),
    Merge {
        m: usize,
        n: usize,
        h: f64,
    },
    Project(usize),
    MultiplyAll(f64),
    AddFeatures(usize),
    Refresh(f64),
    Reload,
}

fn edit() -> impl Strategy<Value = Edit> {
    let index = || any::<u16>().prop_map(usize::from);
    let number = || (-30i32..30).prop_map(|x| f64::from(x) / 10.0);
    let numbers = move |n: usize| prop::collection::vec(number(), n);
    let near = prop::option::of(index());
    prop_oneof![
        12 => (numbers(8), near, any::<bool>(), numbers(3))
            .prop_map(|(seed, near, sparse, row)| Edit::Insert { seed, near, sparse, row }),
        3 => index().prop_map(Edit::Remove),
        4 => (index(), index(), -0.7..0.5f64).prop_map(|(m, n, h)| Edit::Merge { m, n, h }),
        4 => index().prop_map(Edit::Project),
        1 => (0.01..2.0f64).prop_map(Edit::MultiplyAll),
        1 => (0..2usize).prop_map(Edit::AddFeatures),
        1 => (0.1..2.0f64).prop_map(Edit::Refresh),
        1 => Just(Edit::Reload),
    ]
}

/// A model under test.
struct World<T: Real> {
    expansion: Observed<T>,
    kernel: AnyKernel,
    keep: Keep,
    capacity: usize,
    /// The largest possible |w|^2 so far, the scale of its rounding errors.
    size: f64,
}

impl<T: Real> World<T> {
    fn new(kernel: AnyKernel, capacity: usize, outputs: usize, gram: bool) -> Self {
        let keep = Keep { norm2: true, gram, ..Keep::default() };
        Self { expansion: Observed::new(Some(capacity), 3, outputs, keep), kernel, keep, capacity, size: 0.0 }
    }

    fn pick(&self, index: usize) -> Option<Slot> {
        (self.expansion.len() > 0).then(|| self.expansion.nth_oldest(index % self.expansion.len()))
    }

    fn apply(&mut self, edit: &Edit) {
        let (expansion, kernel) = (&mut self.expansion, self.kernel);
        // A new vector that waits outside the factor is projected before the next edit.
        if !matches!(edit, Edit::Project(_) | Edit::MultiplyAll(_)) {
            if self.keep.gram && expansion.len() == self.capacity {
                return;
            }
            expansion.commit_insert(self.kernel);
        }
        match edit {
            Edit::Insert { seed, near, sparse, row } if expansion.len() < self.capacity => {
                let mut x: Vec<T> =
                    seed.iter().cycle().take(expansion.features()).map(|&x| T::from_f64(x)).collect();
                if let Some(slot) = near.and_then(|near| self.pick(near)) {
                    let expansion = &self.expansion;
                    // An exact copy in one case of three.
                    let noise = [0.0, 1e-3, 0.1][(seed[7].abs() * 10.0) as usize % 3];
                    expansion.read(slot, &mut x);
                    x.iter_mut().zip(seed).for_each(|(x, d)| *x = T::from_f64(x.to_f64() + noise * d));
                }
                let expansion = &mut self.expansion;
                let row: Vec<T> = row[..expansion.outputs()].iter().map(|&a| T::from_f64(a)).collect();
                let (indices, values): (Vec<u32>, Vec<T>) =
                    x.iter().enumerate().filter(|(_, x)| **x != T::ZERO).map(|(j, &x)| (j as u32, x)).unzip();
                let x = if *sparse { Row::Sparse(&indices, &values) } else { Row::Dense(&x) };
                if kernel.diag(kernel.row_stat(x)) > T::ZERO {
                    testing::insert(level(), expansion, kernel, x, &row);
                }
            }
            Edit::Remove(index) => {
                // Like the strategies: vectors that wait outside the factor are removed before members.
                if let Some(slot) = self.expansion.dependent().or(self.pick(*index)) {
                    self.expansion.remove(kernel, slot);
                }
            }
            Edit::Merge { m, n, h } if !self.keep.gram && expansion.len() >= 2 => self.merge(*m, *n, *h),
            Edit::Project(index) if self.keep.gram && expansion.len() >= 2 => {
                let slot = self.expansion.dependent().or(self.pick(*index));
                if let Some(slot) = slot {
                    let lost = self.expansion.project(kernel, slot);
                    assert!(lost >= 0.0, "{lost}");
                }
            }
            Edit::MultiplyAll(factor) => {
                expansion.multiply_coefficients(self.kernel, *factor);
                expansion.set_scale(*factor);
            }
            Edit::AddFeatures(more) => expansion.add_features(expansion.features() + more),
            Edit::Refresh(gamma) => {
                self.kernel = kernel.with_gamma(*gamma);
                expansion.refresh(self.kernel);
            }
            Edit::Reload => {
                let copy = reloaded(expansion, kernel, self.keep);
                assert_eq!(bytes(&copy), bytes(expansion));
                *expansion = copy;
            }
            _ => {}
        }
    }

    fn merge(&mut self, m: usize, n: usize, h: f64) {
        let AnyKernel::Rbf(rbf) = self.kernel else { return };
        let len = self.expansion.len();
        let (m, n) = (m % len, (m % len + 1 + n % (len - 1)) % len);
        let (m, n) = (self.expansion.nth_oldest(m), self.expansion.nth_oldest(n));
        let features = self.expansion.features();
        let (mut x_m, mut x_n) = (vec![T::ZERO; features], vec![T::ZERO; features]);
        self.expansion.read(m, &mut x_m);
        self.expansion.read(n, &mut x_n);
        let distance: f64 = x_m.iter().zip(&x_n).map(|(a, b)| (a.to_f64() - b.to_f64()).powi(2)).sum();
        let l = rbf.gamma * distance;
        let (u, v, k) = ((-l * (1.0 - h).powi(2)).exp(), (-l * h * h).exp(), (-l).exp());
        let row = |slot: Slot| -> Vec<f64> {
            (0..self.expansion.outputs())
                .map(|c| self.expansion.coefficients().get(slot, c).to_f64())
                .collect()
        };
        let (a_m, a_n) = (row(m), row(n));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let z: Vec<f64> = a_m.iter().zip(&a_n).map(|(a, b)| u * a + v * b).collect();
        // |a_z phi_z - a_m phi_m - a_n phi_n|^2, with k(z, m) = u and k(z, n) = v.
        let degradation = dot(&z, &z) + dot(&a_m, &a_m) + dot(&a_n, &a_n) + 2.0 * k * dot(&a_m, &a_n)
            - 2.0 * u * dot(&z, &a_m)
            - 2.0 * v * dot(&z, &a_n);
        let merger = MergedPair { m, x_m: &x_m, n, h, u, v, degradation };
        self.expansion.merge(AnyKernel::Rbf(rbf), merger);
        assert!(!self.expansion.order().is_live(m) && self.expansion.order().is_live(n));
        let mut x_z = vec![T::ZERO; features];
        self.expansion.read(n, &mut x_z);
        for (j, z) in x_z.iter().enumerate() {
            let (a, b) = (x_m[j].to_f64(), x_n[j].to_f64());
            let (exact, size) = (h * a + (1.0 - h) * b, a.abs() + b.abs());
            assert!((z.to_f64() - exact).abs() <= 4.0 * size * 2f64.powi(-(T::MANTISSA as i32)));
        }
    }

    /// Checks all invariants, and the norm to rounding.
    fn check(&mut self) {
        self.expansion.check_invariants(self.kernel);
        let (exact, size) = self.expansion.norm2_f64(self.kernel);
        self.size = self.size.max(size);
        // Coefficients are rounded to T. The factor accepts vectors whose squared residual is 1e-12 of their squared
        // norm: a projection onto them is accurate to the rounding of f64 times 1e6.
        let bound = (200.0 * 2f64.powi(-(T::MANTISSA as i32)) + 1e-9) * self.size;
        let norm2 = self.expansion.norm2();
        assert!((norm2 - exact).abs() <= bound, "|w|^2 = {norm2:e}, not {exact:e}, bound {bound:e}");
    }
}

fn run<T: Real>(kernel: AnyKernel, capacity: usize, outputs: usize, gram: bool, edits: &[Edit]) {
    let mut world: World<T> = World::new(kernel, capacity, outputs, gram);
    for edit in edits {
        world.apply(edit);
        world.check();
    }
}

fn edits() -> impl Strategy<Value = (usize, usize, Vec<Edit>)> {
    let capacity = prop_oneof![Just(1usize), Just(2), 3..20usize, Just(33)];
    (capacity, 1..4usize, prop::collection::vec(edit(), 1..120))
}

proptest! {
    #![proptest_config(fixed_cases(96))]

    #[test]
    fn merging_stores_stay_whole((capacity, outputs, edits) in edits()) {
        let kernel = AnyKernel::Rbf(Rbf { gamma: 0.5 });
        run::<f32>(kernel, capacity, outputs, false, &edits);
        run::<f64>(kernel, capacity, outputs, false, &edits);
    }

    #[test]
    fn projecting_stores_stay_whole((capacity, outputs, edits) in edits(), which in 0..5usize) {
        let kernel = [
            AnyKernel::Rbf(Rbf { gamma: 0.5 }),
            AnyKernel::Laplacian(Laplacian { gamma: 0.5 }),
            AnyKernel::Polynomial(Polynomial { gamma: 0.5, coef0: 1.0, degree: 2 }),
            AnyKernel::Linear(Linear),
            AnyKernel::Cosine(Cosine),
        ][which];
        run::<f32>(kernel, capacity, outputs, true, &edits);
        run::<f64>(kernel, capacity, outputs, true, &edits);
    }
}
