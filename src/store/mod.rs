//! SupportSet vectors in slots that do not move, and everything that must move with them.

mod affine;
mod age;
mod ahead;
mod edits;
mod expansion;
mod few;
mod followers;
mod nonzero;
mod projection;
mod save;
mod scores;
mod served;
mod span;
mod support;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod transform;

pub(crate) use crate::slot::Slot;
pub(crate) use ahead::{KernelBlock, LARGE};
pub(crate) use edits::{MergedPair, NewVector};
pub(crate) use expansion::Coefficients;
pub(crate) use few::CorrelatedSubset;
pub(crate) use followers::{Keep, Neighbours};

use crate::float::Real;
use crate::growth::OutputExpansion;
use crate::kernel::AnyKernel;
use crate::label::Label;
use crate::ops::{Level, Ops, SimdBuffer, level};
use affine::LinearTerm;
use age::InsertionOrder;
use followers::DerivedStates;
use support::SupportSet;

/// The model `f(x) = scale * sum_j alpha_j k(x_j, x)` and its followers, which hear of every change of it.
///
/// Only the edits of this module change the model: see [`edits`].
#[derive(Debug, Clone)]
pub(crate) struct KernelExpansion<T: Real> {
    support: SupportSet<T>,
    followers: DerivedStates<T>,
    scratch: Scratch<T>,
}

/// Buffers that edits need; never saved.
#[derive(Debug, Clone, Default)]
struct Scratch<T: Real> {
    x: Vec<T>,
    by_slot: SimdBuffer<T>,
    row: Vec<T>,
    by_output: SimdBuffer<T>,
}

impl<T: Real> KernelExpansion<T> {
    /// An empty store of `outputs` coefficient columns over `features` features.
    pub(crate) fn new(capacity: Option<usize>, features: usize, outputs: usize, keep: Keep) -> Self {
        Self::at(level(), capacity, features, outputs, keep)
    }

    /// The same at a SIMD level of the test's choice.
    #[cfg(test)]
    pub(crate) fn at_level(level: Level, capacity: Option<usize>, features: usize, outputs: usize) -> Self {
        Self::at(level, capacity, features, outputs, Keep::default())
    }

    /// The same at a SIMD level.
    fn at(level: Level, capacity: Option<usize>, features: usize, outputs: usize, keep: Keep) -> Self {
        let support = SupportSet::new(Ops::at(level), capacity, features, outputs);
        Self {
            followers: DerivedStates::new(&support, keep),
            support,
            scratch: Scratch {
                x: vec![T::ZERO; features],
                row: vec![T::ZERO; outputs],
                by_slot: SimdBuffer::default(),
                by_output: SimdBuffer::default(),
            },
        }
    }

    /// From now on the model has a linear part, zero as yet; while the store is empty.
    pub(crate) fn keep_linear(&mut self) {
        self.support.expansion.keep_linear(LinearTerm::new(1, self.outputs(), self.features()));
    }

    /// From now on the numbers of vectors and rows are clipped, but for what a metric makes of them; while the store is
    /// empty.
    pub(crate) fn expect_clipped(&mut self) {
        self.support.is_clipped = true;
    }

    /// The operations at the level of this store.
    pub(crate) fn ops(&self) -> Ops<T> {
        self.support.ops
    }

    /// SupportSet vectors.
    pub(crate) fn len(&self) -> usize {
        self.support.age.len()
    }

    pub(crate) fn features(&self) -> usize {
        self.support.panels.features()
    }

    pub(crate) fn outputs(&self) -> usize {
        self.support.expansion.outputs()
    }

    /// Vectors of lanes that hold support vectors.
    #[inline]
    pub(crate) fn used(&self) -> usize {
        self.support.used()
    }

    /// Vectors of lanes in every buffer.
    pub(crate) fn vectors(&self) -> usize {
        self.support.panels.n_simd()
    }

    pub(crate) fn scale(&self) -> f64 {
        self.support.scale
    }

    /// Sets the multiplier of every coefficient.
    #[inline]
    pub(crate) fn set_scale(&mut self, scale: f64) {
        self.support.scale = scale;
    }

    pub(crate) fn order(&self) -> &InsertionOrder {
        &self.support.age
    }

    /// The `index`-th oldest support vector, `index < len()`.
    pub(crate) fn nth_oldest(&self, index: usize) -> Slot {
        self.support.age.nth_oldest(index).expect("the index of a live slot")
    }

    /// The support vector that was inserted last.
    pub(crate) fn newest(&self) -> Slot {
        self.support.age.iter().next_back().expect("what asks has just inserted one")
    }

    /// The label of a slot.
    pub(crate) fn label(&self, slot: Slot) -> Label {
        self.support.labels[slot.index()]
    }

    pub(crate) fn expansion(&self) -> &Coefficients<T> {
        &self.support.expansion
    }

    /// `|sum_j alpha_j phi_j|^2` without the scale; zero where nobody asked for it.
    pub(crate) fn norm2(&self) -> f64 {
        self.followers.norm.as_ref().map_or(0.0, followers::Norm::value)
    }

    /// The kernel row of a slot in double precision from the stored numbers; `x` and `k` are buffers.
    pub(crate) fn kernel_row_f64(&self, kernel: AnyKernel, slot: Slot, x: &mut [f64], k: &mut Vec<f64>) {
        k.resize(self.used() * T::LANES, 0.0);
        self.support.kernel_row_f64(kernel, slot, x, k);
    }

    /// Reads the vector in a slot.
    pub(crate) fn read(&self, slot: Slot, x: &mut [T]) {
        self.support.read(slot, x);
    }

    /// Outputs for more classes, in everything that is kept beside the model too.
    pub(crate) fn add_classes(&mut self, growth: OutputExpansion) {
        let Self { support, followers, scratch } = self;
        support.expansion.add_classes(growth);
        support.labels.iter_mut().for_each(|label| *label = label.of_many());
        followers.add_classes(growth);
        scratch.row.resize(growth.after(), T::ZERO);
    }

    /// Appends zero features.
    pub(crate) fn widen(&mut self, features: usize) {
        self.support.panels.widen(features);
        self.support.ahead.forget();
        self.support.expansion.widen(features);
        self.scratch.x.resize(features, T::ZERO);
    }
}
