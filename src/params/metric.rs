//! Whether a metric is learned.

use crate::parameter::Named;

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
    /// A matrix up to 64 features, above that a scale for each.
    Auto,
}

impl Metric {
    /// Whether a model of that many features has a matrix; none without a metric.
    pub(crate) fn is_full(self, features: usize) -> Option<bool> {
        match self {
            Self::None => None,
            Self::Diagonal => Some(false),
            Self::Full => Some(true),
            Self::Auto => Some(features <= 64),
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
