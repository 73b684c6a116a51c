//! The coefficients of an expansion: alpha per slot and output, the weight `|alpha_j|^2 k_jj` of each slot,
//! and the linear term.

use super::linear_term::LinearTerm;
use crate::added_outputs::AddedOutputs;
use crate::float::{Real, max};
use crate::ops::{CoefficientView, SimdBuffer, Weighted};
use crate::slot::Slot;

/// `alpha` in the layout `[SIMD vector][output]`, with `k_jj` and `|alpha_j|^2 k_jj`. Free lanes are zero.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Coefficients<T: Real> {
    alpha: SimdBuffer<T>,
    diags: SimdBuffer<T>,
    weights: SimdBuffer<T>,
    outputs: usize,
    linear: Option<LinearTerm<T>>,
}

/// The index of the coefficient of a slot and an output.
#[inline(always)]
pub(crate) fn index<T: Real>(outputs: usize, slot: Slot, output: usize) -> usize {
    let (vector, lane) = (slot.index() / T::LANES, slot.index() % T::LANES);
    (vector * outputs + output) * T::LANES + lane
}

/// Coefficients, or values in the layout of coefficients, with outputs for more classes.
pub(crate) fn with_added_outputs<T: Real>(values: &SimdBuffer<T>, added: AddedOutputs) -> SimdBuffer<T> {
    let n_simd = values.as_slice().len() / added.n_before();
    let mut wider = SimdBuffer::zeros(n_simd * added.n_after());
    for slot in (0..n_simd * T::LANES).map(|i| Slot(i as u32)) {
        for output in 0..added.n_after() {
            let old = |output| values.get(index::<T>(added.n_before(), slot, output));
            wider.set(index::<T>(added.n_after(), slot, output), added.output(output, old));
        }
    }
    wider
}

impl<T: Real> Coefficients<T> {
    /// Coefficients of `outputs` outputs, without slots.
    pub(crate) fn new(outputs: usize) -> Self {
        let [alpha, diags, weights] = [(); 3].map(|()| SimdBuffer::default());
        Self { alpha, diags, weights, outputs, linear: None }
    }

    pub(crate) fn grow(&mut self, n_simd: usize) {
        self.alpha.grow(n_simd * self.outputs);
        self.diags.grow(n_simd);
        self.weights.grow(n_simd);
    }

    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    #[inline(always)]
    fn index(&self, slot: Slot, output: usize) -> usize {
        index::<T>(self.outputs, slot, output)
    }

    /// The linear term, if there is one.
    pub(crate) fn linear(&self) -> Option<&LinearTerm<T>> {
        self.linear.as_ref()
    }

    /// The linear term for changes, if there is one.
    pub(super) fn linear_mut(&mut self) -> Option<&mut LinearTerm<T>> {
        self.linear.as_mut()
    }

    /// Sets the linear term.
    pub(super) fn set_linear(&mut self, linear: LinearTerm<T>) {
        self.linear = Some(linear);
    }

    /// Adds the linear term of one expansion, divided by the factor of this expansion, to the linear term.
    pub(crate) fn add_linear(&mut self, other: &LinearTerm<T>, factor: f64) {
        if let Some(linear) = &mut self.linear {
            linear.add(other, T::from_f64(1.0 / factor));
        }
    }

    pub(super) fn add_features(&mut self, features: usize) {
        if let Some(linear) = &mut self.linear {
            linear.add_features(features);
        }
    }

    /// Adds outputs for more classes.
    pub(super) fn add_outputs(&mut self, added: AddedOutputs) {
        self.alpha = with_added_outputs(&self.alpha, added);
        self.outputs = added.n_after();
        let mut alpha = vec![T::ZERO; self.outputs];
        for slot in (0..self.diags.as_slice().len() * T::LANES).map(|i| Slot(i as u32)) {
            self.read(slot, &mut alpha);
            self.write(slot, &alpha, self.diags.get(slot.index()));
        }
        if let Some(linear) = &mut self.linear {
            linear.add_outputs(added);
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self, slot: Slot, output: usize) -> T {
        self.alpha.get(self.index(slot, output))
    }

    /// Sets a coefficient without updating the weight.
    pub(super) fn set(&mut self, slot: Slot, output: usize, a: T) {
        let index = self.index(slot, output);
        self.alpha.set(index, a);
    }

    /// Reads the coefficients of a slot.
    #[inline(always)]
    pub(crate) fn read(&self, slot: Slot, alpha: &mut [T]) {
        for (output, a) in alpha.iter_mut().enumerate() {
            *a = self.get(slot, output);
        }
    }

    /// Writes the coefficients of a slot whose vector has `k_jj = diag`.
    #[inline(always)]
    pub(super) fn write(&mut self, slot: Slot, alpha: &[T], diag: T) {
        self.write_without_negligible(slot, alpha, diag, T::ZERO);
    }

    /// Writes new coefficients of a slot whose vector has `k_jj = diag`; negligible ones become zero.
    #[inline(always)]
    pub(super) fn write_new(&mut self, slot: Slot, alpha: &[T], diag: T) {
        let largest = alpha.iter().fold(T::ZERO, |largest, &a| max(largest, max(a, -a)));
        let negligible = max(largest * T::NEGLIGIBLE, T::FLUSH_BELOW);
        self.write_without_negligible(slot, alpha, diag, negligible);
    }

    #[inline(always)]
    fn write_without_negligible(&mut self, slot: Slot, alpha: &[T], diag: T, negligible: T) {
        let mut weight = T::ZERO;
        for (output, &a) in alpha.iter().enumerate() {
            let a = if a < negligible && -a < negligible { T::ZERO } else { a };
            let index = self.index(slot, output);
            self.alpha.set(index, a);
            // Summed and rounded as in the SIMD loops. `a * (a * diag)` keeps the square of a small coefficient from
            // underflow.
            weight += a * (a * diag);
        }
        self.diags.set(slot.index(), diag);
        self.weights.set(slot.index(), weight);
    }

    /// Sets one coefficient of a freed slot, and its weight, to zero.
    #[inline(always)]
    pub(super) fn clear(&mut self, slot: Slot, output: usize) {
        let index = self.index(slot, output);
        self.alpha.set(index, T::ZERO);
        self.diags.set(slot.index(), T::ZERO);
        self.weights.set(slot.index(), T::ZERO);
    }

    /// `k_jj` of every slot.
    #[inline(always)]
    pub(crate) fn diags(&self) -> &SimdBuffer<T> {
        &self.diags
    }

    /// `|alpha_j|^2 k_jj` of every slot.
    #[inline(always)]
    pub(crate) fn weights(&self) -> &SimdBuffer<T> {
        &self.weights
    }

    /// A view of the coefficients for the operations.
    #[inline]
    pub(crate) fn view(&self) -> CoefficientView<'_, T> {
        CoefficientView { data: self.alpha.as_slice(), outputs: self.outputs }
    }

    /// The coefficients with diagonals and weights for changes, in the first `used` SIMD vectors.
    pub(super) fn weighted(&mut self, used: usize) -> Weighted<'_, T> {
        let Self { alpha, diags, weights, outputs, .. } = self;
        Weighted { data: alpha.as_mut_slice(), outputs: *outputs, diags, weights, used }
    }
}
