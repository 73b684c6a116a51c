//! The expected error near each support vector, for prediction intervals.

use super::edit::{Edit, MergedPair};
use super::support_set::SupportSet;
use crate::constants::running_weight;
use crate::count::saturating_inc;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::ops::SimdBuffer;
use crate::persist::Tensors;
use crate::slot::Slot;

/// The weight of the mean error, which determines the expected error far from all support vectors.
const MEAN_WEIGHT: f64 = 0.05;
/// The rate at which the errors of support vectors follow the errors of the rows near them.
const RATE: f64 = 0.06;
/// Errors are clipped at this value: above every difference of targets, and exact in single precision.
const MAX_ERROR: f64 = (1_u64 << 53) as f64;

/// Running absolute errors: `rho_j` near each support vector j, and the mean g of all rows. With the kernel
/// row k of x, the expected error at x is `l(x) = (sum_j w_j rho_j + 0.05 g) / (sum_j w_j + 0.05)`, with
/// `w_j = k_j^2 / (k_jj k(x, x))`.
///
/// Invariant: the errors of slots that are not live are zero.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LocalErrors<T: Real> {
    by_slot: SimdBuffer<T>,
    mean: f64,
    /// The number of rows in the mean.
    rows: u64,
}

/// A row by its kernel values: the kernel row, and the kernel's own `k(x, x)`.
pub(crate) type KernelRow<'a, T> = (&'a SimdBuffer<T>, T);

/// An expected error.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expected {
    pub(super) error: f64,
    /// `sum_j w_j + 0.05`
    weight: f64,
}

/// `w_j` from `k_j`, `k_jj` (0 in free slots) and `k(x, x)`. It is at most 1 for positive semi-definite kernels.
fn weight<T: Real>(k: T, diag: T, k_tt: T) -> f64 {
    let [k, diag, k_tt] = [k, diag, k_tt].map(Real::to_f64);
    let product = diag * k_tt;
    if product > 0.0 { (k * (k / product)).min(1.0) } else { 0.0 }
}

impl<T: Real> LocalErrors<T> {
    /// The errors of an empty expansion.
    pub(super) fn new() -> Self {
        Self { by_slot: SimdBuffer::default(), mean: 0.0, rows: 0 }
    }

    #[inline(always)]
    pub(super) fn expected(&self, support: &SupportSet<T>, (k, k_tt): KernelRow<'_, T>) -> Expected {
        let diags = support.coefficients.diags();
        let [weights, errors] = if support.kernel.translation_invariant() {
            // The kernel row of a new support vector may not have its slot yet.
            let used = support.n_simd_used().min(k.as_slice().len());
            support.ops.weighted_errors(k, diags, &self.by_slot, used).map(Real::to_f64)
        } else {
            let slots = k.values().zip(diags.values()).zip(self.by_slot.values());
            slots.fold([0.0; 2], |[weights, errors], ((&k, &diag), rho)| {
                let w = weight(k, diag, k_tt);
                [weights + w, errors + w * rho.to_f64()]
            })
        };
        let weight = weights + MEAN_WEIGHT;
        Expected { error: (errors + MEAN_WEIGHT * self.mean) / weight, weight }
    }

    /// Observes the absolute error of a row. Returns the error that was expected before.
    #[inline(always)]
    pub(super) fn observe(&mut self, support: &SupportSet<T>, row: KernelRow<'_, T>, error: f64) -> f64 {
        // NaN becomes the largest error.
        let error = if error < MAX_ERROR { error } else { MAX_ERROR };
        let expected = self.expected(support, row);
        let ((k, k_tt), rate, diags) = (row, RATE / expected.weight, support.coefficients.diags());
        if support.kernel.translation_invariant() {
            let (step, used) = ([rate, error].map(T::from_f64), support.n_simd_used());
            support.ops.follow_error(k, diags, &mut self.by_slot, step, used);
        } else {
            for slot in support.order.iter() {
                let near = self.get(slot);
                let w = weight(k.get(slot.index()), diags.get(slot.index()), k_tt);
                self.set(slot, near + rate * w * (error - near));
            }
        }
        saturating_inc(&mut self.rows);
        self.mean += (error - self.mean) * running_weight(self.rows);
        expected.error
    }

