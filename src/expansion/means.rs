//! Weighted means of past expansions (Le et al. 2016, Algorithms 1 and 2).

use super::coefficients::{Coefficients, index, with_added_outputs};
use super::edit::{Edit, MergedPair};
use super::linear_term::LinearTerm;
use super::support_set::SupportSet;
use crate::added_outputs::AddedOutputs;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::ops::{CoefficientView, SimdBuffer};
use crate::persist::Tensors;
use crate::slot::Slot;

/// The inverse weight above which the residual is multiplied out, so that it stays in the range of the type.
const RENORM_ABOVE: f64 = 1e6;

/// A mean `m <- (1 - rho) m + rho w` of expansions `w = scale alpha`, stored as its difference from the last expansion:
/// `m = current_weight alpha + residual / inv_residual_weight`.
///
/// A row that does not change the expansion costs two numbers:
/// `current_weight <- (1 - rho) current_weight + rho scale` and
/// `inv_residual_weight <- inv_residual_weight / (1 - rho)`. A step g of a coefficient changes its residual
/// by `-g current_weight inv_residual_weight`, so that the mean does not change.
#[derive(Debug, Clone, PartialEq)]
struct Mean<T: Real> {
    /// The weight of the last expansion.
    current_weight: f64,
    /// The inverse of the weight of the residual.
    inv_residual_weight: f64,
    /// The residual of each coefficient, in the layout of the coefficients.
    residual: SimdBuffer<T>,
}

/// The means, by number. Projection and merging move a vector's residuals with it; removal sets them to zero.
/// Invariant: the residuals of slots that are not live are zero. The linear term holds its own residuals.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Means<T: Real> {
    outputs: usize,
    all: Vec<Mean<T>>,
}

/// The names of the means in a model file.
const NAMES: [&str; 2] = ["first", "second"];

/// `x` in the type T, clipped to its range: an expansion may diverge.
#[inline(always)]
fn clipped<T: Real>(x: f64) -> T {
    T::from_f64(x.clamp(T::MIN.to_f64(), -T::MIN.to_f64())).flush_to_zero()
}

impl<T: Real> Mean<T> {
    /// Adds the present expansion with the weight `rho`. Returns the factor that the residuals must be
    /// multiplied by, if any.
    #[inline(always)]
    fn observe(&mut self, rho: f64, scale: f64) -> Option<T> {
        if rho >= 1.0 {
            return Some(self.restart(scale));
        }
        self.current_weight += rho * (scale - self.current_weight);
        self.inv_residual_weight /= 1.0 - rho;
        (self.inv_residual_weight > RENORM_ABOVE)
            .then(|| T::from_f64(1.0 / std::mem::replace(&mut self.inv_residual_weight, 1.0)))
    }

    /// Restarts the mean from the last expansion. Returns the factor that the residuals must be multiplied by.
    fn restart(&mut self, scale: f64) -> T {
        (self.current_weight, self.inv_residual_weight) = (scale, 1.0);
        T::ZERO
    }

    #[inline(always)]
    fn residuals(&self, outputs: usize) -> CoefficientView<'_, T> {
        CoefficientView { data: self.residual.as_slice(), outputs }
    }

    /// The change of a residual per unit step of its coefficient.
    #[inline(always)]
    fn residual_rate(&self) -> f64 {
        -self.current_weight * self.inv_residual_weight
    }

    /// Corrects the residual at an index for a step of the coefficient, so that the mean does not change.
    #[inline(always)]
    fn step(&mut self, index: usize, step: T) {
        let residual = self.residual.get(index).to_f64() + step.to_f64() * self.residual_rate();
        self.residual.set(index, clipped(residual));
    }

    /// Adds `factor` times the residual at `from` to the residual at `to`.
    #[inline(always)]
    fn add(&mut self, [to, from]: [usize; 2], factor: f64) {
        let sum = self.residual.get(to).to_f64() + factor * self.residual.get(from).to_f64();
        self.residual.set(to, clipped(sum));
    }
}

impl<T: Real> Means<T> {
    /// `n` means of an empty expansion, at most two.
    pub(crate) fn new(outputs: usize, n: usize) -> Self {
        let mean = Mean { current_weight: 0.0, inv_residual_weight: 1.0, residual: SimdBuffer::default() };
        Self { outputs, all: vec![mean; n] }
    }

    /// Adds the present expansion to each mean, with one weight per mean.
    #[inline(always)]
    pub(crate) fn observe(&mut self, support: &mut SupportSet<T>, shares: &[f64]) {
        for (number, &share) in shares.iter().enumerate().take(self.all.len()) {
            if let Some(factor) = self.all[number].observe(share, support.scale) {
                self.scale_residual(number, support, factor);
            }
        }
    }

    /// Restarts all means from the last expansion.
    pub(crate) fn restart(&mut self, support: &mut SupportSet<T>) {
        for number in 0..self.all.len() {
            let factor = self.all[number].restart(support.scale);
            self.scale_residual(number, support, factor);
        }
    }

