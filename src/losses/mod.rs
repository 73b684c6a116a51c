//! Losses: what a wrong or doubtful prediction costs, by the derivative with respect to the scores. One file each; this
//! one lists them.

mod absolute;
mod derivative;
mod epsilon_insensitive;
mod hinge;
mod huber;
mod log;
mod margin;
mod modified_huber;
mod quantile;
mod rule;
mod squared;
#[cfg(test)]
mod tests;

pub(crate) use absolute::Absolute;
pub(crate) use derivative::Derivative;
pub(crate) use epsilon_insensitive::EpsilonInsensitive;
pub(crate) use hinge::Hinge;
pub(crate) use huber::Huber;
pub(crate) use log::{Log, probabilities};
pub(crate) use margin::{direction, gap, is_wrong, margin, predicted};
pub(crate) use modified_huber::ModifiedHuber;
pub(crate) use quantile::Quantile;
pub use rule::Rule;
pub(crate) use rule::{Ball, Penalty};
pub(crate) use squared::Squared;

use crate::error::Result;
use crate::float::Real;
use crate::label::Label;
use crate::parameter::{Form, Named, Range, Row, fields};

/// A loss by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Loss {
    /// `max(0, 1 - margin)`; many classes: the margin over the strongest rival.
    #[default]
    Hinge,
    /// Its square: PA-II.
    SquaredHinge,
    /// The hinge loss, without an update where the margin is below -1.
    Ramp,
    /// `ln(1 + e^{-margin})`; many classes: minus the logarithm of the label's softmax.
    LogLoss,
    /// `max(0, 1 - margin)^2`, and `-4 margin` where the margin is below -1.
    ModifiedHuber,
    /// `max(0, |y - f| - epsilon)`, of regression.
    EpsilonInsensitive,
    /// `1/2 (y - f)^2`, of regression.
    SquaredError,
    /// `|y - f|`, of regression.
    AbsoluteError,
    /// The squared error up to a residual of delta, then linear, of regression.
    Huber,
    /// `max(q (y - f), (q - 1) (y - f))`, of regression: what is predicted is the quantile q.
    Quantile,
}

/// What is to be known of a loss.
pub(crate) struct LossRow {
    pub(crate) name: &'static str,
    /// Its formula, for documents.
    pub(crate) formula: &'static str,
    /// Whether it is one of regression.
    pub(crate) regression: bool,
    /// Its derivative, where gradient descent takes it.
    pub(crate) descent: Option<fn(LossParameters) -> Descent>,
    /// Its penalty, where the passive-aggressive rule takes it.
    pub(crate) penalty: Option<Penalty>,
    /// The ball that holds the best model, where there is one.
    pub(crate) ball: Option<Ball>,
    /// Whether the sigmoid or the softmax of the scores is a probability.
    pub(crate) probabilities: bool,
    /// Whether there are rows whose label does not matter.
    pub(crate) queries: bool,
    /// The names of its parameters.
    pub(crate) parameters: &'static [&'static str],
}

/// What most losses of classes have in common; each of them says what it is all the same.
const CLASSES: LossRow = LossRow {
    name: "",
    formula: "",
    regression: false,
    descent: None,
    penalty: None,
    ball: None,
    probabilities: false,
    queries: false,
    parameters: &[],
};

/// The same of regression.
const NUMBERS: LossRow = LossRow { regression: true, ..CLASSES };

impl Loss {
    /// Every loss.
    pub const ALL: [Self; 10] = [
        Self::Hinge,
        Self::SquaredHinge,
        Self::Ramp,
        Self::LogLoss,
        Self::ModifiedHuber,
        Self::EpsilonInsensitive,
        Self::SquaredError,
        Self::AbsoluteError,
        Self::Huber,
        Self::Quantile,
    ];

