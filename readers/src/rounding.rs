//! Decimal to binary: an integer times a power of ten, rounded correctly to `f64`.
//!
//! Clinger's exact multiplication for small mantissas, Lemire's algorithm for the others. The few numbers that neither
//! decides go to the standard library.

/// Powers of ten that `f64` represents exactly.
const POWERS_OF_TEN: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];
/// Exponent of the largest power of five below 2^64.
const MAX_POWER: i64 = 27;
/// Bits of the mantissa of `f64`, including the hidden bit.
const MANTISSA_BITS: u32 = 53;

/// The leading 64 bits of a power of five, which lies in `leading * 2^scale..(leading + 1) * 2^scale`.
#[derive(Clone, Copy)]
struct PowerOfFive {
    leading: u64,
    scale: i32,
}

/// Powers of five from 5^-27 to 5^27.
const POWERS_OF_FIVE: [PowerOfFive; 2 * MAX_POWER as usize + 1] = {
    let mut all = [PowerOfFive { leading: 1 << 63, scale: -63 }; 2 * MAX_POWER as usize + 1];
    let (mut n, mut five) = (1, 1u64);
    while n <= MAX_POWER as usize {
        five *= 5;
        let zeros = five.leading_zeros();
        all[MAX_POWER as usize + n] = PowerOfFive { leading: five << zeros, scale: -(zeros as i32) };
        let scale = 127 - zeros;
        // In 2^63..2^64, since the power of five is above 2^(scale - 64) and below 2^(scale - 63).
        let leading = ((1u128 << scale) / five as u128) as u64;
        all[MAX_POWER as usize - n] = PowerOfFive { leading, scale: -(scale as i32) };
        n += 1;
    }
    all
};

/// Rounds `mantissa * 10^exponent` correctly. Returns `None` if that takes more than one multiplication.
#[inline(always)]
pub(super) fn round_decimal(mantissa: u64, exponent: i64) -> Option<f64> {
    // A mantissa of 53 bits and a power up to 10^22 are exact, so one multiplication or division rounds correctly
    // (Clinger 1990).
    let power = exponent.unsigned_abs() as usize;
    if mantissa <= 1 << MANTISSA_BITS && power < POWERS_OF_TEN.len() {
        // Processors convert signed integers in one instruction.
        let mantissa = mantissa as i64 as f64;
        return Some(if exponent < 0 {
            mantissa / POWERS_OF_TEN[power]
        } else {
            mantissa * POWERS_OF_TEN[power]
        });
    }
    if exponent.unsigned_abs() > MAX_POWER as u64 { None } else { round_by_fives(mantissa, exponent) }
}

/// Rounds `mantissa * 10^exponent` by the leading bits of the power of five (after Lemire 2021).
///
/// The power is off by less than one, so the leading bits of the product are off by less than two. Returns `None` if
/// this error decides the rounding: in one case of 500.
#[inline]
fn round_by_fives(mantissa: u64, exponent: i64) -> Option<f64> {
    if mantissa == 0 {
        return Some(0.0);
    }
    let zeros = mantissa.leading_zeros();
    let five = POWERS_OF_FIVE[(exponent + MAX_POWER) as usize];
    let product = ((u128::from(mantissa << zeros) * u128::from(five.leading)) >> 64) as u64;
    // Both factors have their highest bit set, so the product has its highest bit in the first or second place.
    let surplus = u64::BITS - product.leading_zeros() - MANTISSA_BITS;
    let half = 1u64 << (surplus - 1);
    let rest = product & (2 * half - 1);
    // The exact remainder lies in rest..rest + 2.
    if rest == half || rest + 1 == half {
        return None;
    }
    let nearest = (product >> surplus) + u64::from(rest > half);
    // The shift by the leading zeros, the 64 dropped bits of the product, and 10^exponent = 2^exponent * 5^exponent.
    let scale = surplus as i32 + 64 + five.scale - zeros as i32 + exponent as i32;
    // Both factors are normal numbers far from the limits of the range, so the product is exact.
    Some(nearest as i64 as f64 * f64::from_bits((scale + 1023) as u64 * (1 << (MANTISSA_BITS - 1))))
}

#[cfg(test)]
mod tests {
    use super::{round_by_fives, round_decimal};
    use crate::testing::fixed_cases;
    use proptest::prelude::*;

    /// The standard library, through text.
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
                if let Some(found) = round_decimal(mantissa, exponent) {
                    assert_eq!(found.to_bits(), oracle(mantissa, exponent), "{mantissa}e{exponent}");
                    decided += 1;
                }
            }
        }
        assert!(decided > 15_000, "{decided}");
    }

    #[test]
    fn ties_are_left_to_the_standard_library() {
        // 2^53 + 1 and its multiples by powers of two lie half-way between two numbers.
        for shift in 0..10 {
            assert_eq!(round_by_fives(((1 << 53) + 1) << shift, 0), None);
        }
        assert_eq!(round_decimal(1, 28), None);
        assert_eq!(round_decimal(u64::MAX, i64::MIN), None);
    }

    proptest! {
        #![proptest_config(fixed_cases(16384))]

        #[test]
        fn equals_the_standard_library(mantissa in any::<u64>(), bits in 0u32..64, exponent in -27i64..28) {
            let mantissa = mantissa >> bits;
            for found in [round_decimal(mantissa, exponent), round_by_fives(mantissa, exponent)].into_iter().flatten() {
                prop_assert_eq!(found.to_bits(), oracle(mantissa, exponent));
            }
        }
    }
}
