//! Parameters: `Spec` holds them, `check` is the only validation, and nothing downstream checks again.

mod names;
mod registry;
mod table;
#[cfg(test)]
mod tests;

use names::{
    ALPHA, AVERAGE, BUDGET, C, CLIP, COEF0, DEGREE, DELTA, EPSILON, ETA, ETA0, GAMMA, GRAD_TOL, MARGIN,
    MAX_SIZE, QUANTILE, RATE, STREAM_LENGTH,
};
pub use names::{Average, Gamma, KernelName, Loss, Maintenance, Rate, Rule};
pub use registry::{ALGORITHMS, Algorithm};
pub use table::{PARAMETERS, Value};

use crate::budget::{
    self, AnyMaintain, Bogd, Distilled, Fixed, Forgetron, Joint, Leaver, Merge, Nearest, Paced, Project,
    ProjectNear, Projectron, Remove, Simple, Stop, Victim,
};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::kernel::{AnyKernel, Cosine, Laplacian, Linear, Polynomial, Rbf, Sigmoid};
use crate::label::Task;
use crate::learner::{GammaRule, Learner, Moments};
use crate::simd::tile::PANEL;
use crate::update::{
    AnyUpdate, Descent, Mira, Ogd, PassiveAggressive, Penalty, Perceptron, Residual, Sgd, Trigger,
};

/// The parameters of a model, not yet checked. Defaults are those of the named algorithm.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The name in [`ALGORITHMS`] that the defaults come from.
    pub algorithm: &'static str,
    /// The most support vectors the model may hold, 1 to 2^24; `None` is unbounded, for those of
    /// [`Maintenance::may_be_unbounded`].
    pub budget: Option<usize>,
    /// What is done when the model is over budget.
    pub maintenance: Maintenance,
    /// How many take a share with [`Maintenance::Nn`] and [`Maintenance::ProjectNn`], 1 to 64. `None` is 1 and 4.
    pub n_neighbors: Option<usize>,
    /// How often the budget is restored: NBSGD's beta (Le et al. 2016, Algorithm 3). `None` is whenever it is exceeded.
    pub rate: Option<Rate>,
    /// The most support vectors with a rate, from the budget to 2^24; `None` is without bound.
    pub max_size: Option<usize>,
    /// How many rows there will be, 1 to 2^53, for [`Rate::Auto`] and for averages.
    pub stream_length: Option<u64>,
    /// The model that predicts.
    pub average: Average,
    /// Whether [`Maintenance::Simple`] may drop the newcomer where that has the lower objective.
    pub newcomer_may_leave: bool,
    /// The loss that the rule follows; it decides between classes and numbers.
    pub loss: Loss,
    /// Half the width of the tube of [`Loss::EpsilonInsensitive`], 0 to 1e15.
    pub epsilon: f64,
    /// The residual from which [`Loss::Huber`] is linear, 1e-15 to 1e15.
    pub delta: f64,
    /// What [`Loss::Quantile`] predicts, between 0 and 1.
    pub quantile: f64,
    /// The length under which derivatives of [`Loss::LogLoss`] count as zero, 0 to 1.
    pub grad_tol: f64,
    /// The cap on passive-aggressive steps and those of MIRA, 1e-20 to 1e15.
    pub c: f64,
    /// Crammer's beta, 0 to 1e6: the margin up to which the Perceptron updates, that MIRA asks for, and from which
    /// [`Maintenance::Distill`] removes. `None` is 0.01 with MIRA, [`Maintenance::Margin`] and [`Maintenance::Distill`],
    /// else 0.
    pub margin: Option<f64>,
    /// The distance from the span up to which [`Maintenance::Projectron`] projects, 0 to 1e15.
    pub eta: f64,
    /// The constant step of online gradient descent, 1e-10 to 1000; `eta0 * alpha` is 0.99 at most.
    pub eta0: f64,
    /// The largest coefficient with [`Maintenance::Bogd`], in steps: 1 to 1e6.
    pub clip: f64,
    /// The papers' lambda, 1e-20 to 1e20.
    pub alpha: f64,
    /// Whether w is projected on the ball of radius `1/sqrt(alpha)`.
    pub ball: bool,
    /// The kernel.
    pub kernel: KernelName,
    /// Its width.
    pub gamma: Gamma,
    /// The polynomial's power, 1 to 100.
    pub degree: u32,
    /// The constant of the polynomial and sigmoid kernels, >= 0.
    pub coef0: f64,
    /// Start of the model's random generator.
    pub seed: u64,
}

