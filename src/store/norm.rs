//! `|w|^2`, kept by increments, and inner products with the model.

use super::{Norm2, Slot, Store};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::row::Row;
use fearless_simd::Simd;

/// Changes, per support vector, after which `|w|^2` is computed from scratch.
pub(super) const REFRESH: u64 = 8;

impl<T: Real> Store<T> {
    /// The inner product of the model with the part of a support vector, `sum_c alpha_jc f_c(x_j)`, without the scale.
    pub(crate) fn along<S: Simd>(&mut self, s: S, kernel: AnyKernel, slot: Slot) -> f64 {
        self.panels.read(slot, &mut self.scratch.x);
        self.expansion.read(slot, &mut self.scratch.row);
        self.inner(s, kernel)
    }

    /// `<w, sum_c row_c phi(x) e_c>` for the vector and the coefficient row in the scratch.
    pub(super) fn inner<S: Simd>(&mut self, s: S, kernel: AnyKernel) -> f64 {
        let mut scratch = std::mem::take(&mut self.scratch);
        let x = Row::Dense(&scratch.x[..]);
        self.scores_by(s, kernel, &self.expansion, x, &mut scratch.k, &mut scratch.f);
        self.scratch = scratch;
        let pairs = self.scratch.row.iter().zip(&self.scratch.f);
        pairs.map(|(a, f)| a.to_f64() * f.to_f64()).sum()
    }

    /// Adds to `|w|^2`, and recomputes it from scratch after many additions, so that rounding cannot pile up.
    #[inline(always)]
    pub(super) fn change_norm<S: Simd>(&mut self, s: S, kernel: AnyKernel, by: f64) {
        let Some(norm2) = &mut self.norm2 else { return };
        norm2.value += by;
        norm2.changes += 1;
        if norm2.changes >= REFRESH * self.age.len() as u64 {
            self.refresh_norm(s, kernel);
        }
    }

    /// Computes `|w|^2` from scratch, where it is kept.
    pub(super) fn refresh_norm<S: Simd>(&mut self, s: S, kernel: AnyKernel) {
        if self.norm2.is_none() {
            return;
        }
        let mut value = 0.0;
        for index in 0..self.len() {
            let Some(slot) = self.age.nth(index) else { break };
            self.panels.read(slot, &mut self.scratch.x);
            self.expansion.read(slot, &mut self.scratch.row);
            value += self.inner(s, kernel);
        }
        self.norm2 = Some(Norm2 { value, changes: 0 });
    }
}
