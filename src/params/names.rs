//! Names of choices: the only place where a string becomes one.

use super::legal::GAMMA;
use crate::error::{Error, Result};

/// What an example adds to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Stochastic gradient descent with step `1/(alpha t)`.
    Sgd,
    /// Passive-aggressive steps, up to C.
    PassiveAggressive,
    /// The direction of the label, on a mistake or a small margin.
    Perceptron,
    /// The smallest step that gives a margin over every rival, up to C.
    Mira,
    /// Gradient descent with a constant step.
    Ogd,
}

/// What a wrong or doubtful prediction costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// `max(0, 1 - margin)`; many classes: the margin over the strongest rival.
    Hinge,
    /// Its square: PA-II.
    SquaredHinge,
    /// The hinge loss, without an update where the margin is below -1.
    Ramp,
    /// `ln(1 + e^{-margin})`; many classes: minus the logarithm of the label's softmax.
    LogLoss,
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

/// What is done when the model is over budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maintenance {
    /// Nothing: the model is unbounded.
    None,
    /// Once full, no further update.
    Stop,
    /// A uniform one of the old support vectors is removed.
    Random,
    /// The oldest support vector is removed.
    Oldest,
    /// The smallest support vector is removed.
    Smallest,
    /// The smallest support vector is projected on all others.
    Project,
    /// The support vector whose removal costs least is projected on all others.
    ProjectBest,
    /// The smallest support vector is projected on those that are most correlated with it.
    ProjectNn,
    /// The smallest support vector is merged with its best partner.
    Merge,
    /// The newcomer takes what it can of the cheapest old support vector (BPA-S).
    Simple,
    /// The newcomer and its nearest neighbours take what they can of the cheapest (BPA-NN).
    Nn,
    /// All others take what they can of the cheapest (BPA-P).
    Joint,
    /// The surest support vector makes room for the newcomer: a cache of fixed size.
    Margin,
    /// Every support vector goes that is sure without itself: a cache of variable size.
    Distill,
    /// All shrink and the oldest is removed.
    Forgetron,
    /// A mistake near the span of the support vectors, or over budget, is projected there.
    Projectron,
    /// So it is, and correct predictions with a small margin move within the span.
    ProjectronPlus,
    /// A uniform one of the old ones is removed and the others grow.
    Bogd,
}

/// A kernel's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelName {
    /// `exp(-gamma |x - x'|^2)`
    Rbf,
    /// `exp(-gamma |x - x'|_1)`
    Laplacian,
    /// `(gamma x . x' + coef0)^degree`
    Poly,
    /// `x . x'`
    Linear,
    /// `tanh(gamma x . x' + coef0)`
    Sigmoid,
    /// `x . x' / (|x| |x'|)`
    Cosine,
}

/// The kernel's width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gamma {
    /// `1/(d var)`, from the rows before rows 2, 4, ..., 1024.
    Scale,
    /// `1/d`.
    Auto,
    /// A number, 1e-30 to 1e30.
    Value(f64),
}

impl Maintenance {
    /// Every strategy.
    pub const ALL: [Self; 18] = [
        Self::None,
        Self::Stop,
        Self::Random,
        Self::Oldest,
        Self::Smallest,
        Self::Project,
        Self::ProjectBest,
        Self::ProjectNn,
        Self::Merge,
        Self::Simple,
        Self::Nn,
        Self::Joint,
        Self::Margin,
        Self::Distill,
        Self::Forgetron,
        Self::Projectron,
        Self::ProjectronPlus,
        Self::Bogd,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Stop => "stop",
            Self::Random => "random",
            Self::Oldest => "oldest",
            Self::Smallest => "smallest",
            Self::Project => "project",
            Self::ProjectBest => "project-best",
            Self::ProjectNn => "project-nn",
            Self::Merge => "merge",
            Self::Simple => "simple",
            Self::Nn => "nn",
            Self::Joint => "joint",
            Self::Margin => "margin",
            Self::Distill => "distill",
            Self::Forgetron => "forgetron",
            Self::Projectron => "projectron",
            Self::ProjectronPlus => "projectron++",
            Self::Bogd => "bogd",
        }
    }

    /// The strategy of that name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<Self> {
        find("maintenance", name, Self::ALL, Self::name)
    }

    /// Whether it measures lengths in feature space, which an indefinite kernel does not have.
    pub(crate) fn needs_definite(self) -> bool {
        !matches!(self, Self::None | Self::Stop | Self::Random | Self::Oldest)
    }

    /// The one update rule that the strategy goes with; none where it goes with every one.
    #[must_use]
    pub fn rule(self) -> Option<Rule> {
        match self {
            Self::Simple | Self::Nn | Self::Joint => Some(Rule::PassiveAggressive),
            Self::Forgetron | Self::Projectron | Self::ProjectronPlus => Some(Rule::Perceptron),
            Self::Bogd => Some(Rule::Ogd),
            _ => None,
        }
    }

    /// Whether it can let the model grow at a rate: whether one removal, whenever it comes, is all it does.
    pub(crate) fn takes_rate(self) -> bool {
        matches!(
            self,
            Self::Random
                | Self::Oldest
                | Self::Smallest
                | Self::Project
                | Self::ProjectBest
                | Self::ProjectNn
                | Self::Merge
        )
    }

    /// Whether it takes a share of so many neighbours.
    pub(crate) fn has_neighbors(self) -> bool {
        matches!(self, Self::Nn | Self::ProjectNn)
    }

    /// Whether it asks how sure the model is of a label, which must be one of a class.
    pub(crate) fn asks_margins(self) -> bool {
        matches!(self, Self::Margin | Self::Distill)
    }

    /// Whether the model may do without a budget.
    #[must_use]
    pub fn may_be_unbounded(self) -> bool {
        matches!(self, Self::None | Self::Distill) || self.projects_newcomers()
    }

    /// Whether it projects newcomers that lie near the span of the support vectors.
    pub(crate) fn projects_newcomers(self) -> bool {
        matches!(self, Self::Projectron | Self::ProjectronPlus)
    }
}