/// Parameters that go together; only [`Spec::check`] makes one.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedSpec(Spec);

impl Spec {
    /// The parameters of a named algorithm.
    ///
    /// # Errors
    /// When there is no algorithm of that name; the error lists all.
    pub fn named(algorithm: &str) -> Result<Self> {
        let Some(found) = ALGORITHMS.iter().find(|a| a.name == algorithm) else {
            let names: Vec<_> = ALGORITHMS.iter().map(|a| a.name).collect();
            let expected = format!("one of {}", names.join(", "));
            return Err(Error::parameter("algorithm", expected, format!("{algorithm:?}")));
        };
        Ok(found.spec())
    }

    /// The parameters of a named algorithm that predicts numbers: the first loss of its rule that does so.
    ///
    /// # Errors
    /// When there is no algorithm of that name, or it has a loss for classes alone.
    pub fn named_regression(algorithm: &str) -> Result<Self> {
        let mut spec = Self::named(algorithm)?;
        let usual = spec.rule().losses()[0];
        match spec.rule().losses().iter().find(|loss| loss.predicts_numbers()) {
            Some(&loss) if spec.loss == usual => {
                spec.loss = loss;
                Ok(spec)
            }
            _ => Err(Error::Combination {
                name: "algorithm",
                got: format!("{algorithm:?}"),
                with: "regression".into(),
                legal: Self::regressions().join(", "),
            }),
        }
    }

