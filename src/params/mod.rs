//! Parameters: [`Spec`] holds them, [`Spec::check`] is the only validation, and later stages do not check again.

mod average;
mod check;
mod checked;
mod class_weight;
mod entries;
mod forget;
mod maintenance;
mod metric_learning;
mod missing;
mod rate;
mod registry;
mod scale;
mod table;
#[cfg(test)]
mod tests;

pub use crate::kernel::{Gamma, KernelName, KernelParameters};
pub use crate::losses::{Loss, LossParameters, Rule};
pub use crate::parameter::Value;
pub use average::Average;
pub use class_weight::ClassWeight;
pub use forget::Forget;
pub use maintenance::{Maintenance, MaintenanceEntry};
pub use metric_learning::MetricLearning;
pub use missing::Missing;
pub use rate::Rate;
pub use registry::{ALGORITHMS, Algorithm};
pub use scale::Scale;
pub use table::{Parameter, table};

use crate::error::{Error, Result};

/// The parameters of a model, not yet checked. A named algorithm gives the defaults.
///
/// [`table`] has an entry for each field: its valid values, the choices that it applies to, and a description.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The name of the algorithm in [`ALGORITHMS`] that gives the defaults.
    pub algorithm: &'static str,
    /// Maximum number of support vectors; `None` is unbounded, which only strategies with
    /// [`MaintenanceEntry::may_be_unbounded`] allow.
    pub budget: Option<usize>,
    /// The budget maintenance strategy.
    pub maintenance: Maintenance,
    /// The loss; it decides between classification and regression.
    pub loss: Loss,
    /// The parameters of the loss.
    pub loss_parameters: LossParameters,
    /// Number of neighbours for [`Maintenance::Nn`] and [`Maintenance::ProjectNn`]; `None` is the default of the strategy.
    pub n_neighbors: Option<usize>,
    /// Whether [`Maintenance::Simple`] may discard the new support vector if that has the lower objective.
    pub newcomer_may_leave: bool,
    /// The rate of maintenance: NBSGD's beta (Le et al. 2016, Algorithm 3). `None` runs maintenance whenever the model is
    /// over budget.
    pub rate: Option<Rate>,
    /// Maximum number of support vectors with a rate; `None` sets no limit.
    pub max_size: Option<usize>,
    /// Number of rows of the whole stream, for [`Rate::Auto`] and for averages.
    pub stream_length: Option<u64>,
    /// The model used for prediction.
    pub average: Average,
    /// The regularization, the papers' lambda.
    pub alpha: f64,
    /// Whether w is projected onto the ball of radius `1/sqrt(alpha)`.
    pub ball: bool,
    /// C, the cap on the steps of the passive-aggressive rule and of MIRA.
    pub c: f64,
    /// C0, the cap on the first step of `online-kernel`.
    pub c0: f64,
    /// Whether the cap of `online-kernel` falls with the square root of the number of rows.
    pub decay: bool,
    /// `online-kernel` skips rows with a margin below minus this as probable label noise; `None` skips none.
    pub ramp: Option<f64>,
    /// How the model forgets the past of the stream.
    pub forget: Forget,
    /// Crammer's beta: the margin up to which the Perceptron updates, that MIRA requires, and from which
    /// [`Maintenance::Distill`] removes support vectors. `None` is 0.01 with MIRA, [`Maintenance::Margin`] and
    /// [`Maintenance::Distill`], otherwise 0.
    pub margin: Option<f64>,
    /// The distance from the span of the support vectors up to which [`Maintenance::Projectron`] projects.
    pub eta: f64,
    /// The constant step size of online gradient descent.
    pub eta0: f64,
    /// The largest coefficient with [`Maintenance::Bogd`], as a multiple of `eta0`.
    pub clip: f64,
    /// The weighting of classes.
    pub class_weight: ClassWeight,
    /// Number of features that columns are hashed into; `None` does not hash.
    pub hash_features: Option<usize>,
    /// The scaling of features.
    pub scale: Scale,
    /// The treatment of NaN in rows.
    pub missing: Missing,
    /// The form of the learned metric.
    pub metric: MetricLearning,
    /// The weight of the linear term; `None` has no linear term.
    pub linear: Option<f64>,
    /// The kernel.
    pub kernel: KernelName,
    /// The width of the kernel.
    pub gamma: Gamma,
    /// The other parameters of the kernel.
    pub kernel_parameters: KernelParameters,
    /// The seed of the random number generator.
    pub seed: u64,
}

/// Checked parameters; only [`Spec::check`] makes them.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedSpec(Spec);

impl Spec {
    /// The parameters of a named algorithm.
    ///
    /// # Errors
    /// If there is no algorithm with that name; the error lists all names.
    pub fn named(algorithm: &str) -> Result<Self> {
        let Some(found) = ALGORITHMS.iter().find(|a| a.name == algorithm) else {
            let names: Vec<_> = ALGORITHMS.iter().map(|a| a.name).collect();
            let expected = format!("one of {}", names.join(", "));
            return Err(Error::name("algorithm", expected, algorithm, names));
        };
        Ok(found.spec())
    }

    /// The parameters of a named algorithm for regression. The loss is the first regression loss in [`Loss::ALL`] that can be
    /// combined with the rule. For `online-kernel` the defaults of `c0`, `linear` and `epsilon` differ too.
    ///
    /// # Errors
    /// If there is no algorithm with that name, or the algorithm has no regression loss.
    pub fn named_regression(algorithm: &str) -> Result<Self> {
        let mut spec = Self::named(algorithm)?;
        let default = spec.rule().losses()[0];
        match spec.rule().losses().into_iter().find(|loss| loss.is_regression()) {
            Some(loss) if spec.loss == default => {
                spec.loss = loss;
                if spec.rule() == Rule::OnlineKernel {
                    (spec.c0, spec.linear, spec.loss_parameters.epsilon) = (20.0, Some(1.0), 0.3);
                }
                Ok(spec)
            }
            _ => Err(Error::Combination {
                name: "algorithm",
                got: format!("{algorithm:?}"),
                with: "regression".into(),
                valid: Self::regressions().join(", "),
            }),
        }
    }

    /// The names of the algorithms for regression.
    #[must_use]
    pub fn regressions() -> Vec<&'static str> {
        let can = |a: &&Algorithm| {
            a.loss == a.rule.losses()[0] && a.rule.losses().iter().any(|loss| loss.is_regression())
        };
        ALGORITHMS.iter().filter(can).map(|a| a.name).collect()
    }

    /// The update rule of the algorithm.
    #[must_use]
    pub fn rule(&self) -> Rule {
        ALGORITHMS.iter().find(|a| a.name == self.algorithm).map_or(Rule::Sgd, |a| a.rule)
    }
}
