//! The input of the linear term.

use crate::batch::Row;
use crate::float::Real;

/// A row as the linear term sees it. A standardised row is clipped; if the linear term extends beyond the clip, the
/// excess of each clipped value is a separate input.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinearInput<'a, T: Real> {
    pub(crate) x: Row<'a, T>,
    /// The features with an excess.
    pub(crate) excess_features: &'a [u32],
    pub(crate) excess: &'a [T],
}

impl<'a, T: Real> LinearInput<'a, T> {
    /// The excess as a sparse row.
    #[inline(always)]
    pub(crate) fn excess_row(&self) -> Row<'a, T> {
        Row::Sparse(self.excess_features, self.excess)
    }

    /// `|x|^2`, the excess included.
    #[inline(always)]
    pub(crate) fn squared_norm(&self) -> T {
        let squared_norm = self.x.squared_norm();
        if self.excess.is_empty() { squared_norm } else { squared_norm + self.excess_row().squared_norm() }
    }
}

impl<'a, T: Real> From<Row<'a, T>> for LinearInput<'a, T> {
    #[inline(always)]
    fn from(x: Row<'a, T>) -> Self {
        Self { x, excess_features: &[], excess: &[] }
    }
}
