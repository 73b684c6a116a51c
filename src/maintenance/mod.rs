//! Budget maintenance: what leaves when the model is over budget, and what is done about it.

mod any;
mod bogd;
mod cache;
mod forgetron;
pub(crate) mod joint;
pub(crate) mod merge;
mod project;
mod project_near;
mod projectron;
mod rate;
mod remove;
mod stop;

pub(crate) use any::AnyStrategy;
pub(crate) use bogd::Bogd;
pub(crate) use cache::{Distill, LargestMargin};
pub(crate) use forgetron::Forgetron;
pub(crate) use joint::{BpaNearest, BpaProjecting, BpaSimple};
pub(crate) use merge::{Merge, MergeSeed};
pub(crate) use project::{Project, ProjectionCriterion};
pub(crate) use project_near::ProjectNear;
pub(crate) use projectron::Projectron;
pub(crate) use rate::{AtRate, NbsgdRate};
pub(crate) use remove::{RemovalCriterion, Remove};
pub(crate) use stop::Stop;

use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::ops::SimdBuffer;
use crate::persist::Persist;
use crate::rng::Rng;
use crate::rules::Example;
use crate::store::{Keep, KernelExpansion, NewVector};

/// What maintenance works on: the model, and the example that is about to change it or has just done so.
pub(crate) struct MaintenanceContext<'a, T: Real> {
    pub(crate) store: &'a mut KernelExpansion<T>,
    pub(crate) kernel: AnyKernel,
    pub(crate) rng: &'a mut Rng,
    pub(crate) budget: usize,
    pub(crate) example: &'a Example<T>,
    /// The example's scores before it came, without the scale.
    pub(crate) f: &'a [T],
    /// Its kernel row by slot; once it is inserted, `k_tt` at its own.
    pub(crate) k: &'a SimdBuffer<T>,
}

/// What becomes of an example that the update rule wants in the model.
///
/// `sq_change` is `|Delta|^2`, the squared change of the unscaled model by budget maintenance, where there has been some.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Admission {
    /// It becomes a support vector; room may have been made for it.
    Insert { sq_change: Option<f64> },
    /// The strategy has taken it into the model some other way.
    Absorb { sq_change: Option<f64> },
    /// It changes nothing.
    Reject,
}

/// A strategy of budget maintenance.
pub(crate) trait Maintain<T: Real>: Persist {
    /// What it asks the store to keep.
    fn requires(&self) -> Keep {
        Keep::default()
    }

    /// Before an insertion: makes room, takes the example into the model some other way, or refuses it.
    fn admit(&mut self, _model: MaintenanceContext<'_, T>, _new: NewVector<'_, T>) -> Admission {
        Admission::Insert { sq_change: None }
    }

    /// After an insertion, and again after each restoration: whether [`Maintain::reduce`] shall run now.
    fn exceeded(&mut self, model: &mut MaintenanceContext<'_, T>) -> bool {
        model.store.len() > model.budget
    }

    /// After an insertion that made it due: removes one support vector. Returns `|Delta|^2`, the squared change of the
    /// unscaled model.
    fn reduce(&mut self, model: MaintenanceContext<'_, T>) -> f64;
}
