//! A strategy chosen at run time; it matches once per call.

use super::{
    Admit, Bogd, Distilled, Fixed, Forgetron, Joint, Maintain, Maintained, Merge, Nearest, Project,
    ProjectNear, Projectron, Remove, Simple, Stop,
};
use crate::error::Result;
use crate::float::Real;
use crate::persist::{Persist, Tensors};
use crate::store::{Keep, Newcomer};

/// One of the strategies.
#[derive(Debug, Clone)]
pub(crate) enum AnyMaintain<T: Real> {
    /// None: the model grows.
    Unbounded,
    Stop(Stop),
    Remove(Remove),
    Project(Project),
    ProjectNear(ProjectNear<T>),
    Merge(Merge<T>),
    Simple(Simple),
    Nearest(Nearest<T>),
    Joint(Joint),
    Fixed(Fixed),
    Distilled(Distilled),
    Forgetron(Forgetron),
    Projectron(Projectron),
    Bogd(Bogd),
}

/// Runs an expression generic over the chosen strategy; another one where there is none.
macro_rules! with_strategy {
    ($any:expr, $strategy:ident => $op:expr, $none:expr) => {
        match $any {
            AnyMaintain::Unbounded => $none,
            AnyMaintain::Stop($strategy) => $op,
            AnyMaintain::Remove($strategy) => $op,
            AnyMaintain::Project($strategy) => $op,
            AnyMaintain::ProjectNear($strategy) => $op,
            AnyMaintain::Merge($strategy) => $op,
            AnyMaintain::Simple($strategy) => $op,
            AnyMaintain::Nearest($strategy) => $op,
            AnyMaintain::Joint($strategy) => $op,
            AnyMaintain::Fixed($strategy) => $op,
            AnyMaintain::Distilled($strategy) => $op,
            AnyMaintain::Forgetron($strategy) => $op,
            AnyMaintain::Projectron($strategy) => $op,
            AnyMaintain::Bogd($strategy) => $op,
        }
    };
}

impl<T: Real> Maintain<T> for AnyMaintain<T> {
    fn keeps(&self) -> Keep {
        with_strategy!(self, strategy => Maintain::<T>::keeps(strategy), Keep::default())
    }

    fn admit(&mut self, model: Maintained<'_, T>, new: Newcomer<'_, T>) -> Admit {
        with_strategy!(self, strategy => strategy.admit(model, new), Admit::Insert { lost: None })
    }

    fn is_due(&mut self, model: &mut Maintained<'_, T>) -> bool {
        with_strategy!(self, strategy => strategy.is_due(model), false)
    }

    fn restore(&mut self, model: Maintained<'_, T>) -> f64 {
        with_strategy!(self, strategy => strategy.restore(model), 0.0)
    }
}

impl<T: Real> Persist for AnyMaintain<T> {
    fn save(&self, out: &mut Tensors) {
        with_strategy!(self, strategy => strategy.save(out), ());
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        with_strategy!(self, strategy => strategy.load(from), Ok(()))
    }
}
