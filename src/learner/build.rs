//! Construction of a learner and its components from checked parameters.

use super::progress::LearnProgress;
use super::{LearnBuffers, Learner, memory};
use crate::batch::Task;
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, LinearStep, Shape};
use crate::float::Real;
use crate::input::InputMap;
use crate::losses::{Rule, Trigger};
use crate::maintenance::{AnyStrategy, Budget, NbsgdRate};
use crate::monitor::AllMonitors;
use crate::ops::{PANEL, RowSize};
use crate::params::{CheckedSpec, Gamma, MetricLearning, Scaling};
use crate::rules::{
    AnyRule, EpsilonInsensitivePa, Mira, Ogd, PassiveAggressive, Perceptron, RobustMira, Sgd,
};
use crate::state::Norm;

impl<T: Real> Learner<T> {
    /// An empty model for rows of `columns` columns.
    pub(super) fn new(spec: CheckedSpec, columns: usize, task: Task) -> Self {
        let features = spec.n_features(columns);
        let mut expansion = spec.expansion(features, task);
        let rule = spec.rule(task);
        let budget = spec.budget_of(&expansion, &rule);
        let monitors = AllMonitors::new(&spec, &expansion, task);
        if budget.merges_newest() {
            expansion.let_newest_wait();
        }
        if let Some(step) = spec.linear_step(features, task) {
            expansion.add_linear_term(step);
        }
        if monitors.means() > 0 {
            expansion.keep_means(monitors.means());
        }
        if spec.has_intervals() {
            expansion.keep_local_errors();
        }
        Self {
            input: InputMap::new(&spec, features, columns),
            rule,
            budget,
            monitors,
            progress: LearnProgress::new(&spec, task),
            buffers: LearnBuffers::of(&expansion),
            expansion,
            spec,
        }
    }
}

impl CheckedSpec {
    /// An empty model for rows of `features` features and a task that fits the loss: a number of classes, or
    /// [`Task::Regression`]. With `hash_features` rows may have any number of columns, and `features` is the number at
    /// the start. The memory of a bounded model at full budget must be available; it is allocated as the model grows.
    ///
    /// # Errors
    /// If there are fewer than 2 classes, there are no features, the loss belongs to another task, or the model does
    /// not fit into memory or exceeds the limit of [`set_memory_limit`](crate::learner::set_memory_limit).
    pub fn build<T: Real>(&self, features: usize, task: impl Into<Task>) -> Result<Learner<T>> {
        let task = task.into();
        let n_features = if features == 0 { 0 } else { self.n_features(features) };
        self.check_size::<T>(n_features, task)?;
        Ok(Learner::new(self.clone(), features, task))
    }

    /// Whether a learner without support vectors has numbers per feature.
    pub(crate) fn has_numbers_per_feature(&self) -> bool {
        let spec = self.spec();
        spec.scaling == Scaling::Online
            || spec.metric_learning != MetricLearning::None
            || spec.linear_weight.is_some()
    }

    /// Checks that a model of this size is possible and fits into memory.
    pub(crate) fn check_size<T: Real>(&self, features: usize, task: Task) -> Result<()> {
        self.spec().check_task(task)?;
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
        let bytes = self.estimated_bytes::<T>(vectors, features, task.outputs());
        memory::check(bytes, vectors, features, task.outputs())?;
        if Vec::<u8>::new().try_reserve_exact(bytes).is_ok() {
            return Ok(());
        }
        let expected = format!("a number of support vectors of {features} features that fits into memory");
        let (name, max) = match self.spec().rate {
            Some(_) => ("max_size", self.spec().max_size),
            None => ("budget", self.spec().budget),
        };
        Err(Error::parameter(name, expected, max.map_or("None".into(), |max| max.to_string())))
    }

    /// The model before the first row. A scaler with running statistics clips all rows.
    fn expansion<T: Real>(&self, features: usize, task: Task) -> KernelExpansion<T> {
        let shape = Shape { capacity: self.capacity(), features, outputs: task.outputs() };
        let mut expansion = KernelExpansion::new(self.kernel(features), shape);
        if self.spec().scaling == Scaling::Online {
            let fits_gamma = self.spec().gamma == Gamma::Standardized;
            expansion.declare_row_size(if fits_gamma { RowSize::FitsGamma } else { RowSize::Clipped });
        }
        expansion
    }

    /// The learning step of the linear term: second-order in regression with `online-kernel`, else first-order.
    fn linear_step<T: Real>(&self, features: usize, task: Task) -> Option<LinearStep<T>> {
        let linear = self.spec().linear_weight?;
        Some(if self.spec().rule() == Rule::OnlineKernel && task == Task::Regression {
            LinearStep::arow(linear, features, self.has_linear_excess())
        } else {
            LinearStep::first_order(linear, features)
        })
    }

    fn rule(&self, task: Task) -> AnyRule {
        let spec = self.spec();
        match spec.rule() {
            Rule::Sgd => {
                let entry = spec.loss.entry();
                let descent = entry.sgd.expect("the checked specification has a loss that the rule takes");
                let ball = if spec.project_to_ball { entry.ball } else { None };
                AnyRule::Sgd(Sgd::new(descent(spec.loss_parameters), spec.alpha, ball))
            }
            Rule::PassiveAggressive => AnyRule::PassiveAggressive(PassiveAggressive::new(self)),
            Rule::Perceptron => {
                let trigger = spec.maintenance.entry().perceptron_trigger;
                let trigger = trigger.unwrap_or(Trigger::UpTo(spec.effective_margin()));
                AnyRule::Perceptron(Perceptron { trigger })
            }
            Rule::Mira => AnyRule::Mira(Mira::new(self.spec().effective_margin(), self.spec().c)),
            Rule::Ogd => AnyRule::Ogd(Ogd::new(self.spec().eta0, self.spec().alpha)),
            Rule::OnlineKernel if task == Task::Regression => AnyRule::EpsilonInsensitivePa(
                EpsilonInsensitivePa::new(spec.c0, spec.c_decay, spec.loss_parameters.epsilon),
            ),
            Rule::OnlineKernel => {
                AnyRule::RobustMira(RobustMira::new(spec.c0, spec.c_decay, spec.noise_margin, task))
            }
        }
    }

    fn budget_of<T: Real>(&self, expansion: &KernelExpansion<T>, rule: &AnyRule) -> Budget<T> {
        let rate = self.spec().nbsgd_beta().map(|beta| NbsgdRate::new(beta, self.max_support()));
        let norm = rule.reads_norm().then(|| Norm::new(expansion.outputs()));
        Budget::new(self.budget(), AnyStrategy::new(self, expansion), rate, norm)
    }
}
