//! From checked parameters to a model and its parts.

use super::{Average, CheckedSpec, Gamma, KernelName, Loss, Maintenance, Rule, Spec};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::kernel::{AnyKernel, Cosine, Laplacian, Linear, Polynomial, Rbf, Sigmoid};
use crate::label::Task;
use crate::learner::{GammaRule, Learner, Moments};
use crate::losses::{Descent, Residual};
use crate::maintenance::{
    AnyMaintain, Bogd, Distilled, Fixed, Forgetron, Joint, Leaver, Merge, Nearest, Paced, Project,
    ProjectNear, Projectron, Remove, Simple, Stop, Victim,
};
use crate::ops::PANEL;
use crate::rules::{AnyUpdate, Mira, Ogd, PassiveAggressive, Penalty, Perceptron, Sgd, Trigger};

impl CheckedSpec {
    /// An empty model for rows of `features` numbers and a task that fits the loss: so many classes, or
    /// [`Task::Regression`]. What a bounded one may ever take must be there; it is taken as the model grows.
    ///
    /// # Errors
    /// When there are fewer than 2 classes, no features, the loss is one of another task, or the model does not fit into
    /// memory.
    pub fn build<T: Real>(&self, features: usize, task: impl Into<Task>) -> Result<Learner<T>> {
        let task = task.into();
        self.check_size::<T>(features, task)?;
        Ok(Learner::new(self.clone(), features, task))
    }

    /// Whether the loss is one of this task: of regression, or of classes, however many.
    ///
    /// # Errors
    /// When it is not; the error names those that are.
    pub fn check_task(&self, task: impl Into<Task>) -> Result<()> {
        let numbers = task.into() == Task::Regression;
        if self.0.loss.predicts_numbers() == numbers {
            return Ok(());
        }
        let legal = self.0.rule().losses().iter().filter(|loss| loss.predicts_numbers() == numbers);
        let legal: Vec<_> = legal.map(|loss| format!("{:?}", loss.name())).collect();
        Err(Error::Combination {
            name: "loss",
            got: format!("{:?}", self.0.loss.name()),
            with: format!("a model that predicts {}", if numbers { "numbers" } else { "classes" }),
            legal: if legal.is_empty() { "another algorithm".into() } else { legal.join(", ") },
        })
    }

    /// Whether models have [`Learner::needs_label`]: the loss says which labels can matter.
    ///
    /// # Errors
    /// When it does not.
    pub fn check_needs_label(&self) -> Result<()> {
        if self.0.loss == Loss::Ramp {
            return Ok(());
        }
        let reason = "needs_label asks for loss = \"ramp\": with any other loss every label is needed";
        Err(Error::State(reason.into()))
    }

    /// Whether models have [`Learner::predict_proba`]: their scores stand for probabilities.
    ///
    /// # Errors
    /// When they do not.
    pub fn check_predict_proba(&self) -> Result<()> {
        if self.0.loss == Loss::LogLoss {
            return Ok(());
        }
        let reason =
            "predict_proba asks for loss = \"log_loss\": the scores of any other are no probabilities";
        Err(Error::State(reason.into()))
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
        let bytes = self.bytes::<T>(features, task.outputs());
        if bytes.is_some_and(|n| Vec::<u8>::new().try_reserve_exact(n).is_ok()) {
            return Ok(());
        }
        let expected = format!("a number of support vectors of {features} features that fits into memory");
        let (name, most) = match self.0.rate {
            Some(_) => ("max_size", self.0.max_size),
            None => ("budget", self.0.budget),
        };
        Err(Error::parameter(name, expected, most.map_or("None".into(), |most| most.to_string())))
    }

    /// About the memory that a bounded model takes when it is full, and an unbounded one with its first vectors; none
    /// where it cannot even be counted.
    fn bytes<T: Real>(&self, features: usize, outputs: usize) -> Option<usize> {
        // Norms, weights, labels, ages and what else there is beside vector and coefficients, in numbers of type T.
        const OTHERS: usize = 24;
        let slots = self.capacity().unwrap_or(PANEL * T::LANES).next_multiple_of(T::LANES);
        let columns = features.checked_add(outputs)?.checked_add(OTHERS)?;
        let store = slots.checked_mul(columns)?.checked_mul(size_of::<T>())?;
        let averages = match self.0.average {
            Average::Last => 0,
            // Two sums of f64, and what they are since.
            Average::Suffix(_) => {
                slots.checked_mul(outputs.checked_mul(2)?.checked_add(1)?)?.checked_mul(8)?
            }
            Average::Random => store.checked_mul(2)?,
        };
        let store = store.checked_add(averages)?;
        // A triangle of f64, or a square of T.
        let square = match self.0.maintenance {
            Maintenance::Project
            | Maintenance::ProjectBest
            | Maintenance::Joint
            | Maintenance::Projectron
            | Maintenance::ProjectronPlus => 4,
            Maintenance::Margin | Maintenance::Distill => size_of::<T>(),
            Maintenance::Nn if self.0.neighbors() > 1 => size_of::<T>(),
            _ => 0,
        };
        if self.capacity().is_none() || square == 0 {
            return Some(store);
        }
        store.checked_add(slots.checked_mul(slots)?.checked_mul(square)?)
    }

    /// The parameters.
    #[must_use]
    pub fn spec(&self) -> &Spec {
        &self.0
    }

    /// The number of support vectors from which on maintenance may run.
    #[inline(always)]
    pub(crate) fn budget(&self) -> usize {
        self.0.budget.unwrap_or(usize::MAX)
    }

    /// The most support vectors between examples: the budget, or what a rate lets the model grow to.
    pub(crate) fn most(&self) -> usize {
        self.capacity().map_or(usize::MAX, |capacity| capacity - 1)
    }