impl Rule {
    /// Its name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sgd => "stochastic gradient descent",
            Self::PassiveAggressive => "passive-aggressive",
            Self::Perceptron => "Perceptron",
            Self::Mira => "MIRA",
            Self::Ogd => "online gradient descent",
        }
    }

    /// Whether its steps divide by lengths in feature space.
    pub(crate) fn needs_definite(self) -> bool {
        matches!(self, Self::PassiveAggressive | Self::Mira)
    }

    /// The losses it can take.
    #[must_use]
    pub fn losses(self) -> &'static [Loss] {
        match self {
            Self::Sgd => &[
                Loss::Hinge,
                Loss::LogLoss,
                Loss::EpsilonInsensitive,
                Loss::SquaredError,
                Loss::AbsoluteError,
                Loss::Huber,
                Loss::Quantile,
            ],
            Self::PassiveAggressive => {
                &[Loss::Hinge, Loss::SquaredHinge, Loss::Ramp, Loss::EpsilonInsensitive]
            }
            Self::Perceptron | Self::Mira | Self::Ogd => &[Loss::Hinge],
        }
    }
}

impl Loss {
    /// Every loss.
    pub const ALL: [Self; 9] = [
        Self::Hinge,
        Self::SquaredHinge,
        Self::Ramp,
        Self::LogLoss,
        Self::EpsilonInsensitive,
        Self::SquaredError,
        Self::AbsoluteError,
        Self::Huber,
        Self::Quantile,
    ];

    /// The name that parameters and model files use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hinge => "hinge",
            Self::SquaredHinge => "squared_hinge",
            Self::Ramp => "ramp",
            Self::LogLoss => "log_loss",
            Self::EpsilonInsensitive => "epsilon_insensitive",
            Self::SquaredError => "squared_error",
            Self::AbsoluteError => "absolute_error",
            Self::Huber => "huber",
            Self::Quantile => "quantile",
        }
    }

    /// The loss of that name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<Self> {
        find("loss", name, Self::ALL, Self::name)
    }

    /// Whether it is one of regression.
    #[must_use]
    pub fn predicts_numbers(self) -> bool {
        !matches!(self, Self::Hinge | Self::SquaredHinge | Self::Ramp | Self::LogLoss)
    }

    /// Whether w can be projected on a ball that holds the best model (Le et al. 2016, Theorems 1 and 2).
    #[must_use]
    pub fn has_ball(self) -> bool {
        matches!(self, Self::Hinge | Self::LogLoss | Self::SquaredError)
    }
}

impl KernelName {
    /// Every kernel.
    pub const ALL: [Self; 6] =
        [Self::Rbf, Self::Laplacian, Self::Poly, Self::Linear, Self::Sigmoid, Self::Cosine];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rbf => "rbf",
            Self::Laplacian => "laplacian",
            Self::Poly => "poly",
            Self::Linear => "linear",
            Self::Sigmoid => "sigmoid",
            Self::Cosine => "cosine",
        }
    }

    /// The kernel of that name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<Self> {
        find("kernel", name, Self::ALL, Self::name)
    }
}

impl Gamma {
    /// The rule of that name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "scale" => Ok(Self::Scale),
            "auto" => Ok(Self::Auto),
            _ => Err(Error::parameter("gamma", GAMMA, format!("{name:?}"))),
        }
    }
}

fn find<C: Copy, const N: usize>(
    parameter: &'static str,
    name: &str,
    all: [C; N],
    name_of: impl Fn(C) -> &'static str,
) -> Result<C> {
    all.into_iter().find(|&choice| name_of(choice) == name).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|&choice| format!("{:?}", name_of(choice))).collect();
        let expected = if N == 1 { names.join("") } else { format!("one of {}", names.join(", ")) };
        Error::parameter(parameter, expected, format!("{name:?}"))
    })
}
