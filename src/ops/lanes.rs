//! The aligned SIMD buffer: numbers in 64-byte vectors, addressed by vector or by number.

use super::simd::{Simd, V};
use crate::float::{Real, Vector};

/// One vector in memory, on a cache line of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct SimdVec<T: Real>(T::Array);

impl<T: Real> SimdVec<T> {
    #[inline(always)]
    pub(super) fn load<S: Simd<T>>(&self, s: S) -> V<T, S> {
        V::load(s, &self.0)
    }

    #[inline(always)]
    pub(super) fn store<S: Simd<T>>(&mut self, v: V<T, S>) {
        v.store(&mut self.0);
    }

    /// The numbers.
    #[inline(always)]
    pub(crate) fn numbers(&self) -> &[T] {
        self.0.as_ref()
    }

    /// The same to change.
    #[inline(always)]
    pub(crate) fn numbers_mut(&mut self) -> &mut [T] {
        self.0.as_mut()
    }
}

impl<T: Real> Default for SimdVec<T> {
    fn default() -> Self {
        Self(T::Array::default())
    }
}

impl<T: Real> Default for SimdBuffer<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// A buffer of whole vectors; a number is addressed by its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SimdBuffer<T: Real>(Vec<SimdVec<T>>);

impl<T: Real> SimdBuffer<T> {
    /// `vectors` vectors of zeros.
    pub(crate) fn zeros(vectors: usize) -> Self {
        Self(vec![SimdVec::default(); vectors])
    }

    /// Without numbers, but with memory for `vectors` vectors.
    pub(crate) fn with_room(vectors: usize) -> Self {
        Self(Vec::with_capacity(vectors))
    }

    /// How many vectors it holds.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Appends zeros up to `vectors` vectors.
    pub(crate) fn grow(&mut self, vectors: usize) {
        self.0.resize(vectors.max(self.0.len()), SimdVec::default());
    }

    /// Every vector.
    #[inline(always)]
    pub(crate) fn lines(&self) -> &[SimdVec<T>] {
        &self.0
    }

    /// Every number.
    #[inline(always)]
    pub(crate) fn numbers(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flat_map(SimdVec::numbers)
    }

    /// Makes every number zero.
    pub(crate) fn clear(&mut self) {
        self.0.fill(SimdVec::default());
    }

    /// The first of the `used` vectors with a number of at least `x`; vector 0 where there is none.
    #[inline(always)]
    pub(super) fn first_with<S: Simd<T>>(&self, s: S, x: T, used: usize) -> usize {
        let x = V::splat(s, x);
        for vector in 0..used {
            if self.load(s, vector).ge(x).bits() != 0 {
                return vector;
            }
        }
        0
    }

    #[inline(always)]
    pub(super) fn load<S: Simd<T>>(&self, s: S, vector: usize) -> V<T, S> {
        self.0[vector].load(s)
    }

    #[inline(always)]
    pub(super) fn store<S: Simd<T>>(&mut self, vector: usize, v: V<T, S>) {
        self.0[vector].store(v);
    }

    #[inline(always)]
    pub(crate) fn get(&self, place: usize) -> T {
        self.0[place / T::LANES].0[place % T::LANES]
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, place: usize, x: T) {
        self.0[place / T::LANES].0[place % T::LANES] = x;
    }

    /// Every vector, to change it.
    #[inline(always)]
    pub(crate) fn lines_mut(&mut self) -> &mut [SimdVec<T>] {
        &mut self.0
    }
}
