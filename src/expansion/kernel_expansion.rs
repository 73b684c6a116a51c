//! The kernel expansion.

use super::insertion_order::InsertionOrder;
use super::linear_term::LinearTerm;
use super::local_errors::LocalErrors;
use super::means::Means;
use super::{Coefficients, LinearStep, Shape, Slot, SupportSet};
use crate::added_outputs::AddedOutputs;
use crate::batch::Label;
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::ops::{Level, Ops, RowSize, SimdBuffer, level};

/// The expansion `f(x) = scale * unit * sum_j alpha_j k(x_j, x)`, plus `scale * unit * (V x + v0)` if it has
/// a linear term.
#[derive(Debug, Clone)]
pub(crate) struct KernelExpansion<T: Real> {
    pub(super) support: SupportSet<T>,
    /// Means of past expansions, optional.
    pub(super) means: Option<Means<T>>,
    /// Expected errors for prediction intervals, optional.
    pub(super) local_errors: Option<LocalErrors<T>>,
    /// The learning step of the linear term, if the expansion has one.
    pub(super) linear_step: Option<LinearStep<T>>,
    pub(super) buffers: Buffers<T>,
}

#[cfg(test)]
impl<T: Real> KernelExpansion<T> {
    /// Fills the buffers with numbers that nobody may read.
    pub(crate) fn poison(&mut self) {
        let Buffers { x, by_slot, alpha, by_output, column } = &mut self.buffers;
        [by_slot, by_output, column].into_iter().for_each(SimdBuffer::poison);
        for numbers in [x, alpha] {
            numbers.fill(T::from_f64(7e3));
        }
    }
}

/// Buffers of edits; never saved.
#[derive(Debug, Clone, Default)]
pub(super) struct Buffers<T: Real> {
    pub(super) x: Vec<T>,
    pub(super) by_slot: SimdBuffer<T>,
    pub(super) alpha: Vec<T>,
    pub(super) by_output: SimdBuffer<T>,
    /// Some SIMD vectors of a panel.
    pub(super) column: SimdBuffer<T>,
}

impl<T: Real> KernelExpansion<T> {
    /// An empty expansion.
    pub(crate) fn new(kernel: AnyKernel, shape: Shape) -> Self {
        Self::at(level(), kernel, shape)
    }

    /// An empty expansion at a SIMD level.
    pub(crate) fn at(level: Level, kernel: AnyKernel, shape: Shape) -> Self {
        Self {
            support: SupportSet::new(Ops::at(level), kernel, shape),
            means: None,
            local_errors: None,
            linear_step: None,
            buffers: Buffers {
                x: vec![T::ZERO; shape.features],
                alpha: vec![T::ZERO; shape.outputs],
                by_slot: SimdBuffer::default(),
                by_output: SimdBuffer::default(),
                column: SimdBuffer::default(),
            },
        }
    }

    /// Adds a linear term, zero at first, to an empty expansion.
    pub(crate) fn add_linear_term(&mut self, step: LinearStep<T>) {
        let linear = LinearTerm::new(1, self.outputs(), self.features());
        let linear = if step.has_excess() { linear.with_excess() } else { linear };
        self.support.coefficients.set_linear(linear);
        self.linear_step = Some(step);
    }

    /// Declares what is known of all rows, before metric learning maps them; call it on an empty expansion.
    pub(crate) fn declare_row_size(&mut self, row_size: RowSize) {
        self.support.row_size = row_size;
    }

    /// Lets the newest support vector wait outside the panels until budget maintenance has merged it; call it
    /// on an empty expansion.
    pub(crate) fn let_newest_wait(&mut self) {
        self.support.waiting.is_enabled = true;
    }

    /// Sets or unsets the row that the rows to be learned are compared with.
    pub(crate) fn set_base_row(&mut self, z: Option<&[T]>) {
        self.support.set_base_row(z);
    }

    /// The row that rows are compared with, and its squared norm, if they are given by their differences from it.
    pub(crate) fn base_row(&self) -> Option<(&[T], T)> {
        self.support.base.get().map(|_| self.support.base.with_norm())
    }

