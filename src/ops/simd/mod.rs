//! Vectors of 64 bytes at one SIMD level: [`Simd`] is what a level must know, [`V`] what the loops calculate with.

/// Instructions that treat every lane alike, by name: on each register of the vector.
#[cfg(target_arch = "x86_64")]
macro_rules! lanewise {
    ($($name:ident($($arg:ident),+) -> $out:ident = $set:ident.$instruction:ident $(::<$with:literal>)?;)+) => {$(
        #[inline(always)]
        fn $name(self, $($arg: Self::Raw),+) -> Self::$out {
            each!($($arg),+ => self.0.$set.$instruction$(::<$with>)?($($arg),+))
        }
    )+};
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(any(not(target_arch = "x86_64"), test))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(test)]
mod tests;
mod vector;

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(super) use avx512::Avx512;
#[cfg(any(not(target_arch = "x86_64"), test))]
pub(super) use portable::Portable;
#[cfg(target_arch = "x86_64")]
pub(super) use sse2::Sse2;
pub(crate) use vector::{M, V};

use crate::float::Real;
use pulp::bytemuck::{Pod, cast};

/// The instructions of one level on vectors of `T`. A value of it proves that the processor has them.
pub(crate) trait Simd<T: Real>: Copy + Send + Sync + 'static {
    /// A vector in registers.
    type Raw: Pod;
    /// A bool for each lane.
    type RawMask: Copy;

    fn splat(self, x: T) -> Self::Raw;

    fn add(self, a: Self::Raw, b: Self::Raw) -> Self::Raw;
    fn sub(self, a: Self::Raw, b: Self::Raw) -> Self::Raw;
    fn mul(self, a: Self::Raw, b: Self::Raw) -> Self::Raw;
    fn div(self, a: Self::Raw, b: Self::Raw) -> Self::Raw;
    /// `a b + c`
    fn mul_add(self, a: Self::Raw, b: Self::Raw, c: Self::Raw) -> Self::Raw;
    #[inline(always)]
    fn neg(self, a: Self::Raw) -> Self::Raw {
        self.sub(self.splat(-T::ZERO), a)
    }
    #[inline(always)]
    fn abs(self, a: Self::Raw) -> Self::Raw {
        self.copysign(a, self.splat(T::ZERO))
    }
    fn sqrt(self, a: Self::Raw) -> Self::Raw;
    /// The lesser; `b` where either is NaN.
    fn min(self, a: Self::Raw, b: Self::Raw) -> Self::Raw;
    /// The greater; `b` where either is NaN.
    fn max(self, a: Self::Raw, b: Self::Raw) -> Self::Raw;
    /// The size of `a` with the sign of `b`.
    fn copysign(self, a: Self::Raw, b: Self::Raw) -> Self::Raw;
    /// As [`Vector::power_of_two`](crate::float::Vector::power_of_two).
    fn power_of_two(self, shifted: Self::Raw) -> Self::Raw;
    /// As [`Vector::exponent`](crate::float::Vector::exponent).
    fn split_exponent(self, a: Self::Raw) -> (Self::Raw, Self::Raw);

    fn lt(self, a: Self::Raw, b: Self::Raw) -> Self::RawMask;
    fn le(self, a: Self::Raw, b: Self::Raw) -> Self::RawMask;
    fn equal(self, a: Self::Raw, b: Self::Raw) -> Self::RawMask;
    fn and(self, a: Self::RawMask, b: Self::RawMask) -> Self::RawMask;
    fn select(self, mask: Self::RawMask, yes: Self::Raw, no: Self::Raw) -> Self::Raw;
    /// One bit to the lane, the first lane lowest.
    fn bits(self, mask: Self::RawMask) -> u64;
    fn mask(self, bits: u64) -> Self::RawMask;

    /// The sum over the lanes: halves are added until two neighbours are left; of `f32` from four on neighbours.
    fn reduce_sum(self, a: Self::Raw) -> T;
    /// The least lane: halves are compared until one number is left.
    fn reduce_min(self, a: Self::Raw) -> T;
    /// The greatest lane, in the same order.
    #[inline(always)]
    fn reduce_max(self, a: Self::Raw) -> T {
        -self.reduce_min(self.neg(a))
    }

    /// Writes the lanes of `bits` to the front of `to`, which has room for a whole vector; what lies behind them may
    /// change.
    #[inline(always)]
    fn compress(self, v: Self::Raw, mut bits: u64, to: &mut [T]) {
        let lanes: T::Array = cast(v);
        for to in to {
            if bits == 0 {
                break;
            }
            *to = lanes[bits.trailing_zeros() as usize];
            bits &= bits - 1;
        }
    }
}

/// Lane permutations of the triangular solves.
pub(crate) trait Shuffle: Simd<f64> {
    /// `a0 b0 a1 b1 ...`: the lower and the upper half.
    fn interleave(self, a: Self::Raw, b: Self::Raw) -> (Self::Raw, Self::Raw);
    /// `a` without its first lane, and the first of `b` behind it.
    fn slide(self, a: Self::Raw, b: Self::Raw) -> Self::Raw;
}

/// A SIMD level.
pub(crate) trait Processor: Simd<f32> + Shuffle + Sized {
    /// The number of running sums of a tile: as many as the registers hold in addition to the operands.
    const TILE: usize;

    /// Runs a function with the instructions of this level. What it calls must be inlined into it, unless every
    /// processor of the target has them.
    fn run<R>(self, f: impl FnOnce() -> R) -> R;

    /// Runs a part of a function that [`Processor::run`] runs, from a function that may not be inlined into it: builds
    /// with debug assertions keep them apart to recompile less.
    #[inline(always)]
    fn run_nested<R>(self, f: impl FnOnce() -> R) -> R {
        if cfg!(debug_assertions) { self.run(f) } else { f() }
    }
}
