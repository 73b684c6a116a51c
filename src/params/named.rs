//! The parameters of named algorithms.

use super::{ALGORITHMS, Algorithm, Rule, Spec};
use crate::error::{Error, Result};
use crate::kernel::KernelName;
use crate::losses::Loss;
use crate::parameter::{Named, is_spelling_of};
use crate::params::Maintenance;

impl Spec {
    /// The parameters of a named algorithm. The name may be spelled with `-` or `_`.
    ///
    /// # Errors
    /// If there is no algorithm with that name; the error suggests one.
    pub fn named(algorithm: &str) -> Result<Self> {
        let found = ALGORITHMS.iter().find(|a| is_spelling_of(a.name, algorithm));
        found.map(Algorithm::spec).ok_or_else(|| unknown_algorithm(algorithm))
    }

    /// The parameters of a named algorithm for regression. The loss is the first regression loss in [`Loss::ALL`]
    /// that can be combined with the rule. For `online-kernel`, `c0`, `linear_weight` and `epsilon` also have other
    /// defaults than in classification.
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

/// The error about the name of an algorithm, which may be the name of another choice.
fn unknown_algorithm(name: &str) -> Error {
    let expected = Algorithm::EXPECTED;
    let other = [
        ("kernel", "a kernel", KernelName::find(name).map(KernelName::name)),
        ("loss", "a loss", Loss::find(name).map(Loss::name)),
        ("maintenance", "a maintenance strategy", Maintenance::find(name).map(Maintenance::name)),
    ];
    match other.into_iter().find_map(|(parameter, kind, found)| Some((parameter, kind, found?))) {
        Some((parameter, kind, found)) => {
            let got = format!("{name:?}, which is {kind}: use {parameter} = {found:?}");
            Error::parameter("algorithm", expected, got)
        }
        None => Error::name("algorithm", expected, name, ALGORITHMS.iter().map(|a| a.name)),
    }
}
