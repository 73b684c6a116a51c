//! The invariants in the comments of the expansion and its derived state, asserted.

use crate::batch::Row;
use crate::expansion::insertion_order::InsertionOrder;
use crate::expansion::testing::Observed;
use crate::expansion::{KernelExpansion, Slot};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::state::Gram;
use crate::testing::kernel_f64;

impl InsertionOrder {
    fn check_invariants(&self) {
        let slots: Vec<Slot> = self.iter().collect();
        let inserteds: Vec<u64> = slots.iter().map(|slot| self.inserted[slot.index()]).collect();
        assert!(
            inserteds.is_sorted_by(|a, b| a < b) && inserteds.iter().all(|&inserted| inserted < self.next)
        );
        for slot in (0..self.inserted.len()).map(|i| Slot(i as u32)) {
            assert_eq!(self.is_live(slot), slots.contains(&slot), "{slot:?}");
        }
        assert_eq!(self.live.iter().map(|bits| bits.count_ones() as usize).sum::<usize>(), slots.len());
    }
}

impl<T: Real> KernelExpansion<T> {
    /// The Gram matrix of the live slots in insertion order, and their coefficients.
    fn model_f64(&self, kernel: AnyKernel) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let vectors: Vec<Vec<f64>> = self
            .order()
            .iter()
            .map(|slot| (0..self.features()).map(|j| self.support.panels.get(slot, j).to_f64()).collect())
            .collect();
        let k = vectors.iter().map(|a| vectors.iter().map(|b| kernel_f64(kernel, a, b)).collect()).collect();
        let rows = self.order().iter().map(|slot| {
            (0..self.outputs()).map(|c| self.support.coefficients.get(slot, c).to_f64()).collect()
        });
        (k, rows.collect())
    }

    /// `|sum_j alpha_j phi_j|^2`, and its upper bound for coefficients of these sizes.
    pub(crate) fn norm2_f64(&self, kernel: AnyKernel) -> (f64, f64) {
        let (k, rows) = self.model_f64(kernel);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (mut norm2, mut lengths) = (0.0, 0.0);
        for (i, a) in rows.iter().enumerate() {
            lengths += (dot(a, a) * k[i][i]).sqrt();
            norm2 += rows.iter().enumerate().map(|(j, b)| dot(a, b) * k[i][j]).sum::<f64>();
        }
        (norm2, lengths * lengths)
    }

    /// Asserts all invariants except the invariant of the norm.
    pub(crate) fn check_invariants(&self, kernel: AnyKernel) {
        self.support.order.check_invariants();
        let slots = self.n_simd() * T::LANES;
        assert_eq!(self.support.order.inserted.len(), slots);
        assert_eq!(self.support.labels.len(), slots);
        assert!(
            self.support.high <= slots
                && self.support.capacity.is_none_or(|capacity| self.support.high <= capacity)
        );
        let mut all: Vec<Slot> = self.support.order.iter().chain(self.support.free.iter().copied()).collect();
        all.sort_unstable();
        assert!(all.iter().map(|slot| slot.index()).eq(0..self.support.high), "live and free: {all:?}");

        let mut x = vec![T::ZERO; self.features()];
        let mut row = vec![T::ZERO; self.outputs()];
        for slot in (0..slots).map(|i| Slot(i as u32)) {
            self.read(slot, &mut x);
            let whole = (0..self.features()).map(|j| self.support.panels.get(slot, j));
            assert!(whole.eq(x.iter().copied()), "{slot:?} is not zero where it should be");
            self.support.coefficients.read(slot, &mut row);
            let (norm, weight) = (
                self.support.row_stats.get(slot.index()),
                self.support.coefficients.weights().get(slot.index()),
            );
            if self.support.order.is_live(slot) {
                let expected = kernel.row_stat(Row::Dense(&x));
                assert_eq!(norm, expected, "norm of {slot:?}");
                let diag: T = kernel.diag(expected);
                let squared = row.iter().fold(T::ZERO, |sum, &a| sum + a * (a * diag));
                assert_eq!(weight, squared, "weight of {slot:?}");
            } else {
                let mut numbers = x.iter().chain(&row).chain([&norm, &weight]);
                assert!(numbers.all(|x| *x == T::ZERO), "{slot:?} is not zero");
            }
        }
        assert!(self.support.scale > 0.0);
    }
}

impl<T: Real> Observed<T> {
    /// Asserts all invariants of the model and of its Gram factor.
    pub(crate) fn check_invariants(&self, kernel: AnyKernel) {
        KernelExpansion::check_invariants(self, kernel);
        if let Some(gram) = &self.states.gram {
            gram.check_invariants(self, kernel);
        }
    }
}

impl Gram {
    pub(crate) fn check_invariants<T: Real>(&self, expansion: &KernelExpansion<T>, kernel: AnyKernel) {
        self.factor.check_invariants();
        let mut all: Vec<Slot> =
            self.members().iter().chain(&self.dependent).copied().chain(self.pending()).collect();
        all.sort_unstable();
        let mut live: Vec<Slot> = expansion.support.order.iter().collect();
        assert!(
            self.dependent.is_sorted_by(|a, b| expansion.support.order.older(*a, *b)),
            "the oldest comes first"
        );
        let (k, _) = expansion.model_f64(kernel);
        let place = |slot: Slot| live.iter().position(|live| *live == slot).unwrap();
        let at: Vec<usize> = self.members().iter().map(|slot| place(*slot)).collect();
        let rows: Vec<Vec<f64>> = {
            let mut rest = self.factor.state().lower;
            at.iter().enumerate().map(|(i, _)| rest.drain(..=i).collect()).collect()
        };
        for (i, a) in rows.iter().enumerate() {
            for (j, b) in rows[..=i].iter().enumerate() {
                let product: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                let (exact, size) = (k[at[i]][at[j]], (k[at[i]][at[i]] * k[at[j]][at[j]]).sqrt());
                assert!(
                    (product - exact).abs() <= 1e-12 * size,
                    "L L' = {product} in ({i}, {j}), not {exact}"
                );
            }
        }
        live.sort_unstable();
        assert_eq!(all, live, "members and dependent slots");
    }
}
