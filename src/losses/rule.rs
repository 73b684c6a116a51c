//! The update rules by name, and what they ask of a loss.

use super::Loss;

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
    /// MIRA's step, its cap falling, without rows that are hopelessly wrong.
    OnlineKernel,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 6] =
        [Self::Sgd, Self::PassiveAggressive, Self::Perceptron, Self::Mira, Self::Ogd, Self::OnlineKernel];

    /// Its name in messages.
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

    /// Whether its steps divide by lengths in feature space.
    pub(crate) fn needs_definite(self) -> bool {
        match self {
            Self::PassiveAggressive | Self::Mira | Self::OnlineKernel => true,
            Self::Sgd | Self::Perceptron | Self::Ogd => false,
        }
    }

    /// The losses it can take; the first is its own.
    #[must_use]
    pub fn losses(self) -> Vec<Loss> {
        Loss::ALL.into_iter().filter(|loss| loss.goes_with(self)).collect()
    }
}

/// How much of its loss a passive-aggressive step may leave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Penalty {
    /// `C loss`: PA-I, steps up to C.
    Linear,
    /// `C loss^2`: PA-II.
    Squared,
    /// `C loss`, and nothing at all where the margin is below -1: PA-I on the ramp loss (Wang and Vucetic 2010, (15)).
    Ramp,
}

/// The ball on which gradient descent may project, by its radius.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Ball {
    /// `1/sqrt(lambda)`
    Unit,
    /// `max |y| / sqrt(lambda)`
    LargestTarget,
}
