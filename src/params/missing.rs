//! The treatment of missing values.

use crate::parameter::Named;

/// The treatment of NaN in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// NaN raises an error.
    #[default]
    Error,
    /// NaN is replaced by the mean of its feature over the rows so far; the mean does not change.
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
