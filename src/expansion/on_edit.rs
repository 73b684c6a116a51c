//! The protocol between the expansion and its derived state.

use super::{Edit, Slot, SupportSet};
use crate::float::Real;

/// State derived from the expansion, updated by every edit. The strategy that needs the state owns it.
pub(crate) trait OnEdit<T: Real> {
    /// Updates the state before an edit.
    fn before_edit(&mut self, _edit: &Edit<'_, T>, _support: &SupportSet<T>) {}

    /// Updates the state after an edit.
    fn after_edit(&mut self, _edit: &Edit<'_, T>, _support: &SupportSet<T>) {}

    /// Makes room for `n_simd` SIMD vectors of slots.
    fn reserve(&mut self, _n_simd: usize) {}

    /// Computes the state from scratch, after the kernel or all support vectors have changed.
    fn refresh(&mut self, _support: &SupportSet<T>) {}

    /// The score of a support vector, if this state has scores.
    fn score(&self, _slot: Slot, _output: usize) -> Option<T> {
        None
    }
}

/// No derived state.
impl<T: Real> OnEdit<T> for () {}

/// Optional state; None ignores every edit.
impl<T: Real, S: OnEdit<T>> OnEdit<T> for Option<S> {
    #[inline(always)]
    fn before_edit(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        if let Some(state) = self {
            state.before_edit(edit, support);
        }
    }

    #[inline(always)]
    fn after_edit(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        if let Some(state) = self {
            state.after_edit(edit, support);
        }
    }

    fn reserve(&mut self, n_simd: usize) {
        if let Some(state) = self {
            state.reserve(n_simd);
        }
    }

    fn refresh(&mut self, support: &SupportSet<T>) {
        if let Some(state) = self {
            state.refresh(support);
        }
    }
}
