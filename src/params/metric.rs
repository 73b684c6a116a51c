//! Whether a metric is learned.

use crate::parameter::Named;

/// Features up to which `auto` learns a matrix.
const WHOLE: usize = 64;

/// The metric that the kernel measures distances with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Metric {
    /// That of the features as they are.
    #[default]
    None,
    /// A learned scale for each feature.
    Diagonal,
    /// A learned matrix.
    Full,
    /// A matrix up to 64 features, above that a scale for each. Of features that come late those above 64 have a scale.
    Auto,
}

impl Metric {
    /// Of how many features the matrix of a model of that many is whole at most, also when others come late; none
    /// without a metric.
    pub(crate) fn most(self, features: usize) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Diagonal => Some(0),
            Self::Full => Some(usize::MAX),
            Self::Auto => Some(if features <= WHOLE { WHOLE } else { 0 }),
        }
    }
}

impl Named for Metric {
    const EVERY: &'static [Self] = &[Self::None, Self::Diagonal, Self::Full, Self::Auto];
    fn name_of(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Diagonal => "diagonal",
            Self::Full => "full",
            Self::Auto => "auto",
        }
    }
}
