//! Checked parameters: what follows from them.

use super::{Average, CheckedSpec, Gamma, Loss, Scale, Spec};
use crate::error::{Error, Result};
use crate::hashing::FeatureHasher;
use crate::kernel::{AnyKernel, STANDARDIZED_GAMMA};
use crate::label::Task;
use crate::losses::{LossEntry, Rule};
use crate::parameter::{Plain, quoted};

impl CheckedSpec {
    /// Whether the loss is one of this task: of regression, or of classes, however many.
    ///
    /// # Errors
    /// When it is not; the error names those that are.
    pub fn check_task(&self, task: impl Into<Task>) -> Result<()> {
        let numbers = task.into() == Task::Regression;
        if self.0.loss.is_regression() == numbers {
            return Ok(());
        }
        let legal = self.0.rule().losses().into_iter().filter(|loss| loss.is_regression() == numbers);
        let legal: Vec<_> = legal.map(Loss::name).collect();
        Err(Error::Combination {
            name: "loss",
            got: format!("{:?}", self.0.loss.name()),
            with: if numbers { "regression" } else { "classification" }.to_owned(),
            legal: if legal.is_empty() { "another algorithm".into() } else { quoted(&legal) },
        })
    }

    /// The refusal of a missing value, with what takes one.
    #[must_use]
    pub fn with_remedy(&self, mut error: Error) -> Error {
        if let Error::NotFinite { got, instead, .. } = &mut error
            && got == "NaN"
            && self.0.hash_features.is_none()
        {
            *instead = Some(match self.0.rule() {
                Rule::OnlineKernel if self.0.scale == Scale::Online => {
                    "missing = \"mean\" takes missing values"
                }
                _ => {
                    "missing values are taken by \"online-kernel\", and with scale = \"online\" and missing = \"mean\" by all \
                     algorithms of Classifier, Regressor and the command line"
                }
            });
        }
        error
    }

    /// Whether models have [`crate::Learner::needs_label`]: the loss says which labels can matter, and the last model
    /// predicts. A mean counts the model of every row, those that need no label too.
    ///
    /// # Errors
    /// When they do not.
    pub fn check_needs_label(&self) -> Result<()> {
        if !self.0.loss.entry().queries {
            let legal = losses(|loss| loss.queries);
            return Err(Error::State(
                format!("needs_label asks for loss = {legal}: with any other loss every label is needed")
                    .into(),
            ));
        }
        if self.0.average != Average::Last {
            let got = self.0.average.value();
            return Err(Error::State(
                format!(
                    "needs_label asks for average = False, got {got}: an average counts the model of every row, so that \
                     rows without a label change it too"
                )
                .into(),
            ));
        }
        Ok(())
    }

    /// Whether models have [`crate::Learner::predict_proba`]: classifiers with the log loss, whose scores are logits,
    /// or with `online-kernel`, which calibrates its scores.
    #[must_use]
    pub fn has_probabilities(&self) -> bool {
        let calibrated = self.0.rule() == Rule::OnlineKernel && !self.0.loss.is_regression();
        self.0.loss.has_probabilities() || calibrated
    }

    /// Refuses models without [`crate::Learner::predict_proba`].
    ///
    /// # Errors
    /// When they have none.
    pub fn check_predict_proba(&self) -> Result<()> {
        if self.has_probabilities() {
            return Ok(());
        }
        let legal = losses(|loss| loss.probabilities);
        Err(Error::State(
            format!("predict_proba asks for loss = {legal}, or for algorithm = \"online-kernel\": the scores of any other are no \
                     probabilities")
                .into(),
        ))
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

    /// The features of rows that have so many columns.
    pub(crate) fn width(&self, columns: usize) -> usize {
        self.0.hash_features.unwrap_or(columns)
    }

    /// The hash of columns, where they are folded.
    pub(crate) fn hashing(&self, columns: usize) -> Option<FeatureHasher> {
        self.0.hash_features.map(|features| FeatureHasher::new(features, self.0.seed, columns))
    }

    /// The kernel for rows of `features` numbers, before any data is seen.
    pub(crate) fn kernel(&self, features: usize) -> AnyKernel {
        let gamma = match self.0.gamma {
            Gamma::Value(gamma) => gamma,
            Gamma::Scale | Gamma::Auto => 1.0 / features as f64,
            Gamma::Standardized => STANDARDIZED_GAMMA,
        };
        self.0.kernel.with(gamma, self.0.kernel_parameters)
    }
}

/// The names of the losses that have something, as messages list them.
fn losses(has: impl Fn(&LossEntry) -> bool) -> String {
    let names: Vec<_> = Loss::ALL.into_iter().filter(|loss| has(loss.entry())).map(Loss::name).collect();
    quoted(&names)
}
