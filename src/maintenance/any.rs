//! A strategy chosen at run time; it matches once per call.

use super::{
    Admission, Bogd, BpaNearest, BpaProjecting, BpaSimple, Distill, Forgetron, LargestMargin, Maintain,
    MaintenanceContext, Merge, Project, ProjectNear, Projectron, Remove, Stop,
};
use crate::error::Result;
use crate::float::Real;
use crate::persist::Tensors;
use crate::state::DerivedState;

/// One of the strategies.
#[derive(Debug, Clone)]
pub(crate) enum AnyStrategy<T: Real> {
    /// No maintenance: the number of support vectors is unbounded.
    Unbounded,
    Stop(Stop),
    Remove(Remove),
    Project(Project),
    ProjectNear(ProjectNear<T>),
    Merge(Merge<T>),
    BpaSimple(BpaSimple),
    BpaNearest(BpaNearest<T>),
    BpaProjecting(BpaProjecting),
    LargestMargin(LargestMargin<T>),
    Distill(Distill<T>),
    Forgetron(Forgetron<T>),
    Projectron(Projectron),
    Bogd(Bogd<T>),
}

/// Evaluates `$op` with the chosen strategy, or `$none` without a strategy.
macro_rules! with_strategy {
    ($any:expr, $strategy:ident => $op:expr, $none:expr) => {
        match $any {
            AnyStrategy::Unbounded => $none,
            AnyStrategy::Stop($strategy) => $op,
            AnyStrategy::Remove($strategy) => $op,
            AnyStrategy::Project($strategy) => $op,
            AnyStrategy::ProjectNear($strategy) => $op,
            AnyStrategy::Merge($strategy) => $op,
            AnyStrategy::BpaSimple($strategy) => $op,
            AnyStrategy::BpaNearest($strategy) => $op,
            AnyStrategy::BpaProjecting($strategy) => $op,
            AnyStrategy::LargestMargin($strategy) => $op,
            AnyStrategy::Distill($strategy) => $op,
            AnyStrategy::Forgetron($strategy) => $op,
            AnyStrategy::Projectron($strategy) => $op,
            AnyStrategy::Bogd($strategy) => $op,
        }
    };
}

impl<T: Real> Maintain<T> for AnyStrategy<T> {
    fn state(&self) -> Option<&dyn DerivedState<T>> {
        with_strategy!(self, strategy => Maintain::<T>::state(strategy), None)
    }

    #[inline(always)]
    fn state_mut(&mut self) -> Option<&mut dyn DerivedState<T>> {
        with_strategy!(self, strategy => Maintain::<T>::state_mut(strategy), None)
    }

    fn admit(&mut self, context: MaintenanceContext<'_, T>, alpha: &[T]) -> Admission {
        with_strategy!(self, strategy => strategy.admit(context, alpha), Admission::Insert { sq_change: None })
    }

    fn must_reduce(&mut self, context: &mut MaintenanceContext<'_, T>) -> bool {
        with_strategy!(self, strategy => strategy.must_reduce(context), false)
    }

    fn reduce(&mut self, context: MaintenanceContext<'_, T>) -> f64 {
        with_strategy!(self, strategy => strategy.reduce(context), 0.0)
    }

    fn save(&self, out: &mut Tensors) {
        with_strategy!(self, strategy => Maintain::<T>::save(strategy, out), ());
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        with_strategy!(self, strategy => Maintain::<T>::load(strategy, from), Ok(()))
    }
}
