//! Kernels: each is how one pair of features enters a chain, and what a finished chain becomes.

mod any;
mod cosine;
mod laplacian;
mod linear;
mod polynomial;
mod rbf;
mod sigmoid;
#[cfg(test)]
mod tests;

pub use any::AnyKernel;
pub(crate) use any::with_pair;
pub use cosine::Cosine;
pub use laplacian::Laplacian;
pub use linear::Linear;
pub use polynomial::Polynomial;
pub use rbf::Rbf;
pub use sigmoid::Sigmoid;

use crate::float::Real;
use crate::row::Row;
use fearless_simd::{Simd, SimdFloat};

/// A kernel as a sum over features and a function of that sum. One file each.
pub trait Pair<T: Real>: Copy + Send + Sync {
    /// The chain's next link: one feature of the row and of a vector of stored vectors.
    fn accumulate<S: Simd>(self, acc: T::V<S>, x: T::V<S>, v: T::V<S>) -> T::V<S>;

    /// The next link for a non-zero feature of a sparse row, on top of [`Pair::rest`].
    #[inline(always)]
    fn accumulate_sparse<S: Simd>(self, acc: T::V<S>, x: T::V<S>, v: T::V<S>) -> T::V<S> {
        self.accumulate::<S>(acc, x, v)
    }

    /// What an all-zero row accumulates against stored vectors of these norms.
    #[inline(always)]
    fn rest<S: Simd>(self, s: S, norms: T::V<S>) -> T::V<S> {
        norms * crate::float::splat::<T, S>(s, T::ZERO)
    }

    /// Mends what rounding of the sparse path may have broken (a negative distance).
    #[inline(always)]
    fn mend<S: Simd>(self, _: S, acc: T::V<S>) -> T::V<S> {
        acc
    }

    /// The kernel values of finished chains, from the row's norm and those of the stored vectors.
    fn finish<S: Simd>(self, s: S, acc: T::V<S>, x_norm: T, norms: T::V<S>) -> T::V<S>;

    /// `k(x, x)`, from the row's norm.
    fn diag(self, norm: T) -> T;

    /// The largest norm whose `k(x, x)` is `most` at most, infinite for kernels of at most 1 (and `most >= 1`); negative where there is none.
    fn reach(self, _most: f64) -> f64 {
        f64::INFINITY
    }

    /// The norm that this kernel's other methods take: `|x|^2`, where the kernel does not say otherwise.
    #[inline(always)]
    fn norm(self, x: Row<'_, T>) -> T {
        x.values().iter().fold(T::ZERO, |sum, &x| sum + x * x)
    }

    /// Whether [`Pair::finish`] reads the norms.
    fn reads_norms(self) -> bool {
        false
    }
}

/// `acc + x v`: the chain of every kernel of the dot product.
#[inline(always)]
fn dot<T: Real, S: Simd>(acc: T::V<S>, x: T::V<S>, v: T::V<S>) -> T::V<S> {
    x.mul_add(v, acc)
}
