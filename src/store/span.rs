//! What projecting a newcomer asks of the store: how far it lies from the span of the support vectors, and its image there.

use super::Store;
use crate::float::{Real, splat};
use crate::kernel::AnyKernel;
use crate::row::Row;
use fearless_simd::Simd;

impl<T: Real> Store<T> {
    /// `k(x, x)` of a row that is not stored, and the squared residual of its image on the span of the support vectors;
    /// its coefficients there are kept for [`Store::absorb`].
    pub(crate) fn residual<S: Simd>(&mut self, s: S, kernel: AnyKernel, x: Row<'_, T>) -> (f64, f64) {
        let mut gram = self.gram.take().expect("the strategy that asks has asked to keep it");
        x.scatter(&mut self.scratch.x);
        let found = gram.residual(s, kernel, self);
        self.gram = Some(gram);
        found
    }

    /// Adds the coefficients `share * row` of the row that [`Store::residual`] has just looked at to those of all support
    /// vectors, by its image on their span. False, and nothing, where these are so short that coefficients would leave the range
    /// of the type. Only for rules that read no norm.
    #[inline(never)]
    pub(crate) fn absorb<S: Simd>(&mut self, s: S, row: &[T], share: f64) -> bool {
        debug_assert!(self.norm2.is_none(), "this changes the norm by more than is known here");
        let gram = self.gram.as_ref().expect("the strategy that asks has asked to keep it");
        let squares: f64 = row.iter().map(|a| a.to_f64() * a.to_f64()).sum();
        if gram.image().iter().any(|d| d * d * squares > T::LARGE) {
            return false;
        }
        let used = self.high.div_ceil(T::LANES);
        let by_slot = &mut self.scratch.by_slot;
        for vector in 0..used {
            by_slot.store(vector, splat::<T, S>(s, T::ZERO));
        }
        for (slot, d) in gram.factor.order().iter().zip(gram.image()) {
            by_slot.set(slot.index(), T::from_f64(share * d));
        }
        s.vectorize(
            #[inline(always)]
            || self.expansion.spread(s, by_slot, row, used),
        );
        true
    }
}
