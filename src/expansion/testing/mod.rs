//! An expansion with derived state of the test's choice, at a SIMD level of the test's choice.

mod states;

pub(crate) use states::{Keep, States};

use super::{
    Edit, KernelExpansion, LinearStep, MergedPair, NewSupportVector, OnEdit, Query, Scored, Shape, Slot,
};
use crate::added_outputs::AddedOutputs;
use crate::batch::{Example, Label, Row, Task};
use crate::error::Result;
use crate::float::Real;
use crate::input::Metric;
use crate::kernel::{AnyKernel, Linear, MergeableKernel};
use crate::ops::merge::{Partner, PartnerSearch};
use crate::ops::{Level, Ops, SimdBuffer, level};
use crate::persist::Tensors;
use crate::state::{Gram, Neighbours, Norm};
use std::ops::{Deref, DerefMut};

/// An expansion whose edits are observed.
#[derive(Debug, Clone)]
pub(crate) struct Observed<T: Real> {
    expansion: KernelExpansion<T>,
    pub(crate) states: States<T>,
}

impl<T: Real> Deref for Observed<T> {
    type Target = KernelExpansion<T>;
    fn deref(&self) -> &KernelExpansion<T> {
        &self.expansion
    }
}

impl<T: Real> DerefMut for Observed<T> {
    fn deref_mut(&mut self) -> &mut KernelExpansion<T> {
        &mut self.expansion
    }
}

impl<T: Real> Observed<T> {
    pub(crate) fn new(capacity: Option<usize>, features: usize, outputs: usize, keep: Keep) -> Self {
        let kernel = AnyKernel::Linear(Linear);
        let expansion = KernelExpansion::at(level(), kernel, Shape { capacity, features, outputs });
        let states = States::new(&expansion, capacity, keep);
        Self { expansion, states }
    }

    pub(crate) fn at_level(level: Level, capacity: Option<usize>, features: usize, outputs: usize) -> Self {
        let mut new = Self::new(capacity, features, outputs, Keep::default());
        new.moved_to(level);
        new
    }

    /// Sets the SIMD level.
    pub(crate) fn moved_to(&mut self, level: Level) -> &mut Self {
        self.expansion.support.ops = Ops::at(level);
        self
    }

    /// Sets the kernel.
    fn by(&mut self, kernel: AnyKernel) -> (&mut KernelExpansion<T>, &mut States<T>) {
        self.expansion.support.kernel = kernel;
        (&mut self.expansion, &mut self.states)
    }

    /// A copy with another level and kernel.
    fn copy_by(&self, level: Level, kernel: AnyKernel) -> Self {
        let mut copy = self.clone();
        copy.moved_to(level).by(kernel);
        copy
    }

