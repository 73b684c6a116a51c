//! A whole number times a power of ten, correctly rounded to `f64`.

/// Powers of ten that `f64` holds exactly.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];
/// The largest power of five in 64 bits.
const MOST: i64 = 27;
/// Bits of the mantissa of `f64`, the hidden one included.
const BITS: u32 = 53;

/// A power of five: between `leading * 2^scale`, whose leading bit is set, and `(leading + 1) * 2^scale`.
#[derive(Clone, Copy)]
struct Power {
    leading: u64,
    scale: i32,
}

/// 5^-27 to 5^27.
const FIVES: [Power; 2 * MOST as usize + 1] = {
    let mut all = [Power { leading: 1 << 63, scale: -63 }; 2 * MOST as usize + 1];
    let (mut n, mut five) = (1, 1u64);
    while n <= MOST as usize {
        five *= 5;
        let zeros = five.leading_zeros();
        all[MOST as usize + n] = Power { leading: five << zeros, scale: -(zeros as i32) };
        let scale = 127 - zeros;
        // Above 2^63, because a power of five is below the power of two behind it, and below 2^64, because it is none.
        let leading = ((1u128 << scale) / five as u128) as u64;
        all[MOST as usize - n] = Power { leading, scale: -(scale as i32) };
        n += 1;
    }
    all
};

/// `mantissa * 10^exponent`, correctly rounded; `None` where that takes more than a multiplication.
#[inline(always)]
pub(super) fn rounded(mantissa: u64, exponent: i64) -> Option<f64> {
    // A mantissa of 53 bits and a power up to 10^22 are both exact, so that the one multiplication or division rounds
    // correctly (Clinger 1990).
    let power = exponent.unsigned_abs() as usize;
    if mantissa <= 1 << BITS && power < TENS.len() {
        // Signed, because processors convert that in one step.
        let mantissa = mantissa as i64 as f64;
        return Some(if exponent < 0 { mantissa / TENS[power] } else { mantissa * TENS[power] });
    }
    if exponent.unsigned_abs() > MOST as u64 { None } else { by_fives(mantissa, exponent) }
}

/// The same by the leading bits of the power of five (after Lemire 2021). They are off by less than one, and with them
/// the leading bits of the product by less than two: `None` in one case of 500, where that decides.
#[inline]
fn by_fives(mantissa: u64, exponent: i64) -> Option<f64> {
    if mantissa == 0 {
        return Some(0.0);
    }
    let zeros = mantissa.leading_zeros();
    let five = FIVES[(exponent + MOST) as usize];
    let product = ((u128::from(mantissa << zeros) * u128::from(five.leading)) >> 64) as u64;
    // Both factors have their leading bit, so the product has its own in the first place or the second.
    let surplus = u64::BITS - product.leading_zeros() - BITS;
    let half = 1u64 << (surplus - 1);
    let rest = product & (2 * half - 1);
    // The true rest is at least this one, and less than two more.
    if rest == half || rest + 1 == half {
        return None;
    }
    let nearest = (product >> surplus) + u64::from(rest > half);
    // The leading zeros went into the factor, 64 bits behind the product were dropped, and 10 is 2 times 5.
    let scale = surplus as i32 + 64 + five.scale - zeros as i32 + exponent as i32;
    // Far from the ends of the range, so both are normal, and the product is exact.
    Some(nearest as i64 as f64 * f64::from_bits((scale + 1023) as u64 * (1 << (BITS - 1))))
}

#[cfg(test)]
mod tests {
    use super::{by_fives, rounded};
    use crate::testing::fixed_cases;
    use proptest::prelude::*;

    /// The standard library, by way of text.
    fn oracle(mantissa: u64, exponent: i64) -> u64 {
        format!("{mantissa}e{exponent}").parse::<f64>().expect("a number").to_bits()
    }

    #[test]
    fn the_edges_are_exact() {
        let mantissas = (0..64).flat_map(|bit| {
            let power = 1u64 << bit;
            [power - 1, power, power + 1, power.wrapping_mul(3), u64::MAX - power]
        });
        let mut decided = 0;
        for mantissa in mantissas {
            for exponent in -30..=30 {
                if let Some(found) = rounded(mantissa, exponent) {
                    assert_eq!(found.to_bits(), oracle(mantissa, exponent), "{mantissa}e{exponent}");
                    decided += 1;
                }
            }
        }
        assert!(decided > 15_000, "{decided}");
    }

    #[test]
    fn what_lies_half_way_is_left_to_others() {
        // 2^53 + 1 is half-way between two numbers, and so is each multiple of it by a power of two.
        for shift in 0..10 {
            assert_eq!(by_fives(((1 << 53) + 1) << shift, 0), None);
        }
        assert_eq!(rounded(1, 28), None);
        assert_eq!(rounded(u64::MAX, i64::MIN), None);
    }

    proptest! {
        #![proptest_config(fixed_cases(16384))]

        #[test]
        fn equals_the_standard_library(mantissa in any::<u64>(), bits in 0u32..64, exponent in -27i64..28) {
            let mantissa = mantissa >> bits;
            for found in [rounded(mantissa, exponent), by_fives(mantissa, exponent)].into_iter().flatten() {
                prop_assert_eq!(found.to_bits(), oracle(mantissa, exponent));
            }
        }
    }
}
