//! Checked parameters, and quantities derived from them.

use super::{Average, Gamma, Loss, Missing, Scaling, Spec};
use crate::batch::Task;
use crate::error::{Error, Result};
use crate::kernel::{AnyKernel, STANDARDIZED_GAMMA};
use crate::losses::{LossEntry, Rule};
use crate::parameter::{ParameterType, quoted};

/// Checked parameters; only [`Spec::check`] makes them.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedSpec(pub(super) Spec);

impl Spec {
    /// Checks that the loss fits the task, regression or classification.
    ///
    /// # Errors
    /// If it does not; the error lists the losses that do.
    pub fn check_task(&self, task: impl Into<Task>) -> Result<()> {
        let regression = task.into() == Task::Regression;
        if self.loss.is_regression() == regression {
            return Ok(());
        }
        let valid = self.valid_names("loss", regression);
        Err(Error::Combination {
            name: "loss",
            got: format!("{:?}", self.loss.name()),
            with: if regression { "regression" } else { "classification" }.to_owned(),
            valid: if valid.is_empty() { "another algorithm".into() } else { quoted(&valid) },
        })
    }
}

impl CheckedSpec {
    /// Adds to an error about NaN which settings accept missing values.
    #[must_use]
    pub fn with_remedy(&self, mut error: Error) -> Error {
        if let Error::NotFinite { got, instead, .. } = &mut error
            && got != "infinity"
            && self.0.hash_features.is_none()
        {
            *instead = Some(if self.0.rule() == Rule::OnlineKernel && self.0.scaling == Scaling::Online {
                "set missing = \"mean\" to accept missing values"
            } else {
                "\"online-kernel\" accepts missing values, as do all algorithms of Classifier and Regressor with \
                 scaling = \"online\" and missing = \"mean\""
            });
        }
        error
    }

    /// Checks that models have [`crate::Learner::needs_label`]: the loss must decide which labels can change the model,
    /// and the last model must predict, because an average includes the model of every row.
    ///
    /// # Errors
    /// If they do not.
    pub fn check_needs_label(&self) -> Result<()> {
        if !self.0.loss.entry().queries {
            let valid = losses(|loss| loss.queries);
            return Err(Error::State(
                format!("needs_label requires loss = {valid}: with other losses the label of every row can change the model")
                    .into(),
            ));
        }
        if self.0.average != Average::Last {
            let got = self.0.average.to_value();
            return Err(Error::State(
                format!(
                    "needs_label requires average = False, got {got}: every row changes an averaged model"
                )
                .into(),
            ));
        }
        Ok(())
    }

    /// Whether running standardisation accepts NaN as a missing value.
    #[must_use]
    pub fn accepts_nan(&self) -> bool {
        self.0.missing == Missing::Mean && self.0.hash_features.is_none()
    }

    /// Whether the linear term extends beyond the clip of standardisation: in regression with `online-kernel`.
    pub(crate) fn has_linear_excess(&self) -> bool {
        let spec = &self.0;
        spec.rule() == Rule::OnlineKernel
            && spec.loss.is_regression()
            && spec.scaling == Scaling::Online
            && spec.linear_weight.is_some()
    }

    /// Whether models have [`crate::Learner::predict_proba`]: classifiers with the log loss, whose scores are logits,
    /// and `online-kernel`, which calibrates its scores.
    #[must_use]
    pub fn has_probabilities(&self) -> bool {
        let calibrated = self.0.rule() == Rule::OnlineKernel && !self.0.loss.is_regression();
        self.0.loss.has_probabilities() || calibrated
    }

    /// Whether models have [`crate::Learner::predict_interval`]: regressors with `online-kernel`. A sampled model
    /// (`average = "random"`) has no progressive errors.
    #[must_use]
    pub fn has_intervals(&self) -> bool {
        let spec = &self.0;
        spec.rule() == Rule::OnlineKernel && spec.loss.is_regression() && spec.average != Average::Random
    }

    /// Whether models have [`crate::Learner::predict_set`]: classifiers with `online-kernel`.
    #[must_use]
    pub fn has_sets(&self) -> bool {
        self.0.rule() == Rule::OnlineKernel && !self.0.loss.is_regression()
    }

