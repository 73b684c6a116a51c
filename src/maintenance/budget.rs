//! The budget of a model: maximum size, strategy, maintenance rate, and the norm for projections onto the ball.

use super::{Admission, AnyStrategy, Maintain, MaintenanceContext};
use crate::added_outputs::AddedOutputs;
use crate::batch::Task;
use crate::component::{Component, Loading};
use crate::error::Result;
use crate::expansion::{Edit, KernelExpansion, OnEdit, Scored, SupportSet};
use crate::float::Real;
use crate::persist::Tensors;
use crate::rng::Rng;
#[cfg(test)]
use crate::state::Gram;
use crate::state::{DerivedState, Norm, WithNorm};

/// A strategy with its derived state and its rate.
#[derive(Debug, Clone)]
pub(crate) struct Budget<T: Real> {
    /// The maximum number of support vectors.
    size: usize,
    pub(crate) strategy: AnyStrategy<T>,
    /// None: the strategy runs whenever the budget is exceeded.
    rate: Option<NbsgdRate>,
    /// `|w|^2`, if the rule projects onto the ball.
    norm: Option<Norm<T>>,
}

impl<T: Real> Budget<T> {
    pub(crate) fn new(
        size: usize,
        strategy: AnyStrategy<T>,
        rate: Option<NbsgdRate>,
        norm: Option<Norm<T>>,
    ) -> Self {
        Self { size, strategy, rate, norm }
    }

    /// The maximum number of support vectors.
    #[inline(always)]
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Whether the newest support vector is merged, and no derived state reads vectors.
    pub(crate) fn merges_newest(&self) -> bool {
        matches!(&self.strategy, AnyStrategy::Merge(merge) if merge.merges_newest()) && self.norm.is_none()
    }

    /// `|w|^2`, unscaled; 0 if no projection onto the ball needs it.
    #[inline(always)]
    pub(crate) fn squared_norm(&self) -> f64 {
        self.norm.as_ref().map_or(0.0, Norm::value)
    }

    /// The Gram factor of the strategy.
    #[cfg(test)]
    pub(crate) fn gram(&self) -> Option<&Gram> {
        match &self.strategy {
            AnyStrategy::Project(strategy) => Some(&strategy.gram),
            AnyStrategy::BpaProjecting(strategy) => Some(&strategy.gram),
            AnyStrategy::Projectron(strategy) => Some(&strategy.gram),
            _ => None,
        }
    }

    /// The incrementally updated `|w|^2` of the strategy or the rule.
    #[cfg(test)]
    pub(crate) fn known_norm(&self) -> f64 {
        match &self.strategy {
            AnyStrategy::Forgetron(strategy) => strategy.norm.value(),
            AnyStrategy::Bogd(strategy) => strategy.norm.value(),
            _ => self.squared_norm(),
        }
    }

    /// Before an insertion with the coefficients `alpha`: makes room, absorbs the example, or rejects it.
    #[inline(always)]
    pub(crate) fn admit(
        &mut self,
        scored: &Scored<'_, T>,
        alpha: &[T],
        expansion: &mut KernelExpansion<T>,
        rng: &mut Rng,
    ) -> Admission {
        let Self { size, strategy, norm, .. } = self;
        strategy.admit(MaintenanceContext { expansion, rng, budget: *size, scored, norm }, alpha)
    }

    /// After an insertion, and again after each reduction: removes one support vector if the budget is exceeded, and
    /// returns the squared change of the model.
    #[inline(always)]
    pub(crate) fn reduce(
        &mut self,
        scored: &Scored<'_, T>,
        expansion: &mut KernelExpansion<T>,
        rng: &mut Rng,
    ) -> Option<f64> {
        let Self { size, strategy, rate, norm } = self;
        let before = expansion.len();
        let mut context = MaintenanceContext { expansion, rng, budget: *size, scored, norm };
        let must_reduce = match rate {
            None => strategy.must_reduce(&mut context),
            Some(rate) => rate.must_reduce(&mut context),
        };
        if !must_reduce {
            return None;
        }
        let sq_change = strategy.reduce(context);
        debug_assert!(expansion.len() < before, "each reduction removes a support vector");
        if expansion.len() >= before {
            // Fallback: if the strategy removed nothing, drop the oldest vector so that the loop terminates.
            expansion.remove(expansion.nth_oldest(0), self);
        }
        Some(sq_change)
    }

