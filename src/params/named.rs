//! The parameters of named algorithms.

use super::{ALGORITHMS, Algorithm, Rule, Spec};
use crate::error::{Error, Result};

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

    /// The parameters of a named algorithm for regression. The loss is the first regression loss in
    /// [`Loss::ALL`](super::Loss::ALL) that can be combined with the rule. For `online-kernel` the defaults of `c0`,
    /// `linear` and `epsilon` differ too.
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
                    (spec.c0, spec.linear_weight, spec.loss_parameters.epsilon) = (10.0, Some(1.0), 0.1);
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
