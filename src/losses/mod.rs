//! Losses, by their derivatives with respect to the scores. One file each; this file has the table of losses.

mod hinge;
mod log_loss;
mod margin;
mod modified_huber;
mod residual;
mod rule;
#[cfg(test)]
mod tests;

pub(crate) use hinge::Hinge;
pub(crate) use log_loss::{LogLoss, probabilities};
pub(crate) use margin::{is_misclassified, margin, predicted_class, score_gap, write_direction};
pub(crate) use modified_huber::ModifiedHuber;
pub(crate) use residual::ResidualLoss;
pub use rule::Rule;
pub(crate) use rule::{Ball, Penalty, Trigger};

use crate::batch::Label;
use crate::error::Result;
use crate::float::Real;
use crate::parameter::{Form, Named, ParameterInfo, Range, fields, info};

/// The table entry of a loss.
pub(crate) struct LossEntry {
    pub(crate) name: &'static str,
    /// The formula, for the documentation.
    pub(crate) formula: &'static str,
    /// Whether the loss is one for regression.
    pub(crate) regression: bool,
    /// The loss for gradient descent; `None` if gradient descent does not take it.
    pub(crate) sgd: Option<fn(LossParameters) -> SgdLoss>,
    /// The penalty of the passive-aggressive rule; `None` if that rule does not take the loss.
    pub(crate) penalty: Option<Penalty>,
    /// A ball that contains the optimal w, if a theorem of the literature gives one.
    pub(crate) ball: Option<Ball>,
    /// Whether the sigmoid or the softmax of the scores is a probability.
    pub(crate) probabilities: bool,
    /// Whether some rows change nothing, whatever their label (active learning).
    pub(crate) queries: bool,
    /// The names of the parameters of the loss.
    pub(crate) parameters: &'static [&'static str],
}

/// The common columns of classification losses.
const CLASSIFICATION: LossEntry = LossEntry {
    name: "",
    formula: "",
    regression: false,
    sgd: None,
    penalty: None,
    ball: None,
    probabilities: false,
    queries: false,
    parameters: &[],
};

/// The common columns of regression losses.
const REGRESSION: LossEntry = LossEntry { regression: true, ..CLASSIFICATION };

/// Defines the enum of losses and its table: for each loss its documentation, variant, name, formula, and the columns
/// that differ from the usual ones.
macro_rules! losses {
    ($($(#[$attribute:meta])* $loss:ident = $name:literal, $formula:literal, { $($columns:tt)* };)+) => {
        /// A loss by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub enum Loss {
            $($(#[$attribute])* $loss,)+
        }

        impl Loss {
            /// Every loss.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$loss),+];

            pub(crate) const fn entry(self) -> &'static LossEntry {
                match self {
                    $(Self::$loss => &LossEntry { name: $name, formula: $formula, $($columns)* },)+
                }
            }
        }
    };
}

losses! {
    /// `max(0, 1 - margin)`; for more than two classes the margin is taken over the strongest rival.
    #[default]
    Hinge = "hinge", "max(0, 1 - margin)",
    {
        sgd: Some(|_| SgdLoss::Hinge(Hinge)),
        penalty: Some(Penalty::Linear),
        ball: Some(Ball::InvSqrtLambda),
        ..CLASSIFICATION
    };

    /// `max(0, 1 - margin)^2`: PA-II.
    SquaredHinge = "squared_hinge", "max(0, 1 - margin)^2",
    { penalty: Some(Penalty::Squared), ..CLASSIFICATION };

    /// The hinge loss without updates for margins below -1.
    Ramp = "ramp", "min(2, max(0, 1 - margin))",
    { penalty: Some(Penalty::Ramp), queries: true, ..CLASSIFICATION };

    /// `ln(1 + e^{-margin})`; for more than two classes minus the logarithm of the label's softmax.
    LogLoss = "log_loss", "ln(1 + exp(-margin))",
    {
        sgd: Some(|with| SgdLoss::LogLoss(LogLoss { tolerance: with.grad_tol })),
        ball: Some(Ball::InvSqrtLambda),
        probabilities: true,
        parameters: &["grad_tol"],
        ..CLASSIFICATION
    };

    /// `max(0, 1 - margin)^2`, and `-4 margin` for margins below -1.
    ModifiedHuber = "modified_huber", "max(0, 1 - margin)^2 for margin >= -1, otherwise -4 * margin",
    { sgd: Some(|_| SgdLoss::ModifiedHuber(ModifiedHuber)), ..CLASSIFICATION };

    /// `max(0, |y - f| - epsilon)` (regression).
    EpsilonInsensitive = "epsilon_insensitive", "max(0, |y - f| - epsilon)",
    {
        sgd: Some(|with| SgdLoss::Residual(ResidualLoss::EpsilonInsensitive { epsilon: with.epsilon })),
        penalty: Some(Penalty::Linear),
        parameters: &["epsilon"],
        ..REGRESSION
    };

    /// `1/2 (y - f)^2` (regression).
    SquaredError = "squared_error", "(y - f)^2 / 2",
    { sgd: Some(|_| SgdLoss::Residual(ResidualLoss::SquaredError)), ball: Some(Ball::LargestTarget), ..REGRESSION };

    /// `|y - f|` (regression).
    AbsoluteError = "absolute_error", "|y - f|",
    { sgd: Some(|_| SgdLoss::Residual(ResidualLoss::AbsoluteError)), ..REGRESSION };

    /// Half the squared error up to a residual of delta, then linear (regression).
    Huber = "huber", "(y - f)^2 / 2 up to delta, then linear",
    { sgd: Some(|with| SgdLoss::Residual(ResidualLoss::Huber { delta: with.delta })), parameters: &["delta"], ..REGRESSION };

    /// `max(q (y - f), (q - 1) (y - f))` (regression): the model predicts the quantile q.
    Quantile = "quantile", "max(q (y - f), (q - 1) (y - f)), q = quantile",
    {
        sgd: Some(|with| SgdLoss::Residual(ResidualLoss::Quantile { q: with.quantile })),
        parameters: &["quantile"],
        ..REGRESSION
    };
}

impl Loss {
    /// The name that parameters and model files use.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The formula.
    #[must_use]
    pub fn formula(self) -> &'static str {
        self.entry().formula
    }

    /// The loss named `name`.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Self> {
        Self::find_for("loss", name)
    }

    /// Whether the loss is one for regression.
    #[must_use]
    pub fn is_regression(self) -> bool {
        self.entry().regression
    }

    /// Whether a ball is known that contains the optimal w, for projections (Le et al. 2016, Theorems 1 and 2).
    #[must_use]
    pub fn has_ball(self) -> bool {
        self.entry().ball.is_some()
    }

    /// Whether the sigmoid or the softmax of the scores is a probability.
    #[must_use]
    pub fn has_probabilities(self) -> bool {
        self.entry().probabilities
    }

    /// Whether the loss has a parameter of that name.
    #[must_use]
    pub fn has(self, parameter: &str) -> bool {
        self.entry().parameters.contains(&parameter)
    }

    /// Whether the loss can be combined with a rule.
    #[must_use]
    pub fn is_valid_for(self, rule: Rule) -> bool {
        match rule {
            Rule::Sgd => self.entry().sgd.is_some(),
            Rule::PassiveAggressive => self.entry().penalty.is_some(),
            Rule::Perceptron | Rule::Mira | Rule::Ogd => self == Self::Hinge,
            Rule::OnlineKernel => matches!(self, Self::Hinge | Self::EpsilonInsensitive),
        }
    }
}