    /// Multiplies the residuals of a mean.
    #[inline(never)]
    fn scale_residual(&mut self, number: usize, support: &mut SupportSet<T>, factor: T) {
        support.ops.scale_buffer(&mut self.all[number].residual, factor);
        if let Some(linear) = support.coefficients.linear_mut() {
            linear.scale_residual(number, factor);
        }
    }

    /// Multiplies the residuals of all means, as all coefficients are multiplied.
    pub(crate) fn multiply_residuals(&mut self, support: &mut SupportSet<T>, factor: f64) {
        (0..self.all.len()).for_each(|number| self.scale_residual(number, support, T::from_f64(factor)));
    }

    /// For each mean, the change of a residual as a function of the step of its coefficient.
    #[inline(always)]
    pub(crate) fn residual_steps(&self) -> impl Iterator<Item = impl Fn(T) -> T> {
        self.all.iter().map(|mean| {
            let rate = mean.residual_rate();
            move |step: T| clipped(step.to_f64() * rate)
        })
    }

    /// Writes the scores of a row by the first mean to `f`, from the kernel row, the values of the linear term and the
    /// scores of the last expansion.
    #[inline(always)]
    pub(crate) fn scores(
        &self,
        support: &SupportSet<T>,
        (k, linear_values, last): (&SimdBuffer<T>, &SimdBuffer<T>, &[T]),
        f: &mut [T],
    ) {
        let (ops, used, outputs) = (support.ops, support.n_simd_used(), self.outputs);
        let Some(mean) = self.all.first() else { return };
        ops.dot_kernel_row(&[mean.residuals(outputs)], k, used, f);
        if let Some(linear) = support.coefficients.linear() {
            linear.add_residual(0, linear_values, f);
        }
        let (current_weight, residual_weight) =
            (T::from_f64(mean.current_weight), T::from_f64(1.0 / mean.inv_residual_weight));
        f.iter_mut().zip(last).for_each(|(f, last)| *f = current_weight * *last + *f * residual_weight);
    }

    /// Makes the second mean the first.
    pub(crate) fn advance(&mut self, support: &mut SupportSet<T>) {
        self.all.swap(0, 1);
        if let Some(linear) = support.coefficients.linear_mut() {
            linear.swap_residuals();
        }
    }

    /// Replaces the coefficients of the last expansion in `coefficients` by the coefficients of a mean,
    /// without the scale.
    pub(crate) fn write(&self, number: usize, support: &SupportSet<T>, coefficients: &mut Coefficients<T>) {
        let mean = &self.all[number];
        for slot in support.order.iter() {
            for output in 0..self.outputs {
                let residual = mean.residual.get(self.index(slot, output)).to_f64();
                // In this order the two terms of a vector inserted since the last accumulation cancel exactly.
                let a = coefficients.get(slot, output).to_f64() * mean.current_weight
                    + residual / mean.inv_residual_weight;
                coefficients.set(slot, output, T::from_f64(a / support.scale));
            }
        }
        if let Some(linear) = coefficients.linear_mut() {
            let current_weight = mean.current_weight / support.scale;
            let residual_weight = 1.0 / (mean.inv_residual_weight * support.scale);
            *linear = linear.mean(number, T::from_f64(current_weight), T::from_f64(residual_weight));
        }
    }

    #[inline(always)]
    fn index(&self, slot: Slot, output: usize) -> usize {
        index::<T>(self.outputs, slot, output)
    }

    fn each_output(&mut self, mut change: impl FnMut(&mut Mean<T>, usize)) {
        for mean in &mut self.all {
            (0..self.outputs).for_each(|output| change(mean, output));
        }
    }

    /// Sets the residuals of a removed slot to zero.
    fn clear(&mut self, slot: Slot) {
        let outputs = self.outputs;
        self.each_output(|mean, output| mean.residual.set(index::<T>(outputs, slot, output), T::ZERO));
    }

    /// Adds `d_i` times the residuals of `p` to each slot of `receivers` except `p`.
    fn spread(&mut self, p: Slot, receivers: &[Slot], d: &[f64]) {
        let outputs = self.outputs;
        for (&slot, &d) in receivers.iter().zip(d).filter(|(slot, _)| **slot != p) {
            let indices = |output| [slot, p].map(|slot| index::<T>(outputs, slot, output));
            self.each_output(|mean, output| mean.add(indices(output), d));
        }
    }

    /// Merges the residuals of `m` into `n`, whose coefficients become `u alpha_m + v alpha_n`.
    fn merge(&mut self, m: Slot, n: Slot, u: f64, v: f64) {
        let outputs = self.outputs;
        self.each_output(|mean, output| {
            let [to, from] = [n, m].map(|slot| index::<T>(outputs, slot, output));
            mean.residual.set(to, clipped(v * mean.residual.get(to).to_f64()));
            mean.add([to, from], u);
        });
    }

    /// Corrects the residuals of a slot for steps of its coefficients.
    fn step(&mut self, slot: Slot, step: impl Fn(usize) -> T) {
        let outputs = self.outputs;
        self.each_output(|mean, output| mean.step(index::<T>(outputs, slot, output), step(output)));
    }

