//! The construction of a strategy from checked parameters.

use super::{
    AnyStrategy, Bogd, BpaNearest, BpaProjecting, BpaSimple, Distill, Forgetron, LargestMargin, Merge,
    MergeSeed, Project, ProjectNear, ProjectionCriterion, Projectron, RemovalCriterion, Remove, Stop,
};
use crate::expansion::KernelExpansion;
use crate::float::Real;
use crate::params::{CheckedSpec, Maintenance};
use crate::rules::PassiveAggressive;
use crate::state::{Gram, Margins, Norm};

impl<T: Real> AnyStrategy<T> {
    /// The strategy of checked parameters, for an empty model.
    pub(crate) fn new(checked: &CheckedSpec, expansion: &KernelExpansion<T>) -> Self {
        let (spec, capacity) = (checked.spec(), checked.capacity().unwrap_or(0));
        let rule = || PassiveAggressive::new(checked);
        let gram = || Gram::new(expansion.ops().solver(), capacity);
        let margins = || Margins::new(expansion.outputs());
        let norm = || Norm::new(expansion.outputs());
        match spec.maintenance {
            Maintenance::None => Self::Unbounded,
            Maintenance::Stop => Self::Stop(Stop),
            Maintenance::Random => Self::Remove(Remove { criterion: RemovalCriterion::Random }),
            Maintenance::Oldest => Self::Remove(Remove { criterion: RemovalCriterion::Oldest }),
            Maintenance::Smallest => Self::Remove(Remove { criterion: RemovalCriterion::Smallest }),
            Maintenance::Project => {
                Self::Project(Project { gram: gram(), criterion: ProjectionCriterion::Smallest })
            }
            Maintenance::ProjectBest => {
                Self::Project(Project { gram: gram(), criterion: ProjectionCriterion::Cheapest })
            }
            Maintenance::ProjectNn => Self::ProjectNear(ProjectNear::new(spec.effective_neighbors())),
            Maintenance::Merge => Self::Merge(Merge::new(MergeSeed::Smallest, capacity)),
            Maintenance::MergeNewest => Self::Merge(Merge::new(MergeSeed::Newest, capacity)),
            Maintenance::Simple => {
                Self::BpaSimple(BpaSimple { rule: rule(), may_discard_new: spec.may_discard_new })
            }
            Maintenance::Nn => Self::BpaNearest(BpaNearest::new(rule(), spec.effective_neighbors())),
            Maintenance::Joint => Self::BpaProjecting(BpaProjecting { gram: gram(), rule: rule() }),
            Maintenance::Margin => Self::LargestMargin(LargestMargin { margins: margins() }),
            Maintenance::Distill => Self::Distill(Distill::new(margins(), spec.effective_margin())),
            Maintenance::Forgetron => Self::Forgetron(Forgetron::new(norm())),
            Maintenance::Projectron | Maintenance::ProjectronPlus => {
                Self::Projectron(Projectron { gram: gram(), eta: spec.eta })
            }
            Maintenance::Bogd => {
                Self::Bogd(Bogd { norm: norm(), max_coefficient: spec.eta0 * spec.max_coef })
            }
        }
    }
}