impl Rule {
    /// The losses that the rule can be combined with; the first is the default.
    #[must_use]
    pub fn losses(self) -> Vec<Loss> {
        Loss::ALL.into_iter().filter(|loss| loss.is_valid_for(self)).collect()
    }
}

impl Named for Loss {
    const EVERY: &'static [Self] = &Self::ALL;
    fn name_of(self) -> &'static str {
        self.name()
    }
}

/// The parameters of losses; [`Loss::has`] says which loss has which.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LossParameters {
    /// The largest error without loss, for [`Loss::EpsilonInsensitive`].
    pub epsilon: f64,
    /// The absolute residual above which [`Loss::Huber`] is linear.
    pub delta: f64,
    /// The quantile that [`Loss::Quantile`] predicts.
    pub quantile: f64,
    /// The norm below which gradients of [`Loss::LogLoss`] count as zero.
    pub grad_tol: f64,
}

fields! { LOSS_PARAMETERS: LossParameters {
    epsilon = 0.1, info("epsilon", &[Form::Number(Range::closed(0.0, 1e15))],
        "The largest error without loss, in the units of y; with \"online-kernel\", in standard \
         deviations of the targets.");
    delta = 1.0, info("delta", &[Form::Number(Range::closed(1e-15, 1e15))],
        "The absolute residual above which the loss is linear, in the units of y. Decrease it if the \
         targets have outliers.");
    quantile = 0.5, info("quantile", &[Form::Number(Range::open(0.0, 1.0))],
        "The quantile of y that is predicted: 0.5 is the median.");
    grad_tol = 1e-3, info("grad_tol", &[Form::Number(Range::closed(0.0, 1.0))],
        "The norm below which gradients count as zero. A larger value means fewer updates and a \
         faster, less accurate model.");
} }

pub(crate) const LOSS: ParameterInfo = info("loss", &[Form::Choice(Loss::names)], "The loss.");

/// A loss for gradient descent, with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SgdLoss {
    Hinge(Hinge),
    LogLoss(LogLoss),
    ModifiedHuber(ModifiedHuber),
    Residual(ResidualLoss),
}

impl SgdLoss {
    /// Writes `-l'` for the scores `f / inv_scale` into `alpha`. Returns false if it is zero.
    ///
    /// Scores come unscaled, so that the hinge loss can compare with one product instead of dividing each score.
    #[inline(always)]
    pub(crate) fn neg_gradient<T: Real>(
        self,
        label: Label,
        f: &[T],
        inv_scale: f64,
        alpha: &mut [T],
    ) -> bool {
        match self {
            Self::Hinge(_) => Hinge::neg_gradient(label, f, inv_scale, alpha),
            Self::LogLoss(loss) => loss.neg_gradient(label, f, inv_scale, alpha),
            Self::ModifiedHuber(_) => ModifiedHuber::neg_gradient(label, f, inv_scale, alpha),
            Self::Residual(loss) => {
                // A checked specification has these losses in regression only.
                let Label::Value(y) = label else { return false };
                let neg_derivative = loss.neg_derivative(y - f[0].to_f64() / inv_scale);
                alpha[0] = T::from_f64(neg_derivative);
                neg_derivative != 0.0
            }
        }
    }
}
