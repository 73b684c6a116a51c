//! The aligned SIMD buffer: numbers in 64-byte vectors, addressed by vector or by number.

use super::simd::{Simd, V};
use crate::float::{Real, Vector};

/// One vector in memory, on a separate cache line.
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
    pub(crate) fn values(&self) -> &[T] {
        self.0.as_ref()
    }

    /// The same to change.
    #[inline(always)]
    pub(crate) fn values_mut(&mut self) -> &mut [T] {
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

#[cfg(test)]
impl<T: Real> SimdBuffer<T> {
    /// Fills the buffer with numbers that nobody may read.
    pub(crate) fn poison(&mut self) {
        (0..self.as_slice().len() * T::LANES)
            .for_each(|place| self.set(place, T::from_f64(1e3 + place as f64)));
    }
}

impl<T: Real> SimdBuffer<T> {
    /// `n_simd` SIMD vectors of zeros.
    pub(crate) fn zeros(n_simd: usize) -> Self {
        Self(vec![SimdVec::default(); n_simd])
    }

    /// Without numbers, but with memory for `n_simd` SIMD vectors.
    pub(crate) fn with_capacity(n_simd: usize) -> Self {
        Self(Vec::with_capacity(n_simd))
    }

    /// How many vectors it holds.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Appends zeros up to `n_simd` SIMD vectors.
    pub(crate) fn grow(&mut self, n_simd: usize) {
        self.0.resize(n_simd.max(self.0.len()), SimdVec::default());
    }

    /// Every vector.
    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[SimdVec<T>] {
        &self.0
    }

    /// Every number.
    #[inline(always)]
    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flat_map(SimdVec::values)
    }

    /// Adds the numbers of a buffer that is not longer.
    #[inline(always)]
    pub(crate) fn add(&mut self, other: &Self) {
        for (to, from) in self.0.iter_mut().zip(&other.0) {
            to.values_mut().iter_mut().zip(from.values()).for_each(|(to, from)| *to += *from);
        }
    }

    /// Makes every number zero.
    pub(crate) fn clear(&mut self) {
        self.0.fill(SimdVec::default());
    }

    /// The first of the `used` vectors with a number of at least `x`; vector 0 where there is none.
    #[inline(always)]
    pub(super) fn first_with<S: Simd<T>>(&self, s: S, x: T, used: usize) -> usize {
        let x = V::splat(s, x);
        for i_simd in 0..used {
            if self.load(s, i_simd).ge(x).bits() != 0 {
                return i_simd;
            }
        }
        0
    }

    #[inline(always)]
    pub(super) fn load<S: Simd<T>>(&self, s: S, i_simd: usize) -> V<T, S> {
        self.0[i_simd].load(s)
    }

    #[inline(always)]
    pub(super) fn store<S: Simd<T>>(&mut self, i_simd: usize, v: V<T, S>) {
        self.0[i_simd].store(v);
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
    pub(crate) fn as_mut_slice(&mut self) -> &mut [SimdVec<T>] {
        &mut self.0
    }
}
