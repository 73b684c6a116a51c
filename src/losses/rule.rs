//! The update rules by name, and the parts of rules that losses and strategies determine.

/// An update rule: how the coefficients of an example are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Stochastic gradient descent with step size `1/(lambda t)`; lambda is the parameter `alpha`.
    Sgd,
    /// Passive-aggressive steps; C is the weight of the loss (PA-I: the largest step).
    PassiveAggressive,
    /// The Perceptron: a constant step on a mistake or a small margin.
    Perceptron,
    /// MIRA: the smallest step, of at most C, that gives a margin over every rival.
    Mira,
    /// Online gradient descent with a constant step size.
    Ogd,
    /// MIRA with a falling cap that skips probable label noise (`RobustMira`); in regression PA-I on standardised targets
    /// (`EpsilonInsensitivePa`).
    OnlineKernel,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 6] =
        [Self::Sgd, Self::PassiveAggressive, Self::Perceptron, Self::Mira, Self::Ogd, Self::OnlineKernel];

    /// The name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sgd => "stochastic gradient descent",
            Self::PassiveAggressive => "passive-aggressive",
            Self::Perceptron => "Perceptron",
            Self::Mira => "MIRA",
            Self::Ogd => "online gradient descent",
            Self::OnlineKernel => "online kernel machine",
        }
    }

    /// The named algorithms with the rule, as text; `*` is any end of a name.
    pub(crate) fn algorithms(self) -> &'static str {
        match self {
            Self::Sgd => "SGD (\"bsgd-*\", \"nbsgd*\", \"pegasos\")",
            Self::PassiveAggressive => "passive-aggressive (\"pa*\", \"bpa-*\")",
            Self::Perceptron => {
                "Perceptron (\"perceptron\", \"stoptron\", \"rbp\", \"forgetron\", \"projectron*\", \
                 \"budget-perceptron*\")"
            }
            Self::Mira => "MIRA (\"mira*\", \"budget-mira*\")",
            Self::Ogd => "\"bogd\"",
            Self::OnlineKernel => "\"online-kernel\"",
        }
    }

    /// Whether the kernel must be positive semi-definite, because steps divide by squared norms in feature space.
    pub(crate) fn needs_psd_kernel(self) -> bool {
        match self {
            Self::PassiveAggressive | Self::Mira | Self::OnlineKernel => true,
            Self::Sgd | Self::Perceptron | Self::Ogd => false,
        }
    }
}

/// The penalty on the loss in the objective of a passive-aggressive step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Penalty {
    /// `C loss`: PA-I, with steps of at most C.
    Linear,
    /// `C loss^2`: PA-II.
    Squared,
    /// `C loss`, without a step for margins below -1: PA-I on the ramp loss (Wang and Vucetic 2010, (15)).
    Ramp,
}

/// A ball around 0 that contains the optimal w, by its radius.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Ball {
    /// `1/sqrt(lambda)`
    InvSqrtLambda,
    /// `max |y| / sqrt(lambda)`
    LargestTarget,
}

/// The margins at which the Perceptron updates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Trigger {
    /// Margins up to beta; with beta = 0 a score of zero is a mistake.
    UpTo(f64),
    /// Margins below 1, where the hinge loss is positive. Projectron++ decides what to do about those above 0.
    UnderOne,
}
