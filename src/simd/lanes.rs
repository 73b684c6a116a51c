//! Numbers in 64-byte aligned vectors, addressed by vector or by number.

use crate::float::Real;
use fearless_simd::{Simd, SimdBase};

#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(64))]
struct Line<A>(A);

/// A buffer of whole vectors, each on its own cache line; a number is addressed by its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lanes<T: Real>(Vec<Line<T::Array>>);

impl<T: Real> Lanes<T> {
    /// `vectors` vectors of zeros.
    pub(crate) fn zeros(vectors: usize) -> Self {
        Self(vec![Line::default(); vectors])
    }

    /// How many vectors it holds.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Appends zeros up to `vectors` vectors.
    pub(crate) fn grow(&mut self, vectors: usize) {
        self.0.resize(vectors.max(self.0.len()), Line::default());
    }

    /// Makes every number zero.
    pub(crate) fn clear(&mut self) {
        self.0.fill(Line::default());
    }

    #[inline(always)]
    pub(crate) fn load<S: Simd>(&self, s: S, vector: usize) -> T::V<S> {
        T::V::<S>::load_array_ref(s, &self.0[vector].0)
    }

    #[inline(always)]
    pub(crate) fn store<S: Simd>(&mut self, vector: usize, v: T::V<S>) {
        v.store_array(&mut self.0[vector].0);
    }

    #[inline(always)]
    pub(crate) fn get(&self, place: usize) -> T {
        self.0[place / T::LANES].0[place % T::LANES]
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, place: usize, x: T) {
        self.0[place / T::LANES].0[place % T::LANES] = x;
    }

    /// The vectors `from..to` as loadable lines.
    #[inline(always)]
    pub(crate) fn lines(&self, from: usize, to: usize) -> &[impl AsLine<T>] {
        &self.0[from..to]
    }

    /// The vectors `from..to` as lines that can be loaded and stored.
    #[inline(always)]
    pub(crate) fn lines_mut(&mut self, from: usize, to: usize) -> &mut [impl AsLine<T>] {
        &mut self.0[from..to]
    }

    /// Every number, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.0.iter().flat_map(|line| line.0.as_ref().iter().copied())
    }
}

/// One line of a [`Lanes`]: a vector in memory.
pub(crate) trait AsLine<T: Real> {
    fn load<S: Simd>(&self, s: S) -> T::V<S>;
    fn store<S: Simd>(&mut self, v: T::V<S>);
    /// One number of the vector.
    fn lane(&self, lane: usize) -> T;
}

impl<T: Real> AsLine<T> for Line<T::Array> {
    #[inline(always)]
    fn load<S: Simd>(&self, s: S) -> T::V<S> {
        T::V::<S>::load_array_ref(s, &self.0)
    }
    #[inline(always)]
    fn store<S: Simd>(&mut self, v: T::V<S>) {
        v.store_array(&mut self.0);
    }
    #[inline(always)]
    fn lane(&self, lane: usize) -> T {
        self.0[lane]
    }
}