    /// The names of the algorithms that can predict numbers.
    #[must_use]
    pub fn regressions() -> Vec<&'static str> {
        let can = |a: &&Algorithm| {
            a.loss == a.rule.losses()[0] && a.rule.losses().iter().any(|loss| loss.predicts_numbers())
        };
        ALGORITHMS.iter().filter(can).map(|a| a.name).collect()
    }

    /// What an example adds: the rule of the algorithm.
    #[must_use]
    pub fn rule(&self) -> Rule {
        ALGORITHMS.iter().find(|a| a.name == self.algorithm).map_or(Rule::Sgd, |a| a.rule)
    }

    /// Checks every parameter and every combination.
    ///
    /// # Errors
    /// The first parameter outside its legal values, or the first combination that is not legal.
    pub fn check(&self) -> Result<CheckedSpec> {
        // Fields that are no parameters of the algorithm stay out of it.
        let mut own = Self::named(self.algorithm)?;
        for name in PARAMETERS {
            if let Some(value) = self.get(name) {
                own.set(name, &value)?;
            }
        }
        own.check_values()?;
        own.check_pairs()?;
        Ok(CheckedSpec(own))
    }

    fn check_values(&self) -> Result<()> {
        let legal = |name, expected: &'static str, got: &dyn std::fmt::Display, is_legal: bool| {
            if is_legal { Ok(()) } else { Err(Error::parameter(name, expected, got)) }
        };
        let budget = self.budget.unwrap_or(1);
        legal("budget", BUDGET, &budget, (1..=MAX_BUDGET).contains(&budget))?;
        if let Some(Rate::Value(rate)) = self.rate {
            legal("rate", RATE, &Value::Float(rate), rate > 0.0 && rate.is_finite())?;
        }
        let max_size = self.max_size.unwrap_or(1);
        legal("max_size", MAX_SIZE, &max_size, (1..=MAX_BUDGET).contains(&max_size))?;
        let length = self.stream_length.unwrap_or(1);
        legal("stream_length", STREAM_LENGTH, &length, (1..=1 << 53).contains(&length))?;
        if let Average::Suffix(gamma) = self.average {
            legal("average", AVERAGE, &Value::Float(gamma), (1e-3..=1.0).contains(&gamma))?;
        }
        legal("alpha", ALPHA, &Value::Float(self.alpha), (1e-20..=1e20).contains(&self.alpha))?;
        legal("C", C, &Value::Float(self.c), (1e-20..=1e15).contains(&self.c))?;
        legal("delta", DELTA, &Value::Float(self.delta), (1e-15..=1e15).contains(&self.delta))?;
        let inside = self.quantile > 0.0 && self.quantile < 1.0;
        legal("quantile", QUANTILE, &Value::Float(self.quantile), inside)?;
        legal("grad_tol", GRAD_TOL, &Value::Float(self.grad_tol), (0.0..=1.0).contains(&self.grad_tol))?;
        let margin = self.beta();
        legal("margin", MARGIN, &Value::Float(margin), (0.0..=1e6).contains(&margin))?;
        legal("eta", ETA, &Value::Float(self.eta), (0.0..=1e15).contains(&self.eta))?;
        legal("eta0", ETA0, &Value::Float(self.eta0), (1e-10..=1e3).contains(&self.eta0))?;
        legal("clip", CLIP, &Value::Float(self.clip), (1.0..=1e6).contains(&self.clip))?;
        legal("epsilon", EPSILON, &Value::Float(self.epsilon), (0.0..=1e15).contains(&self.epsilon))?;
        if let Gamma::Value(gamma) = self.gamma {
            legal("gamma", GAMMA, &Value::Float(gamma), (MIN_GAMMA..=MAX_GAMMA).contains(&gamma))?;
        }
        legal("degree", DEGREE, &self.degree, (1..=100).contains(&self.degree))?;
        legal("coef0", COEF0, &Value::Float(self.coef0), self.coef0.is_finite() && self.coef0 >= 0.0)
    }

    fn check_pairs(&self) -> Result<()> {
        let combination = |name, got: &str, with: String, legal: &str| {
            Err(Error::Combination { name, got: got.into(), with, legal: legal.into() })
        };
        let maintenance = || format!("maintenance = {:?}", self.maintenance.name());
        if self.maintenance == Maintenance::Merge && self.kernel != KernelName::Rbf {
            return combination("kernel", &format!("{:?}", self.kernel.name()), maintenance(), "\"rbf\"");
        }
        let rule = || format!("algorithm = {:?} ({})", self.algorithm, self.rule().name());
        let measures = self.maintenance.needs_definite();
        if self.kernel == KernelName::Sigmoid && (measures || self.rule().needs_definite()) {
            let legal = KernelName::ALL.iter().filter(|k| **k != KernelName::Sigmoid);
            let legal: Vec<_> = legal.map(|k| format!("{:?}", k.name())).collect();
            let with = if measures { maintenance() } else { rule() };
            return combination("kernel", "\"sigmoid\"", with, &legal.join(", "));
        }
        if !self.rule().losses().contains(&self.loss) {
            let legal: Vec<_> =
                self.rule().losses().iter().map(|loss| format!("{:?}", loss.name())).collect();
            return combination("loss", &format!("{:?}", self.loss.name()), rule(), &legal.join(", "));
        }
        if self.ball && !self.loss.has_ball() {
            let with = format!("loss = {:?}", self.loss.name());
            return combination("ball", "true", with, "false");
        }
        if self.ball && self.loss == Loss::SquaredError && self.alpha > 1.0 {
            let with = format!("ball = true and loss = {:?}", self.loss.name());
            return combination("alpha", &Value::Float(self.alpha).to_string(), with, "at most 1");
        }
        if !self.goes_with(self.maintenance) {
            let legal = Maintenance::ALL.into_iter().filter(|m| self.goes_with(*m));
            let legal: Vec<_> = legal.map(|m| format!("{:?}", m.name())).collect();
            let got = format!("{:?}", self.maintenance.name());
            let loss = || format!("loss = {:?}", self.loss.name());
            let with = if self.maintenance.asks_margins() { loss() } else { rule() };
            return combination("maintenance", &got, with, &legal.join(", "));
        }
        if self.rule() == Rule::Ogd && self.eta0 * self.alpha > 0.99 {
            let legal = format!("at most {}", Value::Float(0.99 / self.eta0));
            let with = format!("eta0 = {}", Value::Float(self.eta0));
            return combination("alpha", &Value::Float(self.alpha).to_string(), with, &legal);
        }
        self.check_rate()?;
        match (self.maintenance, self.budget) {
            (Maintenance::None, Some(budget)) => {
                combination("budget", &budget.to_string(), maintenance(), "None (unbounded)")
            }
            (maintain, None) if !maintain.may_be_unbounded() => {
                let unbounded = Maintenance::ALL.into_iter().filter(|m| m.may_be_unbounded());
                let unbounded: Vec<_> =
                    unbounded.filter(|m| self.goes_with(*m)).map(|m| format!("{:?}", m.name())).collect();
                let legal = format!(
                    "an integer from 1 to 16777216 (unbounded is for maintenance = {})",
                    unbounded.join(", ")
                );
                combination("budget", "None", maintenance(), &legal)
            }
            _ => Ok(()),
        }
    }

    /// Whether there is a rate where the name asks for one, and what it needs.
    fn check_rate(&self) -> Result<()> {
        let combination = |name, got: &dyn std::fmt::Display, with: &str, legal: String| {
            Err(Error::Combination { name, got: got.to_string(), with: with.into(), legal })
        };
        let Some(rate) = self.rate else {
            let asks = |a: &Algorithm| a.name == self.algorithm && a.asks_rate;
            if self.maintenance.takes_rate() && ALGORITHMS.iter().any(asks) {
                let expected = format!(
                    "a number > 0, or \"auto\" (algorithm = {:?} has none by itself)",
                    self.algorithm
                );
                return Err(Error::parameter("rate", expected, "None"));
            }
            return match self.max_size {
                Some(size) => combination("max_size", &size, "rate = None", "None".into()),
                None => Ok(()),
            };
        };
        if !self.maintenance.takes_rate() {
            let legal = Maintenance::ALL.into_iter().filter(|m| m.takes_rate());
            let legal: Vec<_> = legal.map(|m| format!("{:?}", m.name())).collect();
            let got = format!("{:?}", self.maintenance.name());
            return combination("maintenance", &got, &format!("rate = {}", rate.value()), legal.join(", "));
        }
        if rate == Rate::Auto && self.stream_length.is_none() {
            let legal = "the number of rows there will be (or rate = a number)".into();
            return combination("stream_length", &"None", "rate = \"auto\"", legal);
        }
        match (self.max_size, self.budget) {
            (Some(size), Some(budget)) if size < budget => {
                combination("max_size", &size, &format!("budget = {budget}"), "at least the budget".into())
            }
            _ => Ok(()),
        }
    }

    /// Whether a strategy is legal with the rule and the loss.
    fn goes_with(&self, maintenance: Maintenance) -> bool {
        let rule = maintenance.rule().is_none_or(|rule| rule == self.rule());
        rule && !(maintenance.asks_margins() && self.loss.predicts_numbers())
    }

    /// The number of neighbours in force.
    pub(super) fn neighbors(&self) -> usize {
        self.n_neighbors.unwrap_or(if self.maintenance == Maintenance::ProjectNn { 4 } else { 1 })
    }

    /// NBSGD's beta, where there is a rate.
    fn beta_of_rate(&self) -> Option<f64> {
        self.rate.map(|rate| match rate {
            Rate::Value(beta) => beta,
            Rate::Auto => 0.6 * self.stream_length.unwrap_or(1) as f64,
        })
    }

    /// The margin in force.
    fn beta(&self) -> f64 {
        let wide = self.rule() == Rule::Mira || self.maintenance.asks_margins();
        self.margin.unwrap_or(if wide { 0.01 } else { 0.0 })
    }
}

