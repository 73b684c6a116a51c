//! Merging.
use super::{Maintain, Model};
use crate::float::Real;
use fearless_simd::Simd;
#[derive(Debug, Clone)]
pub(crate) struct Merge<T: Real> {
    y: Vec<T>,
}
impl<T: Real> Merge<T> {
    pub(crate) fn new(_: usize) -> Self {
        Self { y: Vec::new() }
    }
}
impl<T: Real> Maintain<T> for Merge<T> {
    fn restore<S: Simd>(&mut self, s: S, model: Model<'_, T>) -> f64 {
        let p = model.store.smallest(s);
        model.store.remove(s, model.kernel, p);
        0.0
    }
}
