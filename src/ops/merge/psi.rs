//! The two functions of an exponent that the weight degradation is made of, accurate down to zero.

use crate::float::{Mask, Real, Vector, exp2_parts};

/// `2^y - 1` for `y <= -MIN_EXP`, relative error a few units in the last place; below `MIN_EXP` it is -1.
#[inline(always)]
pub(super) fn exp2_m1<T: Real, V: Vector<T>>(y: V) -> V {
    let (scale, c) = exp2_parts(y.max(y.broadcast(T::MIN_EXP)));
    scale.mul_add(c, scale - y.broadcast(T::ONE))
}

/// Terms of the series of `psi(x)/x^2 = sum (-1)^n (n - 1)/n! x^(n-2)`, from n = 2.
const TERMS: usize = 15;

const SERIES: [f64; TERMS] = {
    let mut series = [0.0; TERMS];
    let mut factorial = 1.0;
    let mut n = 2;
    while n < TERMS + 2 {
        factorial *= n as f64;
        let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
        series[n - 2] = sign * (n as f64 - 1.0) / factorial;
        n += 1;
    }
    series
};

/// `scale psi(x)`, `psi(x) = 1 - (1 + x) e^-x`, given x and `power = scale e^-x`: the series while
/// `|x| <= 1/2`.
#[inline(always)]
pub(super) fn scaled_psi<T: Real, V: Vector<T>>(scale: V, x: V, power: V) -> V {
    let terms = if T::MANTISSA < 30 { 8 } else { TERMS };
    let mut near = x.constant(SERIES[terms - 1]);
    for &c in SERIES[..terms - 1].iter().rev() {
        near = near.mul_add(x, x.constant(c));
    }
    let far = (-(x + x.broadcast(T::ONE))).mul_add(power, scale);
    x.max(-x).le(x.constant(0.5)).select(scale * x * x * near, far)
}

/// [`scaled_psi`] of scale one.
#[inline(always)]
pub(super) fn psi<T: Real, V: Vector<T>>(x: V, power: V) -> V {
    scaled_psi(x.broadcast(T::ONE), x, power)
}
