//! From checked parameters to a model and its parts.

use super::{GammaOf, GammaRule, Learner, Moments, RunningScaler, Scaler, limit};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::label::Task;
use crate::losses::Rule;
use crate::maintenance::{
    AnyStrategy, AtRate, Bogd, BpaNearest, BpaProjecting, BpaSimple, Distill, Forgetron, LargestMargin,
    Merge, MergeSeed, Project, ProjectNear, ProjectionCriterion, Projectron, RemovalCriterion, Remove, Stop,
};
use crate::metric::Metric;
use crate::ops::PANEL;
use crate::params::{CheckedSpec, Forget, Gamma, Maintenance, Missing, Scale};
use crate::rules::{
    AnyRule, EpsilonInsensitivePa, Mira, Ogd, PassiveAggressive, Perceptron, RobustMira, Sgd, Trigger,
};
use crate::store::{Keep, KernelExpansion};

impl CheckedSpec {
    /// An empty model for rows of `features` numbers (with `hash_features`: of any number of columns, so many to begin
    /// with) and a task that fits the loss: so many classes, or
    /// [`Task::Regression`]. If the model is bounded, the memory that it needs when full must be available; it is
    /// reserved and used as the model grows.
    ///
    /// # Errors
    /// When there are fewer than 2 classes, no features, the loss is one of another task, or the model does not fit
    /// into memory or takes more than [`limit_memory`](crate::learner::limit_memory) allows.
    pub fn build<T: Real>(&self, features: usize, task: impl Into<Task>) -> Result<Learner<T>> {
        let task = task.into();
        let width = if features == 0 { 0 } else { self.n_features(features) };
        self.check_size::<T>(width, task)?;
        Ok(Learner::new(self.clone(), features, task))
    }

    /// Whether there can be a model of this size.
    pub(crate) fn check_size<T: Real>(&self, features: usize, task: Task) -> Result<()> {
        self.check_task(task)?;
        if matches!(task, Task::Classes(..2)) {
            return Err(Error::parameter("classes", "at least 2 different labels", task.classes()));
        }
        if features == 0 {
            return Err(Error::shape("X", "at least 1 feature", features));
        }
        if u32::try_from(features).is_err() {
            return Err(Error::shape("X", format!("at most {} features", u32::MAX), features));
        }
        let vectors = self.capacity().unwrap_or(PANEL * T::LANES);
        let bytes = self.bytes_of::<T>(vectors, features, task.outputs());
        limit::check(bytes.unwrap_or(usize::MAX), vectors, features, task.outputs())?;
        if bytes.is_some_and(|n| Vec::<u8>::new().try_reserve_exact(n).is_ok()) {
            return Ok(());
        }
        let expected = format!("a number of support vectors of {features} features that fits into memory");
        let (name, most) = match self.spec().rate {
            Some(_) => ("max_size", self.spec().max_size),
            None => ("budget", self.spec().budget),
        };
        Err(Error::parameter(name, expected, most.map_or("None".into(), |most| most.to_string())))
    }

    /// The store before the first row. Rows that a model scales by itself are clipped.
    pub(crate) fn store<T: Real>(&self, features: usize, task: Task, keep: Keep) -> KernelExpansion<T> {
        let mut store = KernelExpansion::new(self.capacity(), features, task.outputs(), keep);
        if self.spec().scale == Scale::Online {
            store.expect_clipped();
        }
        store
    }

    pub(crate) fn update(&self, task: Task) -> AnyRule {
        let spec = self.spec();
        match spec.rule() {
            Rule::Sgd => {
                let row = spec.loss.entry();
                let descent = row.sgd.expect("the checked specification has a loss that the rule takes");
                let ball = if spec.ball { row.ball } else { None };
                AnyRule::Sgd(Sgd::new(descent(spec.loss_parameters), spec.alpha, ball))
            }
            Rule::PassiveAggressive => AnyRule::PassiveAggressive(self.passive_aggressive()),
            Rule::Perceptron => AnyRule::Perceptron(Perceptron {
                trigger: match self.spec().maintenance {
                    Maintenance::ProjectronPlus => Trigger::UnderOne,
                    Maintenance::Projectron | Maintenance::Forgetron => Trigger::UpTo(0.0),
                    Maintenance::None
                    | Maintenance::Stop
                    | Maintenance::Random
                    | Maintenance::Oldest
                    | Maintenance::Smallest
                    | Maintenance::Project
                    | Maintenance::ProjectBest
                    | Maintenance::ProjectNn
                    | Maintenance::Merge
                    | Maintenance::MergeNewest
                    | Maintenance::Margin
                    | Maintenance::Distill
                    | Maintenance::Simple
                    | Maintenance::Nn
                    | Maintenance::Joint
                    | Maintenance::Bogd => Trigger::UpTo(spec.effective_margin()),
                },
            }),
            Rule::Mira => AnyRule::Mira(Mira { beta: self.spec().effective_margin(), c: self.spec().c }),
            Rule::Ogd => AnyRule::Ogd(Ogd::new(self.spec().eta0, self.spec().alpha)),
            Rule::OnlineKernel if task == Task::Regression => AnyRule::EpsilonInsensitivePa(
                EpsilonInsensitivePa::new(spec.c0, spec.decay, spec.loss_parameters.epsilon),
            ),
            Rule::OnlineKernel => AnyRule::RobustMira(RobustMira::new(spec.c0, spec.decay, spec.ramp, task)),
        }
    }