    /// Writes the derived state.
    pub(crate) fn save_state(&self, expansion: &KernelExpansion<T>, out: &mut Tensors) {
        let expansion = expansion.support();
        if let Some(state) = self.strategy.state() {
            state.save(expansion, out);
        }
        if let Some(norm) = &self.norm {
            norm.save(expansion, out);
        }
    }

    /// Restores the derived state after the model is loaded.
    pub(crate) fn load_state(&mut self, from: &Tensors, expansion: &KernelExpansion<T>) -> Result<()> {
        self.reserve(expansion.n_simd());
        if let Some(state) = self.strategy.state_mut() {
            state.load(from, expansion.support())?;
        }
        match &mut self.norm {
            Some(norm) => norm.load(from, expansion.support()),
            None => Ok(()),
        }
    }
}

impl<T: Real> Component<T> for Budget<T> {
    fn add_outputs(&mut self, added: AddedOutputs, _: Task) {
        if let Some(state) = self.strategy.state_mut() {
            state.add_outputs(added);
        }
        if let Some(norm) = &mut self.norm {
            norm.add_outputs(added);
        }
    }

    fn save(&self, out: &mut Tensors) {
        self.strategy.save(out.scope_mut("maintenance"));
    }

    fn load(&mut self, from: &Tensors, _: &Loading) -> Result<()> {
        self.strategy.load(from.scope("maintenance")?)
    }
}

impl<T: Real> OnEdit<T> for Budget<T> {
    #[inline]
    fn before_edit(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        let Self { strategy, norm, .. } = self;
        match strategy.state_mut() {
            Some(state) => WithNorm(state, norm).before_edit(edit, support),
            None => norm.before_edit(edit, support),
        }
    }

    #[inline]
    fn after_edit(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        let Self { strategy, norm, .. } = self;
        match strategy.state_mut() {
            Some(state) => WithNorm(state, norm).after_edit(edit, support),
            None => norm.after_edit(edit, support),
        }
    }

    fn reserve(&mut self, n_simd: usize) {
        if let Some(state) = self.strategy.state_mut() {
            state.reserve(n_simd);
        }
        self.norm.reserve(n_simd);
    }

    fn refresh(&mut self, support: &SupportSet<T>) {
        if let Some(state) = self.strategy.state_mut() {
            state.refresh(support);
        }
        self.norm.refresh(support);
    }
}

/// Over budget, an insertion at example t is followed by a removal with probability `min(beta/t, 1)`. Above the maximum
/// size it is always followed by a removal. The number of support vectors grows with the stream, but ever more slowly.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NbsgdRate {
    beta: f64,
    max_size: usize,
    /// Whether a support vector was removed since the insertion; false between examples.
    reduced: bool,
}

impl NbsgdRate {
    pub(crate) fn new(beta: f64, max_size: usize) -> Self {
        Self { beta, max_size, reduced: false }
    }

    /// After an insertion, and again after the reduction: at most one support vector is removed.
    pub(super) fn must_reduce<T: Real>(&mut self, context: &mut MaintenanceContext<'_, T>) -> bool {
        if std::mem::take(&mut self.reduced) || context.expansion.len() <= context.budget {
            return false;
        }
        let is_drawn = context.rng.uniform() < (self.beta / context.scored.example.t as f64).min(1.0);
        self.reduced = is_drawn || context.expansion.len() > self.max_size;
        self.reduced
    }
}