    pub(crate) const fn row(self) -> &'static LossRow {
        match self {
            Self::Hinge => &LossRow {
                name: "hinge",
                formula: "max(0, 1 - margin)",
                descent: Some(|_| Descent::Hinge(Hinge)),
                penalty: Some(Penalty::Linear),
                ball: Some(Ball::Unit),
                ..CLASSES
            },
            Self::SquaredHinge => &LossRow {
                name: "squared_hinge",
                formula: "max(0, 1 - margin)^2",
                penalty: Some(Penalty::Squared),
                ..CLASSES
            },
            Self::Ramp => &LossRow {
                name: "ramp",
                formula: "min(2, max(0, 1 - margin))",
                penalty: Some(Penalty::Ramp),
                queries: true,
                ..CLASSES
            },
            Self::LogLoss => &LossRow {
                name: "log_loss",
                formula: "ln(1 + exp(-margin))",
                descent: Some(|with| Descent::Log(Log { tolerance: with.grad_tol })),
                ball: Some(Ball::Unit),
                probabilities: true,
                parameters: &["grad_tol"],
                ..CLASSES
            },
            Self::ModifiedHuber => &LossRow {
                name: "modified_huber",
                formula: "max(0, 1 - margin)^2, and -4 margin below -1",
                descent: Some(|_| Descent::ModifiedHuber(ModifiedHuber)),
                ..CLASSES
            },
            Self::EpsilonInsensitive => &LossRow {
                name: "epsilon_insensitive",
                formula: "max(0, |y - f| - epsilon)",
                descent: Some(|with| {
                    Descent::EpsilonInsensitive(EpsilonInsensitive { epsilon: with.epsilon })
                }),
                penalty: Some(Penalty::Linear),
                parameters: &["epsilon"],
                ..NUMBERS
            },
            Self::SquaredError => &LossRow {
                name: "squared_error",
                formula: "(y - f)^2 / 2",
                descent: Some(|_| Descent::Squared(Squared)),
                ball: Some(Ball::LargestTarget),
                ..NUMBERS
            },
            Self::AbsoluteError => &LossRow {
                name: "absolute_error",
                formula: "|y - f|",
                descent: Some(|_| Descent::Absolute(Absolute)),
                ..NUMBERS
            },
            Self::Huber => &LossRow {
                name: "huber",
                formula: "(y - f)^2 / 2 up to delta, then linear",
                descent: Some(|with| Descent::Huber(Huber { delta: with.delta })),
                parameters: &["delta"],
                ..NUMBERS
            },
            Self::Quantile => &LossRow {
                name: "quantile",
                formula: "max(q (y - f), (q - 1) (y - f))",
                descent: Some(|with| Descent::Quantile(Quantile { q: with.quantile })),
                parameters: &["quantile"],
                ..NUMBERS
            },
        }
    }

    /// The name that parameters and model files use.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Its formula.
    #[must_use]
    pub fn formula(self) -> &'static str {
        self.row().formula
    }

    /// The loss named `name`.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Self> {
        Self::find_for("loss", name)
    }

    /// Whether it is a loss of regression.
    #[must_use]
    pub fn predicts_numbers(self) -> bool {
        self.row().regression
    }

    /// Whether a ball is known that contains the optimal w, to project w on it (Le et al. 2016, Theorems 1 and 2).
    #[must_use]
    pub fn has_ball(self) -> bool {
        self.row().ball.is_some()
    }

    /// Whether the sigmoid or the softmax of the scores is a probability.
    #[must_use]
    pub fn has_probabilities(self) -> bool {
        self.row().probabilities
    }

    /// Whether it has a parameter of that name.
    #[must_use]
    pub fn has(self, parameter: &str) -> bool {
        self.row().parameters.contains(&parameter)
    }

    /// Whether a rule takes it.
    #[must_use]
    pub fn goes_with(self, rule: Rule) -> bool {
        match rule {
            Rule::Sgd => self.row().descent.is_some(),
            Rule::PassiveAggressive => self.row().penalty.is_some(),
            Rule::Perceptron | Rule::Mira | Rule::Ogd => self == Self::Hinge,
            Rule::OnlineKernel => matches!(self, Self::Hinge | Self::EpsilonInsensitive),
        }
    }
}

impl Named for Loss {
    const EVERY: &'static [Self] = &Self::ALL;
    fn name_of(self) -> &'static str {
        self.name()
    }
}

/// The parameters of losses; [`Loss::has`] says which has what.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LossParameters {
    /// Half the width of the tube of [`Loss::EpsilonInsensitive`].
    pub epsilon: f64,
    /// The residual from which [`Loss::Huber`] is linear.
    pub delta: f64,
    /// The quantile that [`Loss::Quantile`] predicts.
    pub quantile: f64,
    /// The length under which derivatives of [`Loss::LogLoss`] count as zero.
    pub grad_tol: f64,
}

fields! { LOSS_PARAMETERS: LossParameters {
    epsilon = 0.1, Row {
        name: "epsilon",
        forms: &[Form::Number(Range::closed(0.0, 1e15))],
        description: "Half the width of the tube without loss, in the units of y (online-kernel: in standard deviations of \
                      the targets).",
    };
    delta = 1.0, Row {
        name: "delta",
        forms: &[Form::Number(Range::closed(1e-15, 1e15))],
        description: "The residual from which the loss is linear, in the units of y.",
    };
    quantile = 0.5, Row {
        name: "quantile",
        forms: &[Form::Number(Range::open(0.0, 1.0))],
        description: "The quantile of y that is predicted.",
    };
    grad_tol = 1e-3, Row {
        name: "grad_tol",
        forms: &[Form::Number(Range::closed(0.0, 1.0))],
        description: "The length under which derivatives count as zero: a larger one means fewer updates.",
    };
} }

pub(crate) const LOSS: Row =
    Row { name: "loss", forms: &[Form::Choice(Loss::names)], description: "The loss." };

/// The loss that gradient descent follows, with what it needs; it matches once per call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Descent {
    Hinge(Hinge),
    Log(Log),
    ModifiedHuber(ModifiedHuber),
    Squared(Squared),
    Absolute(Absolute),
    EpsilonInsensitive(EpsilonInsensitive),
    Huber(Huber),
    Quantile(Quantile),
}

impl Derivative for Descent {
    #[inline(always)]
    fn descent<T: Real>(self, label: Label, f: &[T], unit: f64, row: &mut [T]) -> bool {
        match self {
            Self::Hinge(loss) => loss.descent(label, f, unit, row),
            Self::Log(loss) => loss.descent(label, f, unit, row),
            Self::ModifiedHuber(loss) => loss.descent(label, f, unit, row),
            Self::Squared(loss) => loss.descent(label, f, unit, row),
            Self::Absolute(loss) => loss.descent(label, f, unit, row),
            Self::EpsilonInsensitive(loss) => loss.descent(label, f, unit, row),
            Self::Huber(loss) => loss.descent(label, f, unit, row),
            Self::Quantile(loss) => loss.descent(label, f, unit, row),
        }
    }
}