    /// The scores of `x` with a kernel.
    pub(crate) fn scores(&self, kernel: AnyKernel, x: (Row<'_, T>, T), k: &mut SimdBuffer<T>, f: &mut [T]) {
        let mut copy = self.clone();
        copy.by(kernel).0.scores(x, k, f);
    }

    pub(crate) fn apply_pending_steps(&mut self, metric: &mut Metric<T>, kernel: AnyKernel) {
        let (expansion, states) = self.by(kernel);
        metric.apply_pending_steps(expansion, states);
    }

    pub(crate) fn stretch(&mut self, kernel: AnyKernel, factors: &[T]) {
        let (expansion, states) = self.by(kernel);
        expansion.stretch(factors, states);
    }

    pub(crate) fn keep_linear(&mut self) {
        let step = LinearStep::first_order(1.0, self.features());
        self.expansion.add_linear_term(step);
    }

    pub(crate) fn insert(&mut self, kernel: AnyKernel, new: NewSupportVector<'_, T>) -> Slot {
        let (expansion, states) = self.by(kernel);
        expansion.insert(new, states)
    }

    pub(crate) fn commit_insert(&mut self, kernel: AnyKernel) {
        let (expansion, states) = self.by(kernel);
        expansion.commit_insert(states);
    }

    pub(crate) fn remove(&mut self, kernel: AnyKernel, slot: Slot) {
        let (expansion, states) = self.by(kernel);
        expansion.remove(slot, states);
    }

    pub(crate) fn merge(&mut self, kernel: AnyKernel, merger: MergedPair<'_, T>) {
        let (expansion, states) = self.by(kernel);
        expansion.merge(merger, states);
    }

    pub(crate) fn edit(&mut self, kernel: AnyKernel, edit: Edit<'_, T>) {
        let (expansion, states) = self.by(kernel);
        expansion.edit(edit, states);
    }

    /// Projects a support vector on all others, by the Gram factor.
    pub(crate) fn project(&mut self, kernel: AnyKernel, slot: Slot) -> f64 {
        let (expansion, states) = self.by(kernel);
        let mut gram = states.gram.take().expect("the test keeps the factor");
        let sq_change = gram.project(expansion, slot, states);
        states.gram = Some(gram);
        sq_change
    }

    pub(crate) fn project_on(
        &mut self,
        kernel: AnyKernel,
        p: Slot,
        receivers: &[Slot],
        d: &[f64],
        rest: f64,
    ) -> f64 {
        let (expansion, states) = self.by(kernel);
        expansion.project_on(p, receivers, d, rest, states)
    }

    pub(crate) fn multiply_coefficients(&mut self, kernel: AnyKernel, factor: f64) {
        let (expansion, states) = self.by(kernel);
        expansion.multiply_coefficients(factor, states);
    }

    pub(crate) fn refresh(&mut self, kernel: AnyKernel) {
        let (expansion, states) = self.by(kernel);
        expansion.refresh(states);
    }

    pub(crate) fn inner_product(&mut self, kernel: AnyKernel, slot: Slot) -> f64 {
        let (expansion, states) = self.by(kernel);
        states.norm.as_mut().expect("the test keeps the norm").inner_product(expansion.support(), slot)
    }

    pub(crate) fn norm2(&self) -> f64 {
        self.states.norm.as_ref().map_or(0.0, Norm::value)
    }

    pub(crate) fn dependent(&self) -> Option<Slot> {
        self.states.gram.as_ref().and_then(Gram::dependent)
    }

    pub(crate) fn neighbours(&self) -> &Neighbours<T> {
        self.states.neighbours.as_ref().expect("the test keeps neighbours")
    }

    pub(crate) fn largest_margin(&mut self, except: Option<Slot>) -> Option<(Slot, T)> {
        let margins = self.states.margins.as_mut().expect("the test keeps margins");
        margins.largest(self.expansion.support(), except)
    }

    pub(crate) fn add_features(&mut self, features: usize) {
        self.expansion.append_features(features);
    }

    pub(crate) fn add_outputs(&mut self, added: AddedOutputs) {
        self.expansion.append_outputs(added);
        self.states.add_outputs(added);
    }

    pub(crate) fn save(&self, out: &mut Tensors) {
        self.expansion.write(out);
        self.states.save(self.expansion.support(), out);
    }

    pub(crate) fn load(&mut self, from: &Tensors, kernel: AnyKernel, task: Task) -> Result<()> {
        let (expansion, states) = self.by(kernel);
        expansion.read_from(from, task)?;
        states.reserve(expansion.n_simd());
        states.load(from, expansion.support())
    }
}

/// The kernel row of `x`, and its unscaled scores.
pub(crate) fn scores<T: Real>(
    level: Level,
    observed: &Observed<T>,
    kernel: AnyKernel,
    x: Row<'_, T>,
) -> (SimdBuffer<T>, Vec<T>) {
    let (mut k, mut f) = (SimdBuffer::zeros(observed.n_simd()), vec![T::ZERO; observed.outputs()]);
    observed.copy_by(level, kernel).expansion.scores((x, kernel.row_stat(x)), &mut k, &mut f);
    (k, f)
}

/// The kernel row of `x` by slot, for the slots below `n`.
pub(crate) fn row<T: Real>(
    level: Level,
    observed: &Observed<T>,
    kernel: AnyKernel,
    x: Row<'_, T>,
    n: usize,
) -> Vec<T> {
    let (k, _) = scores(level, observed, kernel, x);
    (0..n).map(|slot| k.get(slot)).collect()
}

/// Inserts a support vector with given coefficients.
pub(crate) fn insert<T: Real>(
    level: Level,
    observed: &mut Observed<T>,
    kernel: AnyKernel,
    x: Row<'_, T>,
    alpha: &[T],
) -> Slot {
    insert_labelled(level, observed, kernel, x, alpha, Label::of_class(1, 3))
}

/// Inserts a support vector with a label.
pub(crate) fn insert_labelled<T: Real>(
    level: Level,
    observed: &mut Observed<T>,
    kernel: AnyKernel,
    x: Row<'_, T>,
    alpha: &[T],
    label: Label,
) -> Slot {
    let (k, f) = scores(level, observed, kernel, x);
    let new = NewSupportVector { z: x, row_stat: kernel.row_stat(x), label, alpha, f: &f, k: &k };
    observed.moved_to(level).insert(kernel, new)
}

pub(crate) fn partner<T: Real>(
    level: Level,
    observed: &Observed<T>,
    search: &mut PartnerSearch<T>,
    kernel: MergeableKernel,
    m: Slot,
) -> Option<Partner> {
    observed.copy_by(level, observed.kernel()).partner(search, kernel, m)
}

pub(crate) fn partner_of_newest<T: Real>(
    level: Level,
    observed: &Observed<T>,
    search: &mut PartnerSearch<T>,
    k: &SimdBuffer<T>,
    m: Slot,
) -> Option<Partner> {
    observed.copy_by(level, observed.kernel()).partner_of_newest(search, k, m)
}

/// Calls a function with an example that has these scores and no features.
pub(crate) fn with_scores<T: Real, R>(
    example: Example,
    k_tt: T,
    f: &[T],
    call: impl FnOnce(&mut Scored<'_, T>) -> R,
) -> R {
    let query = Query { x: Row::Dense(&[]).into(), z: Row::Dense(&[]), row_stat: T::ZERO };
    let (f, k, linear_values) = (&mut f.to_vec()[..], &mut SimdBuffer::default(), &SimdBuffer::default());
    call(&mut Scored { example, query, f, k, linear_values, k_tt, unit: 1.0 })
}