    fn passive_aggressive(&self) -> PassiveAggressive {
        let spec = self.spec();
        let penalty =
            spec.loss.entry().penalty.expect("the checked specification has a loss that the rule takes");
        PassiveAggressive { penalty, c: spec.c, epsilon: spec.loss_parameters.epsilon }
    }

    pub(crate) fn maintain<T: Real>(&self) -> AtRate<T> {
        let rate =
            self.spec().nbsgd_beta().map(|beta| crate::maintenance::NbsgdRate::new(beta, self.max_support()));
        AtRate { strategy: self.strategy(), rate }
    }

    fn strategy<T: Real>(&self) -> AnyStrategy<T> {
        let rule = || self.passive_aggressive();
        let remove = |leaver| AnyStrategy::Remove(Remove { leaver });
        let project = |victim| AnyStrategy::Project(Project { victim });
        match self.spec().maintenance {
            Maintenance::None => AnyStrategy::Unbounded,
            Maintenance::Stop => AnyStrategy::Stop(Stop),
            Maintenance::Random => remove(RemovalCriterion::Random),
            Maintenance::Oldest => remove(RemovalCriterion::Oldest),
            Maintenance::Smallest => remove(RemovalCriterion::Smallest),
            Maintenance::Project => project(ProjectionCriterion::Smallest),
            Maintenance::ProjectBest => project(ProjectionCriterion::Cheapest),
            Maintenance::ProjectNn => {
                AnyStrategy::ProjectNear(ProjectNear::new(self.spec().effective_neighbors()))
            }
            Maintenance::Merge => {
                AnyStrategy::Merge(Merge::new(MergeSeed::Smallest, self.capacity().unwrap_or(0)))
            }
            Maintenance::MergeNewest => {
                AnyStrategy::Merge(Merge::new(MergeSeed::Newest, self.capacity().unwrap_or(0)))
            }
            Maintenance::Simple => AnyStrategy::BpaSimple(BpaSimple {
                rule: rule(),
                newcomer_may_leave: self.spec().newcomer_may_leave,
            }),
            Maintenance::Nn => {
                AnyStrategy::BpaNearest(BpaNearest::new(rule(), self.spec().effective_neighbors()))
            }
            Maintenance::Joint => AnyStrategy::BpaProjecting(BpaProjecting { rule: rule() }),
            Maintenance::Margin => AnyStrategy::LargestMargin(LargestMargin),
            Maintenance::Distill => AnyStrategy::Distill(Distill::new(self.spec().effective_margin())),
            Maintenance::Forgetron => AnyStrategy::Forgetron(Forgetron::default()),
            Maintenance::Projectron | Maintenance::ProjectronPlus => {
                AnyStrategy::Projectron(Projectron { eta: self.spec().eta })
            }
            Maintenance::Bogd => AnyStrategy::Bogd(Bogd { most: self.spec().eta0 * self.spec().clip }),
        }
    }

    /// The scaling before the first row, where the model scales by itself.
    pub(crate) fn scaling<T: Real>(&self, features: usize) -> Option<Scaler<T>> {
        match self.spec().scale {
            Scale::None => None,
            Scale::Online => {
                Some(Scaler::Running(RunningScaler::new(features, self.memory(), self.takes_missing())))
            }
        }
    }

    /// Whether a running scaling takes missing values.
    #[must_use]
    pub fn takes_missing(&self) -> bool {
        self.spec().missing == Missing::Mean && self.spec().hash_features.is_none()
    }

    /// The most rows that a running scaling counts; none where it counts all.
    pub(crate) fn memory(&self) -> Option<u64> {
        match self.spec().forget {
            Forget::None => None,
            Forget::Auto => Some(3000),
            Forget::Rows(rows) => Some(rows),
        }
    }

    /// The metric before the first row, where one is learned.
    pub(crate) fn metric<T: Real>(&self, features: usize) -> Option<Metric<T>> {
        self.spec().metric.max_matrix_features(features).map(|most| Metric::new(most, features))
    }

    pub(crate) fn gamma_rule(&self) -> GammaRule {
        let of = match self.spec().gamma {
            Gamma::Scale => GammaOf::Variance,
            Gamma::Standardized => GammaOf::Length,
            Gamma::Auto | Gamma::Value(_) => return GammaRule::Fixed,
        };
        if self.spec().kernel.has("gamma") {
            GammaRule::Running(of, Moments::default())
        } else {
            GammaRule::Fixed
        }
    }
}
