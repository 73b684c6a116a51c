//! What a missing value is.

use crate::parameter::Named;

/// What NaN in a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// An error.
    #[default]
    Error,
    /// The mean of its feature over the rows so far, which it does not change.
    Mean,
}

impl Named for Missing {
    const EVERY: &'static [Self] = &[Self::Error, Self::Mean];
    fn name_of(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Mean => "mean",
        }
    }
}
