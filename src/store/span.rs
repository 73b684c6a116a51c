//! What projecting a newcomer asks of the store: how far it lies from the span of the support vectors, and its image
//! there.

use super::KernelExpansion;
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::row::Row;

impl<T: Real> KernelExpansion<T> {
    /// `k(x, x)` of a row that is not stored, and the squared residual of its image on the span of the support vectors;
    /// its coefficients there are kept for [`KernelExpansion::absorb`].
    pub(crate) fn residual(&mut self, kernel: AnyKernel, x: Row<'_, T>) -> (f64, f64) {
        let gram = self.followers.gram.as_mut().expect("the strategy that asks has asked to keep it");
        x.scatter(&mut self.scratch.x);
        gram.residual(kernel, &self.scratch.x, &self.support)
    }

    /// Adds the coefficients `share * row` of the row that [`KernelExpansion::residual`] has just looked at to those of all
    /// support vectors, by its image on their span. False, and nothing, where these are so short that coefficients
    /// would leave the range of the type.
    pub(crate) fn absorb(&mut self, kernel: AnyKernel, row: &[T], share: f64) -> bool {
        let gram = self.followers.gram.take().expect("the strategy that asks has asked to keep it");
        let squares: f64 = row.iter().map(|a| a.to_f64() * a.to_f64()).sum();
        let fits = gram.image().iter().all(|d| d * d * squares <= T::MAX_SQ_NORM);
        if fits {
            // The factor knows no coefficients: it need not hear this.
            self.absorb_into(kernel, (gram.factor.order(), gram.image()), share, row);
        }
        self.followers.gram = Some(gram);
        fits
    }
}