    /// Corrects the residuals before the coefficients of all slots except `except` are multiplied.
    fn multiply(&mut self, factor: f64, except: Option<Slot>, support: &SupportSet<T>) {
        let SupportSet { coefficients, order, .. } = support;
        let change = T::from_f64(factor) - T::ONE;
        for slot in order.iter().filter(|slot| Some(*slot) != except) {
            self.step(slot, |output| change * coefficients.get(slot, output));
        }
    }

    /// Corrects the residuals of the linear term before it is multiplied.
    pub(crate) fn multiply_linear(&self, linear: &mut LinearTerm<T>, factor: f64) {
        let change = T::from_f64(factor) - T::ONE;
        for (number, mean) in self.all.iter().enumerate() {
            linear.add_to_residual(number, T::from_f64(change.to_f64() * mean.residual_rate()));
        }
    }
}

impl<T: Real> Means<T> {
    /// Updates the residuals before an edit. Projection and merging move a vector's residuals with it.
    pub(super) fn before_edit(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        let coefficients = &support.coefficients;
        match *edit {
            Edit::Merge { merger: MergedPair { m, n, u, v, .. }, .. } => self.merge(m, n, u, v),
            Edit::Project { p, receivers, d, .. } => self.spread(p, receivers, d),
            Edit::Give { from, to, share } => self.spread(from, &[to], &[share.to_f64()]),
            Edit::Redirect { slot, new_tau } => self.step(slot, |output| {
                let a = coefficients.get(slot, output);
                if a == T::ZERO { a } else { new_tau.copysign(a) - a }
            }),
            Edit::Absorb { receivers, d, share, alpha } => {
                for (&slot, &d) in receivers.iter().zip(d) {
                    let d = T::from_f64(share * d);
                    self.step(slot, |output| d * alpha[output]);
                }
            }
            Edit::MultiplyAll { factor } => self.multiply(factor, None, support),
            Edit::MultiplyOthers { slot, factor, .. } => self.multiply(factor, Some(slot), support),
            Edit::Insert { .. } | Edit::Remove { .. } | Edit::StepLinear { .. } | Edit::CommitInsert => {}
        }
    }

    /// Updates the residuals after an edit.
    pub(super) fn after_edit(&mut self, edit: &Edit<'_, T>) {
        match *edit {
            Edit::Insert { slot, new } => self.step(slot, |output| new.alpha[output]),
            Edit::Remove { slot, .. }
            | Edit::Merge { merger: MergedPair { m: slot, .. }, .. }
            | Edit::Project { p: slot, .. } => self.clear(slot),
            Edit::Give { .. }
            | Edit::Redirect { .. }
            | Edit::Absorb { .. }
            | Edit::MultiplyAll { .. }
            | Edit::MultiplyOthers { .. }
            | Edit::StepLinear { .. }
            | Edit::CommitInsert => {}
        }
    }

    pub(super) fn grow(&mut self, n_simd: usize) {
        for mean in &mut self.all {
            mean.residual.grow(n_simd * self.outputs);
        }
    }

    pub(super) fn add_outputs(&mut self, added: AddedOutputs) {
        self.outputs = added.n_after();
        for mean in &mut self.all {
            mean.residual = with_added_outputs(&mean.residual, added);
        }
    }

    /// Writes the means.
    pub(super) fn save(&self, support: &SupportSet<T>, out: &mut Tensors) {
        let slots = (0..support.high).map(|i| Slot(i as u32));
        let entries: Vec<_> =
            slots.flat_map(|slot| (0..self.outputs).map(move |output| (slot, output))).collect();
        for (name, mean) in NAMES.into_iter().zip(&self.all) {
            let out = out.scope_mut(name);
            out.set("current_weight", mean.current_weight);
            out.set("inv_residual_weight", mean.inv_residual_weight);
            let residual = entries.iter().map(|&(slot, output)| mean.residual.get(self.index(slot, output)));
            out.put("residual", &[support.high, self.outputs], residual);
        }
    }

    /// Restores means written by [`Means::save`].
    pub(super) fn load(&mut self, from: &Tensors, support: &SupportSet<T>) -> Result<()> {
        let error = |reason: &'static str| Error::Model(reason.into());
        let outputs = self.outputs;
        for (name, mean) in NAMES.into_iter().zip(&mut self.all) {
            let from = from.scope(name)?;
            (mean.current_weight, mean.inv_residual_weight) =
                (from.finite("current_weight")?, from.finite("inv_residual_weight")?);
            if mean.current_weight < 0.0 || !(1.0..=RENORM_ABOVE).contains(&mean.inv_residual_weight) {
                return Err(error("the weights of a mean are out of range"));
            }
            let residual: Vec<T> = from.get("residual", &[support.high, outputs])?;
            for (slot, residual) in residual.chunks_exact(outputs).enumerate() {
                let slot = Slot(slot as u32);
                let live = support.order.is_live(slot);
                if !residual.iter().all(|r| r.is_finite() && (live || *r == T::ZERO)) {
                    return Err(error("a mean must be finite, and zero in free slots"));
                }
                for (output, r) in residual.iter().enumerate() {
                    mean.residual.set(index::<T>(outputs, slot, output), *r);
                }
            }
        }
        Ok(())
    }
}