    /// The mean error.
    pub(super) fn mean(&self) -> f64 {
        self.mean
    }

    /// The error near a support vector.
    pub(super) fn get(&self, slot: Slot) -> f64 {
        self.by_slot.get(slot.index()).to_f64()
    }

    /// Sets the error near a support vector.
    pub(super) fn set(&mut self, slot: Slot, error: f64) {
        self.by_slot.set(slot.index(), T::from_f64(error));
    }

    /// Multiplies all errors.
    pub(super) fn multiply(&mut self, factor: f64) {
        let multiplied = |error: f64| (error * factor).min(MAX_ERROR);
        for place in 0..self.by_slot.as_slice().len() * T::LANES {
            self.by_slot.set(place, T::from_f64(multiplied(self.by_slot.get(place).to_f64())));
        }
        self.mean = multiplied(self.mean);
    }

    /// Sets the mean, after the rows of another expansion.
    pub(super) fn set_mean(&mut self, mean: f64, other: &Self) {
        (self.mean, self.rows) = (mean.min(MAX_ERROR), other.rows);
    }

    /// Sets the error near a new support vector, before the edit.
    #[inline(always)]
    pub(super) fn before_edit(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        if let Edit::Insert { slot, new } = edit {
            let k_tt = support.kernel.diag(new.row_stat);
            let error = self.expected(support, (new.k, k_tt)).error;
            self.set(*slot, error);
        }
    }

    /// Merges and clears the errors of slots, after an edit.
    #[inline(always)]
    pub(super) fn after_edit(&mut self, edit: &Edit<'_, T>) {
        match *edit {
            Edit::Merge { merger: MergedPair { m, n, h, .. }, .. } => {
                let (h, at_n) = (h.clamp(0.0, 1.0), self.get(n));
                self.set(n, at_n + h * (self.get(m) - at_n));
                self.set(m, 0.0);
            }
            Edit::Remove { slot, .. } | Edit::Project { p: slot, .. } => self.set(slot, 0.0),
            Edit::Insert { .. }
            | Edit::Give { .. }
            | Edit::Redirect { .. }
            | Edit::Absorb { .. }
            | Edit::MultiplyAll { .. }
            | Edit::MultiplyOthers { .. }
            | Edit::StepLinear { .. }
            | Edit::CommitInsert => {}
        }
    }

    pub(super) fn grow(&mut self, n_simd: usize) {
        self.by_slot.grow(n_simd);
    }

    pub(super) fn save(&self, support: &SupportSet<T>, out: &mut Tensors) {
        out.put("near", &[support.high], (0..support.high).map(|slot| self.by_slot.get(slot)));
        out.set("mean", self.mean);
        out.set("rows", self.rows);
    }

    /// Restores the errors written by [`LocalErrors::save`].
    pub(super) fn load(&mut self, from: &Tensors, support: &SupportSet<T>) -> Result<()> {
        let near: Vec<T> = from.get("near", &[support.high])?;
        (self.mean, self.rows) = (from.finite("mean")?, from.count("rows")?);
        let valid = |(slot, error): (usize, &T)| {
            let max = if support.order.is_live(Slot(slot as u32)) { MAX_ERROR } else { 0.0 };
            (0.0..=max).contains(&error.to_f64())
        };
        if !(0.0..=MAX_ERROR).contains(&self.mean) || !near.iter().enumerate().all(valid) {
            let reason = "the expected errors must lie between 0 and 2^53, and be 0 in free slots";
            return Err(Error::Model(reason.into()));
        }
        for (slot, error) in near.into_iter().enumerate() {
            self.by_slot.set(slot, error);
        }
        Ok(())
    }
}
