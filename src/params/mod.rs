//! Parameters: `Spec` holds them, `check` is the only validation, and nothing downstream checks again.

mod average;
mod check;
mod checked;
mod legal;
mod names;
mod rate;
mod registry;
mod table;
#[cfg(test)]
mod tests;

pub use average::Average;
pub(crate) use check::{MAX_GAMMA, MIN_GAMMA};
pub use names::{Gamma, KernelName, Loss, Maintenance, Rule};
pub use rate::Rate;
pub use registry::{ALGORITHMS, Algorithm};
pub use table::{PARAMETERS, Value};

use crate::error::{Error, Result};

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
}
