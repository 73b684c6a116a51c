//! The scaling of features.

use crate::parameter::Named;

/// The scaling of features before the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scaling {
    /// No scaling, unless fixed means and deviations are set.
    #[default]
    None,
    /// Standardisation of each feature by its mean and standard deviation over the rows learned so far, clipped at 3
    /// deviations. After n rows mean and deviation are updated with the value clipped at `2 sqrt(n)` deviations from
    /// the mean.
    Online,
}

impl Named for Scaling {
    const EVERY: &'static [Self] = &[Self::None, Self::Online];
    fn name_of(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Online => "online",
        }
    }
}