    /// Checks that models have [`crate::Learner::predict_interval`], and a coverage.
    ///
    /// # Errors
    /// If they do not, or the coverage is not from 0.01 to 0.999.
    pub fn check_predict_interval(&self, coverage: f64) -> Result<()> {
        if self.has_intervals() {
            return check_coverage(coverage);
        }
        let random =
            if self.0.rule() == Rule::OnlineKernel { " and average other than \"random\"" } else { "" };
        Err(Error::State(
            format!("predict_interval requires a Regressor with algorithm = \"online-kernel\"{random}")
                .into(),
        ))
    }

    /// Checks that models have [`crate::Learner::predict_set`], and a coverage.
    ///
    /// # Errors
    /// If they do not, or the coverage is not from 0.01 to 0.999.
    pub fn check_predict_set(&self, coverage: f64) -> Result<()> {
        if self.has_sets() {
            return check_coverage(coverage);
        }
        let reason = "predict_set requires a Classifier with algorithm = \"online-kernel\"";
        Err(Error::State(reason.into()))
    }

    /// Checks that models have [`crate::Learner::predict_proba`].
    ///
    /// # Errors
    /// If they do not.
    pub fn check_predict_proba(&self) -> Result<()> {
        if self.has_probabilities() {
            return Ok(());
        }
        let spec = &self.0;
        let reason = if spec.valid_names("loss", false).contains(&"log_loss") {
            format!(
                "predict_proba needs loss=\"log_loss\", got {:?}; or use \"online-kernel\"",
                spec.loss.name()
            )
        } else {
            format!(
                "predict_proba: {:?} has no probabilities: use \"online-kernel\", or \"bsgd-merge\" with loss=\"log_loss\"",
                spec.algorithm
            )
        };
        Err(Error::State(reason.into()))
    }

    /// The parameters.
    #[must_use]
    pub fn spec(&self) -> &Spec {
        &self.0
    }

    /// The budget; `usize::MAX` without one.
    #[inline(always)]
    pub(crate) fn budget(&self) -> usize {
        self.0.budget.unwrap_or(usize::MAX)
    }

    /// Maximum number of support vectors between examples: the budget or, with a rate, `max_size`.
    pub(crate) fn max_support(&self) -> usize {
        self.capacity().map_or(usize::MAX, |capacity| capacity - 1)
    }

    /// Maximum number of support vectors including a new one before maintenance; `None` if unbounded.
    pub(crate) fn capacity(&self) -> Option<usize> {
        let max_support = if self.0.rate.is_some() { self.0.max_size } else { self.0.budget };
        max_support.map(|n| n + 1)
    }

    pub(crate) fn seed(&self) -> u64 {
        self.0.seed
    }

    /// Number of features of rows with `columns` columns: fewer or more with feature hashing.
    pub(crate) fn n_features(&self, columns: usize) -> usize {
        self.0.hash_features.unwrap_or(columns)
    }

    /// The kernel for rows with `features` features, before the first row.
    pub(crate) fn kernel(&self, features: usize) -> AnyKernel {
        let gamma = match self.0.gamma {
            Gamma::Value(gamma) => gamma,
            Gamma::Scale | Gamma::Auto => 1.0 / features as f64,
            Gamma::Standardized => STANDARDIZED_GAMMA,
        };
        self.0.kernel.with(gamma, self.0.kernel_parameters)
    }
}

/// Checks the coverage of prediction intervals and sets.
fn check_coverage(coverage: f64) -> Result<()> {
    if (0.01..=0.999).contains(&coverage) {
        return Ok(());
    }
    Err(Error::parameter("coverage", "a number from 0.01 to 0.999", coverage))
}

/// The names, for messages, of the losses for which `has` is true.
fn losses(has: impl Fn(&LossEntry) -> bool) -> String {
    let names: Vec<_> = Loss::ALL.into_iter().filter(|loss| has(loss.entry())).map(Loss::name).collect();
    quoted(&names)
}
