//! The coefficients: one column per output, a lane per slot, and what each support vector weighs; and the linear part.

use super::linear_term::LinearTerm;
use crate::float::Real;
use crate::ops::{CoefficientView, SimdBuffer, Weighted};
use crate::output_expansion::OutputExpansion;
use crate::slot::Slot;

/// `alpha`, laid out `[vector of lanes][output]`, with `k_jj` and `|alpha_j|^2 k_jj`. Free lanes are zero.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Coefficients<T: Real> {
    alpha: SimdBuffer<T>,
    diags: SimdBuffer<T>,
    weights: SimdBuffer<T>,
    outputs: usize,
    linear: Option<LinearTerm<T>>,
}

/// Where the coefficient of a slot and an output lies.
#[inline(always)]
pub(crate) fn place<T: Real>(outputs: usize, slot: Slot, output: usize) -> usize {
    let (vector, lane) = (slot.index() / T::LANES, slot.index() % T::LANES);
    (vector * outputs + output) * T::LANES + lane
}

/// Coefficients, or values laid out like coefficients, with outputs for more classes.
pub(crate) fn with_classes<T: Real>(lanes: &SimdBuffer<T>, growth: OutputExpansion) -> SimdBuffer<T> {
    let vectors = lanes.as_slice().len() / growth.before();
    let mut wider = SimdBuffer::zeros(vectors * growth.after());
    for slot in (0..vectors * T::LANES).map(|i| Slot(i as u32)) {
        for output in 0..growth.after() {
            let old = |output| lanes.get(place::<T>(growth.before(), slot, output));
            wider.set(place::<T>(growth.after(), slot, output), growth.output(output, old));
        }
    }
    wider
}

impl<T: Real> Coefficients<T> {
    /// For `outputs` columns, as yet without room for a slot.
    pub(crate) fn new(outputs: usize) -> Self {
        let [alpha, diags, weights] = [(); 3].map(|()| SimdBuffer::default());
        Self { alpha, diags, weights, outputs, linear: None }
    }

    pub(crate) fn grow(&mut self, vectors: usize) {
        self.alpha.grow(vectors * self.outputs);
        self.diags.grow(vectors);
        self.weights.grow(vectors);
    }

    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    #[inline(always)]
    fn place(&self, slot: Slot, output: usize) -> usize {
        place::<T>(self.outputs, slot, output)
    }

    /// The linear part, if there is one.
    pub(crate) fn linear(&self) -> Option<&LinearTerm<T>> {
        self.linear.as_ref()
    }

    /// The same to change.
    pub(super) fn linear_mut(&mut self) -> Option<&mut LinearTerm<T>> {
        self.linear.as_mut()
    }

    /// From now on there is this linear part.
    pub(super) fn set_linear(&mut self, linear: LinearTerm<T>) {
        self.linear = Some(linear);
    }

    pub(super) fn widen(&mut self, features: usize) {
        if let Some(linear) = &mut self.linear {
            linear.widen(features);
        }
    }

    /// Outputs for more classes.
    pub(super) fn add_classes(&mut self, growth: OutputExpansion) {
        self.alpha = with_classes(&self.alpha, growth);
        self.outputs = growth.after();
        let mut row = vec![T::ZERO; self.outputs];
        for slot in (0..self.diags.as_slice().len() * T::LANES).map(|i| Slot(i as u32)) {
            self.read(slot, &mut row);
            self.weights.set(slot.index(), weight(&row, self.diags.get(slot.index())));
        }
        if let Some(linear) = &mut self.linear {
            linear.add_classes(growth);
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self, slot: Slot, output: usize) -> T {
        self.alpha.get(self.place(slot, output))
    }

    /// Sets a coefficient alone.
    pub(super) fn set(&mut self, slot: Slot, output: usize, a: T) {
        let place = self.place(slot, output);
        self.alpha.set(place, a);
    }

    /// Reads the coefficient row of a slot.
    #[inline(always)]
    pub(crate) fn read(&self, slot: Slot, row: &mut [T]) {
        for (output, a) in row.iter_mut().enumerate() {
            *a = self.get(slot, output);
        }
    }

    /// Writes the coefficient row of a slot whose vector has `k_jj = diag`.
    #[inline(always)]
    pub(super) fn write(&mut self, slot: Slot, row: &[T], diag: T) {
        for (output, &a) in row.iter().enumerate() {
            let place = self.place(slot, output);
            self.alpha.set(place, a);
        }
        self.diags.set(slot.index(), diag);
        self.weights.set(slot.index(), weight(row, diag));
    }

    /// Zeroes one coefficient of a freed slot, and its weight.
    #[inline(always)]
    pub(super) fn clear(&mut self, slot: Slot, output: usize) {
        let place = self.place(slot, output);
        self.alpha.set(place, T::ZERO);
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

    /// The coefficients as the operations see them.
    #[inline]
    pub(crate) fn coefficients(&self) -> CoefficientView<'_, T> {
        CoefficientView { data: self.alpha.as_slice(), outputs: self.outputs }
    }

    /// The same to change, in the first `used` vectors of lanes.
    pub(super) fn weighted(&mut self, used: usize) -> Weighted<'_, T> {
        let Self { alpha, diags, weights, outputs, .. } = self;
        Weighted { data: alpha.as_mut_slice(), outputs: *outputs, diags, weights, used }
    }
}

/// `|row|^2 k_jj`, in the order and with the rounding of the vector loops; a small coefficient of a long vector must
/// not vanish in its square.
#[inline(always)]
fn weight<T: Real>(row: &[T], diag: T) -> T {
    row.iter().fold(T::ZERO, |sum, &a| sum + a * (a * diag))
}