/// The largest budget: slots are counted in 32 bits.
const MAX_BUDGET: usize = 1 << 24;
/// The least width of a kernel.
pub(crate) const MIN_GAMMA: f64 = 1e-30;
/// The largest.
pub(crate) const MAX_GAMMA: f64 = 1e30;

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

    /// Whether the loss predicts what is asked for: numbers or, otherwise, classes.
    pub(crate) fn check_task(&self, numbers: bool) -> Result<()> {
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

    /// Whether the loss tells which labels can matter.
    pub(crate) fn check_asks(&self) -> Result<()> {
        if self.0.loss == Loss::Ramp {
            return Ok(());
        }
        let reason = "needs_label asks for loss = \"ramp\": with any other loss every label is needed";
        Err(Error::State(reason.into()))
    }

    /// Whether scores stand for probabilities.
    pub(crate) fn check_probabilities(&self) -> Result<()> {
        if self.0.loss == Loss::LogLoss {
            return Ok(());
        }
        let reason =
            "predict_proba asks for loss = \"log_loss\": the scores of any other are no probabilities";
        Err(Error::State(reason.into()))
    }

    /// Whether there can be a model of this size.
    pub(crate) fn check_size<T: Real>(&self, features: usize, task: Task) -> Result<()> {
        self.check_task(task == Task::Regression)?;
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
        let got = self.0.budget.map_or("None".into(), |budget| budget.to_string());
        Err(Error::parameter("budget", expected, got))
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
        let rate = self.0.beta_of_rate().map(|beta| budget::Rate::new(beta, self.most()));
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
