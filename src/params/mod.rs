//! Parameters: `Spec` holds them, `check` is the only validation, and nothing downstream checks again.

mod average;
mod check;
mod checked;
mod class_weight;
mod forget;
mod maintenance;
mod metric;
mod missing;
mod rate;
mod registry;
mod rows;
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
pub use maintenance::Maintenance;
pub use metric::Metric;
pub use missing::Missing;
pub use rate::Rate;
pub use registry::{ALGORITHMS, Algorithm};
pub use scale::Scale;
pub use table::{Parameter, table};

use crate::error::{Error, Result};

/// The parameters of a model, not yet checked. Defaults are those of the named algorithm.
///
/// [`table`] has a row for each field: its legal values, when it applies, and what it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The name in [`ALGORITHMS`] that the defaults come from.
    pub algorithm: &'static str,
    /// The most support vectors the model may hold; `None` is unbounded, for those of
    /// [`Maintenance::may_be_unbounded`].
    pub budget: Option<usize>,
    /// What is done when the model is over budget.
    pub maintenance: Maintenance,
    /// The loss that the rule follows; it decides between classification and regression.
    pub loss: Loss,
    /// What the loss needs.
    pub loss_parameters: LossParameters,
    /// How many take a share with [`Maintenance::Nn`] and [`Maintenance::ProjectNn`].
    pub n_neighbors: Option<usize>,
    /// Whether [`Maintenance::Simple`] may drop the newcomer where that has the lower objective.
    pub newcomer_may_leave: bool,
    /// How often the budget is restored: NBSGD's beta (Le et al. 2016, Algorithm 3). `None` is whenever it is exceeded.
    pub rate: Option<Rate>,
    /// The most support vectors with a rate; `None` is without bound.
    pub max_size: Option<usize>,
    /// How many rows there will be, for [`Rate::Auto`] and for averages.
    pub stream_length: Option<u64>,
    /// The model that predicts.
    pub average: Average,
    /// The papers' lambda.
    pub alpha: f64,
    /// Whether w is projected on the ball of radius `1/sqrt(alpha)`.
    pub ball: bool,
    /// The cap on passive-aggressive steps and those of MIRA.
    pub c: f64,
    /// The cap on the first step of the online kernel machine.
    pub c0: f64,
    /// Whether that cap falls with the square root of the rows.
    pub decay: bool,
    /// Minus the margin below which a model that is mostly right leaves a row out; `None` leaves out none.
    pub ramp: Option<f64>,
    /// What becomes of the past of a stream.
    pub forget: Forget,
    /// Crammer's beta: the margin up to which the Perceptron updates, that MIRA asks for, and from which
    /// [`Maintenance::Distill`] removes. `None` is 0.01 with MIRA, [`Maintenance::Margin`] and [`Maintenance::Distill`],
    /// else 0.
    pub margin: Option<f64>,
    /// The distance from the span up to which [`Maintenance::Projectron`] projects.
    pub eta: f64,
    /// The constant step of online gradient descent.
    pub eta0: f64,
    /// The largest coefficient with [`Maintenance::Bogd`], in steps.
    pub clip: f64,
    /// What the classes weigh.
    pub class_weight: ClassWeight,
    /// The features that columns are folded into; `None` takes rows as they are.
    pub hash_features: Option<usize>,
    /// What is done to the features before the kernel sees them.
    pub scale: Scale,
    /// What NaN in a row is.
    pub missing: Missing,
    /// The metric that the kernel measures distances with.
    pub metric: Metric,
    /// The weight of a linear part beside the kernel; `None` is without one.
    pub linear: Option<f64>,
    /// The kernel.
    pub kernel: KernelName,
    /// Its width.
    pub gamma: Gamma,
    /// What else the kernel needs.
    pub kernel_parameters: KernelParameters,
    /// Start of the model's random generator.
    pub seed: u64,
}

/// Validated parameters; made only by [`Spec::check`].
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
            return Err(Error::name("algorithm", expected, algorithm, names));
        };
        Ok(found.spec())
    }

    /// The parameters of a named algorithm for regression: its loss is the first one in [`Loss::ALL`] that the rule
    /// takes; for `online-kernel` the defaults of `c0`, `linear` and `epsilon` differ too.
    ///
    /// # Errors
    /// When there is no algorithm of that name, or it has no loss for regression.
    pub fn named_regression(algorithm: &str) -> Result<Self> {
        let mut spec = Self::named(algorithm)?;
        let usual = spec.rule().losses()[0];
        match spec.rule().losses().into_iter().find(|loss| loss.is_regression()) {
            Some(loss) if spec.loss == usual => {
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
                legal: Self::regressions().join(", "),
            }),
        }
    }

    /// The names of the algorithms that can be used for regression.
    #[must_use]
    pub fn regressions() -> Vec<&'static str> {
        let can = |a: &&Algorithm| {
            a.loss == a.rule.losses()[0] && a.rule.losses().iter().any(|loss| loss.is_regression())
        };
        ALGORITHMS.iter().filter(can).map(|a| a.name).collect()
    }

    /// What an example adds: the rule of the algorithm.
    #[must_use]
    pub fn rule(&self) -> Rule {
        ALGORITHMS.iter().find(|a| a.name == self.algorithm).map_or(Rule::Sgd, |a| a.rule)
    }
}
