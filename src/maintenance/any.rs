//! A strategy chosen at run time; it matches once per call.

use super::{
    Admission, Bogd, BpaNearest, BpaProjecting, BpaSimple, Distill, Forgetron, LargestMargin, Maintain,
    MaintenanceContext, Merge, Project, ProjectNear, Projectron, Remove, Stop,
};
use crate::error::Result;
use crate::float::Real;
use crate::persist::{Persist, Tensors};
use crate::store::{Keep, NewVector};

/// One of the strategies.
#[derive(Debug, Clone)]
pub(crate) enum AnyStrategy<T: Real> {
    /// None: the model grows.
    Unbounded,
    Stop(Stop),
    Remove(Remove),
    Project(Project),
    ProjectNear(ProjectNear<T>),
    Merge(Merge<T>),
    BpaSimple(BpaSimple),
    BpaNearest(BpaNearest<T>),
    BpaProjecting(BpaProjecting),
    LargestMargin(LargestMargin),
    Distill(Distill),
    Forgetron(Forgetron),
    Projectron(Projectron),
    Bogd(Bogd),
}

/// Runs an expression generic over the chosen strategy; another one where there is none.
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
    fn requires(&self) -> Keep {
        with_strategy!(self, strategy => Maintain::<T>::requires(strategy), Keep::default())
    }

    fn admit(&mut self, model: MaintenanceContext<'_, T>, new: NewVector<'_, T>) -> Admission {
        with_strategy!(self, strategy => strategy.admit(model, new), Admission::Insert { sq_change: None })
    }

    fn exceeded(&mut self, model: &mut MaintenanceContext<'_, T>) -> bool {
        with_strategy!(self, strategy => strategy.exceeded(model), false)
    }

    fn reduce(&mut self, model: MaintenanceContext<'_, T>) -> f64 {
        with_strategy!(self, strategy => strategy.reduce(model), 0.0)
    }
}

impl<T: Real> Persist for AnyStrategy<T> {
    fn save(&self, out: &mut Tensors) {
        with_strategy!(self, strategy => strategy.save(out), ());
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        with_strategy!(self, strategy => strategy.load(from), Ok(()))
    }
}
