//! Edits of support vectors and coefficients. Derived state (the Gram factor, neighbours, margins, the norm)
//! is notified before and after each edit.

use super::{
    Edit, KernelExpansion, LinearInput, MergedPair, NewSupportVector, NormChange, OnEdit, Slot, SupportSet,
};
use crate::batch::Row;
use crate::float::Real;

/// The largest factor by which a change of the unit multiplies coefficients at once: 2^60.
const MAX_UNIT_FACTOR: f64 = (1_u64 << 60) as f64;

impl<T: Real> KernelExpansion<T> {
    /// Makes an edit, and updates the means and the derived state.
    #[inline]
    pub(crate) fn edit(&mut self, edit: Edit<'_, T>, derived_state: &mut impl OnEdit<T>) {
        let Self { support, means, local_errors, buffers, .. } = self;
        if let Some(means) = means {
            means.before_edit(&edit, support);
        }
        if let Some(errors) = local_errors {
            errors.before_edit(&edit, support);
        }
        derived_state.before_edit(&edit, support);
        support.edit(edit, &mut buffers.by_slot, &mut buffers.alpha);
        if let Some(means) = means {
            means.after_edit(&edit);
        }
        if let Some(errors) = local_errors {
            errors.after_edit(&edit);
        }
        derived_state.after_edit(&edit, support);
    }

    /// Inserts a support vector, into a freed slot if there is one.
    pub(crate) fn insert(
        &mut self,
        new: NewSupportVector<'_, T>,
        derived_state: &mut impl OnEdit<T>,
    ) -> Slot {
        let slot = self.take_slot(derived_state);
        self.edit(Edit::Insert { slot, new }, derived_state);
        slot
    }

    /// Replaces the oldest support vector of an expansion without derived state.
    pub(crate) fn replace_oldest(&mut self, new: NewSupportVector<'_, T>) {
        let oldest = self.nth_oldest(0);
        match new.z {
            // The new vector overwrites all values of the slot.
            Row::Dense(_) => {
                self.support.order.remove(oldest);
                self.support.free.push(oldest);
            }
            Row::Sparse(..) => self.remove(oldest, &mut ()),
        }
        self.insert(new, &mut ());
    }

    /// Removes all support vectors of an expansion without derived state, as if none had been inserted.
    pub(crate) fn clear(&mut self) {
        while self.len() > 0 {
            self.remove(self.nth_oldest(0), &mut ());
            self.support.free.clear();
        }
        self.support.high = 0;
    }

    /// Ends an insertion and the maintenance that followed: writes the new vector to its slot, unless it was merged or
    /// removed, and notifies the derived state.
    #[inline]
    pub(crate) fn commit_insert(&mut self, derived_state: &mut impl OnEdit<T>) {
        self.support.write_waiting();
        derived_state.before_edit(&Edit::CommitInsert, &self.support);
        derived_state.after_edit(&Edit::CommitInsert, &self.support);
    }

