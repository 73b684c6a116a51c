//! Budget maintenance: the choice of the support vector to remove, and the compensation by the remaining ones.

/// The methods of [`Maintain`] that give the derived state, for a strategy that has it in a field.
macro_rules! derived_state {
    ($field:ident) => {
        fn state(&self) -> Option<&dyn $crate::state::DerivedState<T>> {
            Some(&self.$field)
        }

        #[inline(always)]
        fn state_mut(&mut self) -> Option<&mut dyn $crate::state::DerivedState<T>> {
            Some(&mut self.$field)
        }
    };
}

mod any;
mod bogd;
mod budget;
mod build;
mod forgetron;
pub(crate) mod joint;
mod margin;
pub(crate) mod merge;
mod project;
mod project_near;
mod projectron;
mod remove;

pub(crate) use any::AnyStrategy;
pub(crate) use bogd::Bogd;
pub(crate) use budget::{Budget, NbsgdRate};
pub(crate) use forgetron::Forgetron;
pub(crate) use joint::{BpaNearest, BpaProjecting, BpaSimple};
pub(crate) use margin::{Distill, LargestMargin};
pub(crate) use merge::{Merge, MergeSeed};
pub(crate) use project::{Project, ProjectionCriterion};
pub(crate) use project_near::ProjectNear;
pub(crate) use projectron::Projectron;
pub(crate) use remove::{RemovalCriterion, Remove, Stop};

use crate::error::Result;
use crate::expansion::{KernelExpansion, Scored};
use crate::float::Real;
use crate::persist::Tensors;
use crate::rng::Rng;
use crate::state::{DerivedState, Norm};

/// The model that a strategy changes, and the example that is about to be inserted or was inserted last.
pub(crate) struct MaintenanceContext<'a, T: Real> {
    pub(crate) expansion: &'a mut KernelExpansion<T>,
    pub(crate) rng: &'a mut Rng,
    pub(crate) budget: usize,
    pub(crate) scored: &'a Scored<'a, T>,
    /// `|w|^2`, if the rule projects onto the ball; every edit must be passed on to it.
    pub(crate) norm: &'a mut Option<Norm<T>>,
}

/// The decision of a strategy on an example that the update rule wants to insert.
///
/// `sq_change` is `|Delta|^2`, the squared change of the unscaled model by budget maintenance; None without
/// maintenance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Admission {
    /// The example becomes a support vector; the strategy may have removed another one.
    Insert { sq_change: Option<f64> },
    /// The strategy has changed the coefficients of the support vectors instead of inserting the example.
    Absorb { sq_change: Option<f64> },
    /// The example is discarded, and the model does not change.
    Reject,
}

/// A strategy of budget maintenance. It owns the derived state that it needs.
pub(crate) trait Maintain<T: Real> {
    /// The derived state that follows every edit of the model.
    fn state(&self) -> Option<&dyn DerivedState<T>> {
        None
    }

    /// The derived state, for updating it after an edit.
    #[inline(always)]
    fn state_mut(&mut self) -> Option<&mut dyn DerivedState<T>> {
        None
    }

    /// Before an insertion with the coefficients `alpha`: makes room, absorbs the example, or rejects it.
    fn admit(&mut self, _context: MaintenanceContext<'_, T>, _alpha: &[T]) -> Admission {
        Admission::Insert { sq_change: None }
    }

    /// After an insertion, and again after each [`Maintain::reduce`]: decides whether a support vector must
    /// be removed now. The decision may change the strategy's state, and may be random.
    fn must_reduce(&mut self, context: &mut MaintenanceContext<'_, T>) -> bool {
        context.expansion.len() > context.budget
    }

    /// Removes one support vector after an insertion. Returns `|Delta|^2`, the squared change of the unscaled model.
    /// A strategy that makes room before each insertion is never asked to.
    fn reduce(&mut self, _context: MaintenanceContext<'_, T>) -> f64 {
        0.0
    }

    /// Saves the state that is not derived from the expansion.
    fn save(&self, _out: &mut Tensors) {}

    /// Restores what [`Maintain::save`] saved.
    fn load(&mut self, _from: &Tensors) -> Result<()> {
        Ok(())
    }
}