    /// The most support vectors ever: one more, just inserted.
    pub(crate) fn capacity(&self) -> Option<usize> {
        let most = if self.0.rate.is_some() { self.0.max_size } else { self.0.budget };
        most.map(|most| most + 1)
    }

    pub(crate) fn seed(&self) -> u64 {
        self.0.seed
    }

    pub(crate) fn update(&self) -> AnyUpdate {
        match self.0.rule() {
            Rule::Sgd => AnyUpdate::Sgd(Sgd::new(self.descent(), self.0.alpha, self.0.ball)),
            Rule::PassiveAggressive => AnyUpdate::PassiveAggressive(self.passive_aggressive()),
            Rule::Perceptron => AnyUpdate::Perceptron(Perceptron {
                trigger: match self.0.maintenance {
                    Maintenance::ProjectronPlus => Trigger::UnderOne,
                    Maintenance::Projectron | Maintenance::Forgetron => Trigger::UpTo(0.0),
                    _ => Trigger::UpTo(self.0.beta()),
                },
            }),
            Rule::Mira => AnyUpdate::Mira(Mira { beta: self.0.beta(), c: self.0.c }),
            Rule::Ogd => AnyUpdate::Ogd(Ogd::new(self.0.eta0, self.0.alpha)),
        }
    }

    fn descent(&self) -> Descent {
        match self.0.loss {
            Loss::LogLoss => Descent::Log { tolerance: self.0.grad_tol },
            Loss::SquaredError => Descent::Residual(Residual::Squared),
            Loss::AbsoluteError => Descent::Residual(Residual::Absolute),
            Loss::EpsilonInsensitive => {
                Descent::Residual(Residual::EpsilonInsensitive { epsilon: self.0.epsilon })
            }
            Loss::Huber => Descent::Residual(Residual::Huber { delta: self.0.delta }),
            Loss::Quantile => Descent::Residual(Residual::Quantile { q: self.0.quantile }),
            _ => Descent::Hinge,
        }
    }

    fn passive_aggressive(&self) -> PassiveAggressive {
        let penalty = match self.0.loss {
            Loss::SquaredHinge => Penalty::Squared,
            Loss::Ramp => Penalty::Ramp,
            _ => Penalty::Linear,
        };
        PassiveAggressive { penalty, c: self.0.c, epsilon: self.0.epsilon }
    }

    pub(crate) fn maintain<T: Real>(&self) -> Paced<T> {
        let rate = self.0.beta_of_rate().map(|beta| crate::maintenance::Rate::new(beta, self.most()));
        Paced { strategy: self.strategy(), rate }
    }

    fn strategy<T: Real>(&self) -> AnyMaintain<T> {
        let rule = self.passive_aggressive();
        let remove = |leaver| AnyMaintain::Remove(Remove { leaver });
        let project = |victim| AnyMaintain::Project(Project { victim });
        match self.0.maintenance {
            Maintenance::None => AnyMaintain::Unbounded,
            Maintenance::Stop => AnyMaintain::Stop(Stop),
            Maintenance::Random => remove(Leaver::Random),
            Maintenance::Oldest => remove(Leaver::Oldest),
            Maintenance::Smallest => remove(Leaver::Smallest),
            Maintenance::Project => project(Victim::Smallest),
            Maintenance::ProjectBest => project(Victim::Cheapest),
            Maintenance::ProjectNn => AnyMaintain::ProjectNear(ProjectNear::new(self.0.neighbors())),
            Maintenance::Merge => AnyMaintain::Merge(Merge::new(self.capacity().unwrap_or(0))),
            Maintenance::Simple => {
                AnyMaintain::Simple(Simple { rule, newcomer_may_leave: self.0.newcomer_may_leave })
            }
            Maintenance::Nn => AnyMaintain::Nearest(Nearest::new(rule, self.0.neighbors())),
            Maintenance::Joint => AnyMaintain::Joint(Joint { rule }),
            Maintenance::Margin => AnyMaintain::Fixed(Fixed),
            Maintenance::Distill => AnyMaintain::Distilled(Distilled::new(self.0.beta())),
            Maintenance::Forgetron => AnyMaintain::Forgetron(Forgetron::default()),
            Maintenance::Projectron | Maintenance::ProjectronPlus => {
                AnyMaintain::Projectron(Projectron { eta: self.0.eta })
            }
            Maintenance::Bogd => AnyMaintain::Bogd(Bogd { most: self.0.eta0 * self.0.clip }),
        }
    }

    /// The kernel for rows of `features` numbers, before any data is seen.
    pub(crate) fn kernel(&self, features: usize) -> AnyKernel {
        let spec = &self.0;
        let (degree, coef0) = (spec.degree, spec.coef0);
        let gamma = match spec.gamma {
            Gamma::Value(gamma) => gamma,
            Gamma::Scale | Gamma::Auto => 1.0 / features as f64,
        };
        match spec.kernel {
            KernelName::Rbf => AnyKernel::Rbf(Rbf { gamma }),
            KernelName::Laplacian => AnyKernel::Laplacian(Laplacian { gamma }),
            KernelName::Poly => AnyKernel::Polynomial(Polynomial { gamma, coef0, degree }),
            KernelName::Linear => AnyKernel::Linear(Linear),
            KernelName::Sigmoid => AnyKernel::Sigmoid(Sigmoid { gamma, coef0 }),
            KernelName::Cosine => AnyKernel::Cosine(Cosine),
        }
    }

    pub(crate) fn gamma_rule(&self) -> GammaRule {
        let has_width = self.kernel(1).gamma().is_some();
        match self.0.gamma {
            Gamma::Scale if has_width => GammaRule::Running(Moments::default()),
            _ => GammaRule::Fixed,
        }
    }
}