    /// A step of the linear term, which no derived state follows: `V += factor alpha x`, `v0 += constant alpha`.
    pub(crate) fn step_linear(&mut self, alpha: &[T], (factor, constant, x): (f64, f64, LinearInput<'_, T>)) {
        let mut step = std::mem::take(&mut self.buffers.by_output);
        let linear =
            self.support.coefficients.linear().expect("an expansion that makes steps has a linear term");
        linear.put_steps(alpha.iter().map(|a| T::from_f64(a.to_f64() * factor)), &mut step);
        if let Some(means) = &self.means {
            for (number, residual_step) in means.residual_steps().enumerate() {
                linear.put_residual_steps(number, residual_step, &mut step);
            }
        }
        let constant_ratio = T::from_f64(constant / factor);
        self.edit(Edit::StepLinear { step: &step, x, constant: constant_ratio }, &mut ());
        self.buffers.by_output = step;
    }

    /// Removes a support vector.
    pub(crate) fn remove(&mut self, slot: Slot, derived_state: &mut impl OnEdit<T>) {
        self.edit(Edit::Remove { slot, inner_product: None }, derived_state);
    }

    /// Replaces two support vectors by one.
    pub(crate) fn merge(&mut self, merger: MergedPair<'_, T>, derived_state: &mut impl OnEdit<T>) {
        let MergedPair { m, x_m, n, h, u, v, .. } = merger;
        let (h, u, v) = (T::from_f64(h), T::from_f64(u), T::from_f64(v));
        let (mut merged, mut alpha) =
            (std::mem::take(&mut self.buffers.x), std::mem::take(&mut self.buffers.alpha));
        self.support.read(n, &mut merged);
        for (merged, &x) in merged.iter_mut().zip(x_m) {
            *merged += h * (x - *merged);
        }
        let coefficients = &self.support.coefficients;
        for (output, a) in alpha.iter_mut().enumerate() {
            *a = u * coefficients.get(m, output) + v * coefficients.get(n, output);
        }
        self.edit(Edit::Merge { merger, merged: &merged, alpha: &alpha }, derived_state);
        (self.buffers.x, self.buffers.alpha) = (merged, alpha);
    }

    /// Removes `p` and adds its projection to the slots of `receivers`: `alpha_i += d_i alpha_p`. The squared
    /// change of the expansion is `sq_change`. If a coefficient would leave the range of the type, `p` is
    /// removed without projection. Returns the squared change of the expansion.
    pub(crate) fn remove_projected(
        &mut self,
        p: Slot,
        (receivers, d): (&[Slot], &[f64]),
        sq_change: f64,
        change: NormChange,
        derived_state: &mut impl OnEdit<T>,
    ) -> f64 {
        let squared_alpha = self.support.squared_alpha(p);
        if d.iter().all(|d| d * d * squared_alpha <= T::MAX_SQ_NORM) {
            self.edit(Edit::Project { p, receivers, d, change }, derived_state);
            return sq_change;
        }
        let sq_norm = self.support.coefficients.weights().get(p.index()).to_f64();
        self.edit(Edit::Project { p, receivers: &[], d: &[], change: NormChange::Unknown }, derived_state);
        sq_norm
    }

    /// Projects `p` on a few support vectors and removes it: `alpha_i += d_i alpha_p` leaves the squared residual
    /// `residual` of `phi_p`. Returns the squared change of the expansion.
    pub(crate) fn project_on(
        &mut self,
        p: Slot,
        receivers: &[Slot],
        d: &[f64],
        residual: f64,
        derived_state: &mut impl OnEdit<T>,
    ) -> f64 {
        let sq_change = residual * self.support.squared_alpha(p);
        self.remove_projected(p, (receivers, d), sq_change, NormChange::Residual(sq_change), derived_state)
    }

    /// Multiplies every coefficient, including the linear term; scale and unit do not change.
    #[inline(always)]
    pub(crate) fn multiply_coefficients(&mut self, factor: f64, derived_state: &mut impl OnEdit<T>) {
        if factor != 1.0 {
            let Self { support, means, .. } = self;
            if let (Some(means), Some(linear)) = (means, support.coefficients.linear_mut()) {
                means.multiply_linear(linear, factor);
            }
            self.edit(Edit::MultiplyAll { factor }, derived_state);
        }
    }

    /// Expresses coefficients, means and expected errors in another unit, a power of two. The function
    /// does not change.
    #[inline(always)]
    pub(crate) fn set_unit(&mut self, unit: f64, derived_state: &mut impl OnEdit<T>) {
        if unit != self.support.unit {
            self.change_unit(unit, derived_state);
        }
    }

    #[cold]
    fn change_unit(&mut self, unit: f64, derived_state: &mut impl OnEdit<T>) {
        let Self { support, means, local_errors, buffers, .. } = self;
        while support.unit != unit {
            // Larger factors may be infinite in single precision.
            let factor = (support.unit / unit).min(MAX_UNIT_FACTOR);
            let edit = Edit::MultiplyAll { factor };
            derived_state.before_edit(&edit, support);
            support.edit(edit, &mut buffers.by_slot, &mut buffers.alpha);
            derived_state.after_edit(&edit, support);
            if let Some(means) = means {
                means.multiply_residuals(support, factor);
            }
            if let Some(errors) = local_errors {
                errors.multiply(factor);
            }
            support.unit /= factor;
        }
    }

    /// Changes gamma of the kernel, and recomputes from scratch everything that depends on gamma.
    pub(crate) fn set_gamma(&mut self, gamma: f64, derived_state: &mut impl OnEdit<T>) {
        self.support.kernel = self.support.kernel.with_gamma(gamma);
        self.refresh(derived_state);
    }

    /// Recomputes from scratch everything that depends on the vectors and the kernel.
    pub(crate) fn refresh(&mut self, derived_state: &mut impl OnEdit<T>) {
        let SupportSet { kernel, coefficients, row_stats, order, .. } = &mut self.support;
        for slot in order.iter() {
            coefficients.read(slot, &mut self.buffers.alpha);
            coefficients.write(slot, &self.buffers.alpha, kernel.diag(row_stats.get(slot.index())));
        }
        derived_state.refresh(&self.support);
    }

    fn take_slot(&mut self, derived_state: &mut impl OnEdit<T>) -> Slot {
        if let Some(slot) = self.support.free.pop() {
            return slot;
        }
        if self.support.high == self.n_simd() * T::LANES {
            debug_assert!(
                self.support.capacity.is_none_or(|capacity| self.support.high < capacity),
                "a bounded expansion never exceeds its capacity"
            );
            self.add_panel();
            derived_state.reserve(self.n_simd());
        }
        self.support.high += 1;
        Slot(self.support.high as u32 - 1)
    }

    /// Adds one panel of slots.
    pub(super) fn add_panel(&mut self) {
        let n_simd = self.support.add_panel();
        self.buffers.by_slot.grow(n_simd);
        if let Some(means) = &mut self.means {
            means.grow(n_simd);
        }
        if let Some(errors) = &mut self.local_errors {
            errors.grow(n_simd);
        }
    }
}