    /// The support vectors and their coefficients.
    pub(crate) fn support(&self) -> &SupportSet<T> {
        &self.support
    }

    /// The operations at the SIMD level of this expansion.
    pub(crate) fn ops(&self) -> Ops<T> {
        self.support.ops
    }

    /// The kernel with its present gamma.
    #[inline(always)]
    pub(crate) fn kernel(&self) -> AnyKernel {
        self.support.kernel
    }

    /// Sets the kernel of an expansion without derived state: an empty or a sampled expansion.
    pub(crate) fn set_kernel(&mut self, kernel: AnyKernel) {
        self.support.kernel = kernel;
    }

    /// The number of support vectors.
    pub(crate) fn len(&self) -> usize {
        self.support.order.len()
    }

    pub(crate) fn features(&self) -> usize {
        self.support.panels.features()
    }

    pub(crate) fn outputs(&self) -> usize {
        self.support.coefficients.outputs()
    }

    /// The number of SIMD vectors of slots that hold support vectors.
    #[inline]
    pub(crate) fn n_simd_used(&self) -> usize {
        self.support.n_simd_used()
    }

    /// The number of SIMD vectors of slots in every buffer.
    pub(crate) fn n_simd(&self) -> usize {
        self.support.panels.n_simd()
    }

    /// `scale * unit`, by which unscaled scores and coefficients are multiplied.
    #[inline(always)]
    pub(crate) fn factor(&self) -> f64 {
        self.support.scale * self.support.unit
    }

    /// The unit of coefficients, means and expected errors: a power of two.
    #[inline(always)]
    pub(crate) fn unit(&self) -> f64 {
        self.support.unit
    }

    /// Sets the scale; the unit and the stored coefficients do not change.
    #[inline]
    pub(crate) fn set_scale(&mut self, scale: f64) {
        self.support.scale = scale;
    }

    pub(crate) fn order(&self) -> &InsertionOrder {
        &self.support.order
    }

    /// The `index`-th oldest support vector, `index < len()`; the last one is the newest.
    pub(crate) fn nth_oldest(&self, index: usize) -> Slot {
        self.support.order.nth_oldest(index).expect("the index of a live slot")
    }

    /// The support vector that was inserted last.
    pub(crate) fn newest(&self) -> Slot {
        self.support.order.iter().next_back().expect("callers inserted a support vector before")
    }

    /// The label of a support vector.
    pub(crate) fn label(&self, slot: Slot) -> Label {
        self.support.labels[slot.index()]
    }

    pub(crate) fn coefficients(&self) -> &Coefficients<T> {
        &self.support.coefficients
    }

    /// `|alpha_j|^2`
    pub(crate) fn squared_alpha(&self, slot: Slot) -> f64 {
        self.support.squared_alpha(slot)
    }

    /// The kernel row of a slot in double precision from the stored values; `x` and `k` are buffers.
    pub(crate) fn kernel_row_f64(&self, slot: Slot, x: &mut [f64], k: &mut Vec<f64>) {
        k.resize(self.n_simd_used() * T::LANES, 0.0);
        self.support.kernel_row_f64(slot, x, k);
    }

    /// Copies the vector of a slot into `x`.
    pub(crate) fn read(&self, slot: Slot, x: &mut [T]) {
        self.support.read(slot, x);
    }

    /// Adds outputs for more classes.
    pub(crate) fn append_outputs(&mut self, added: AddedOutputs) {
        self.support.coefficients.add_outputs(added);
        self.support.labels.iter_mut().for_each(|label| *label = label.with_more_classes());
        if let Some(means) = &mut self.means {
            means.add_outputs(added);
        }
        self.buffers.alpha.resize(added.n_after(), T::ZERO);
    }

    /// Appends features that are zero in every support vector.
    pub(crate) fn append_features(&mut self, features: usize) {
        if let Some(step) = &mut self.linear_step {
            step.add_features(features);
        }
        self.support.panels.add_features(features);
        self.support.base.add_features(features);
        self.support.kernel_block.discard();
        self.support.coefficients.add_features(features);
        self.buffers.x.resize(features, T::ZERO);
    }
}
