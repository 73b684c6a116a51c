//! Loops over arrays, which the compiler makes vectors of: for targets without their SIMD level, and what tests
//! compare the other levels with. Where the target has fused instructions (Arm's NEON) it uses them; elsewhere a
//! multiplication and the addition after it are rounded one by one.
//!
//! Nothing here is inlined before it is optimised, and in tests the loops are calls: loops upon loops take minutes to
//! compile.

use super::{Processor, Shuffle, Simd};
use crate::float::Real;

/// Whatever the compilation target has; `FUSED` says whether `mul_add` rounds once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Portable<const FUSED: bool>;

/// `f` of each lane.
#[cfg_attr(test, inline(never))]
#[cfg_attr(not(test), inline)]
fn map<T: Real>(mut a: T::Array, f: impl Fn(T) -> T) -> T::Array {
    for x in a.as_mut() {
        *x = f(*x);
    }
    a
}

/// `f` of each two lanes.
#[cfg_attr(test, inline(never))]
#[cfg_attr(not(test), inline)]
fn zip<T: Real>(mut a: T::Array, b: T::Array, f: impl Fn(T, T) -> T) -> T::Array {
    for (x, &y) in a.as_mut().iter_mut().zip(b.as_ref()) {
        *x = f(*x, y);
    }
    a
}

/// `f` of each three lanes.
#[cfg_attr(test, inline(never))]
#[cfg_attr(not(test), inline)]
fn zip3<T: Real>(a: T::Array, b: T::Array, mut c: T::Array, f: impl Fn(T, T, T) -> T) -> T::Array {
    for ((z, &x), &y) in c.as_mut().iter_mut().zip(a.as_ref()).zip(b.as_ref()) {
        *z = f(x, y, *z);
    }
    c
}

/// A mask is a vector of ones and zeros.
#[inline]
fn truth<T: Real>(is: bool) -> T {
    if is { T::ONE } else { T::ZERO }
}

/// Halves are joined until one number is left; of the last four the neighbours come first where they are to.
#[cfg_attr(test, inline(never))]
#[cfg_attr(not(test), inline)]
fn reduce<T: Real>(mut a: T::Array, neighbours: bool, f: impl Fn(T, T) -> T) -> T {
    let mut width = T::LANES / 2;
    while width > 0 {
        if neighbours && width == 2 {
            return f(f(a[0], a[1]), f(a[2], a[3]));
        }
        for i in 0..width {
            a[i] = f(a[i], a[i + width]);
        }
        width /= 2;
    }
    a[0]
}

/// Operations that treat every lane alike: the function of one lane.
macro_rules! each_lane {
    ($($name:ident($($arg:ident),+) = $loop:ident($f:expr);)+) => {$(
        #[inline]
        fn $name(self, $($arg: T::Array),+) -> T::Array {
            $loop::<T>($($arg),+, $f)
        }
    )+};
}

impl<T: Real, const FUSED: bool> Simd<T> for Portable<FUSED> {
    type Raw = T::Array;
    type RawMask = T::Array;

    #[inline]
    fn splat(self, x: T) -> T::Array {
        map::<T>(T::Array::default(), |_| x)
    }

    each_lane! {
        add(a, b) = zip(|a, b| a + b);
        sub(a, b) = zip(|a, b| a - b);
        mul(a, b) = zip(|a, b| a * b);
        div(a, b) = zip(|a, b| a / b);
        mul_add(a, b, c) = zip3(|a, b, c| if FUSED { a.mul_add(b, c) } else { a * b + c });
        sqrt(a) = map(T::sqrt);
        min(a, b) = zip(|a, b| if a < b { a } else { b });
        max(a, b) = zip(|a, b| if a > b { a } else { b });
        copysign(a, b) = zip(T::copysign);
        power_of_two(shifted) = map(T::power_of_two);
        lt(a, b) = zip(|a, b| truth(a < b));
        le(a, b) = zip(|a, b| truth(a <= b));
        equal(a, b) = zip(|a, b| truth(a == b));
        and(a, b) = zip(|a, b| a * b);
        select(mask, yes, no) = zip3(|mask, yes, no| if mask > T::ZERO { yes } else { no });
    }

    #[inline]
    fn split_exponent(self, a: T::Array) -> (T::Array, T::Array) {
        (map::<T>(a, |a| T::split_exponent(a).0), map::<T>(a, |a| T::split_exponent(a).1))
    }
    #[cfg_attr(test, inline(never))]
    #[cfg_attr(not(test), inline)]
    fn bits(self, mask: T::Array) -> u64 {
        let lanes = mask.as_ref().iter().enumerate();
        lanes.fold(0, |bits, (lane, &is)| bits | u64::from(is > T::ZERO) << lane)
    }
    #[cfg_attr(test, inline(never))]
    #[cfg_attr(not(test), inline)]
    fn mask(self, bits: u64) -> T::Array {
        let mut mask = T::Array::default();
        for (lane, x) in mask.as_mut().iter_mut().enumerate() {
            *x = truth(bits >> lane & 1 == 1);
        }
        mask
    }
    #[inline]
    fn reduce_sum(self, a: T::Array) -> T {
        reduce::<T>(a, T::LANES == 16, |a, b| a + b)
    }
    #[inline]
    fn reduce_min(self, a: T::Array) -> T {
        reduce::<T>(a, false, |a, b| if a < b { a } else { b })
    }
}

impl<const FUSED: bool> Shuffle for Portable<FUSED> {
    #[inline]
    fn interleave(self, a: [f64; 8], b: [f64; 8]) -> ([f64; 8], [f64; 8]) {
        let half =
            |from: usize| std::array::from_fn(|i| if i % 2 == 0 { a[from + i / 2] } else { b[from + i / 2] });
        (half(0), half(4))
    }
    #[inline]
    fn slide(self, a: [f64; 8], b: [f64; 8]) -> [f64; 8] {
        std::array::from_fn(|i| if i < 7 { a[i + 1] } else { b[0] })
    }
}

impl<const FUSED: bool> Processor for Portable<FUSED> {
    const TILE: usize = 4;

    #[inline]
    fn run<R>(self, f: impl FnOnce() -> R) -> R {
        f()
    }
}
