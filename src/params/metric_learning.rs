//! Metric learning: the form of the learned metric.

use crate::constants::MAX_PAIRED_FEATURES;
use crate::parameter::Named;

/// The form of the metric that the kernel measures distances with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MetricLearning {
    /// No learned metric.
    #[default]
    None,
    /// A learned scale for each feature.
    Diagonal,
    /// A learned matrix.
    Full,
    /// A matrix for up to 64 features, otherwise a scale for each. Of features that are added later, those from the
    /// 65th on have a scale.
    Auto,
}

impl MetricLearning {
    /// Maximum number of features in the full matrix, also after features are added, for a model that starts with
    /// `features`; `None` without metric learning.
    pub(crate) fn max_matrix_features(self, features: usize) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Diagonal => Some(0),
            Self::Full => Some(usize::MAX),
            Self::Auto => Some(if features <= MAX_PAIRED_FEATURES { MAX_PAIRED_FEATURES } else { 0 }),
        }
    }
}

impl Named for MetricLearning {
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
