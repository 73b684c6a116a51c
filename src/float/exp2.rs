//! Two to the power of a vector: one polynomial on [-1/2, 1/2], exactly 1 at 0, the same bits at every fused level.

use super::{Mask, Real, Vector};

/// `(2^n, r, (2^r - 1)/r)` with `y = n + r`, `|r| <= 1/2`, for `y` in `[MIN_EXP, -MIN_EXP]`.
#[inline(always)]
fn split<T: Real, V: Vector<T>>(y: V) -> (V, V, V) {
    let shifted = y + y.all(T::ROUND);
    let r = y - (shifted - y.all(T::ROUND));
    let mut p = y.all(T::EXP2[T::EXP2.len() - 1]);
    for &c in T::EXP2.iter().rev().skip(1) {
        p = p.mul_add(r, y.all(c));
    }
    (shifted.power_of_two(), r, p)
}

/// `2^y` for `y <= -MIN_EXP`; below `MIN_EXP` it is zero. Relative error 9e-8 (f32), 4e-16 (f64).
#[inline(always)]
pub(crate) fn exp2<T: Real, V: Vector<T>>(y: V) -> V {
    let least = y.all(T::MIN_EXP);
    let (scale, r, p) = split(y.max(least));
    let power = p.mul_add(r, y.all(T::ONE)) * scale;
    y.ge(least).select(power, y.all(T::ZERO))
}

/// `(2^n, 2^r - 1)` with `y = n + r`, `|r| <= 1/2`, for `y` in `[MIN_EXP, -MIN_EXP]`: differences such as `2^y - 1`
/// follow from these without cancellation.
#[inline(always)]
pub(crate) fn exp2_parts<T: Real, V: Vector<T>>(y: V) -> (V, V) {
    let (scale, r, p) = split(y);
    (scale, p * r)
}
