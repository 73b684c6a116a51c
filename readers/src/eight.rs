//! Eight bytes at a time: how many digits they begin with, and the number that these spell.

/// 10^0 to 10^8.
pub(super) const TENS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// The digits that the bytes begin with, the first of them in the lowest byte: the number that they spell, and how
/// many they are.
#[inline(always)]
pub(super) fn digits(bytes: u64) -> (u64, usize) {
    // Digits become 0 to 9. What is above 9, or no ASCII, gets the highest bit of its byte; nothing is carried into the
    // next byte, for no sum is above 0x7f + 0x76.
    let values = bytes ^ 0x3030_3030_3030_3030;
    let others =
        (((values & 0x7f7f_7f7f_7f7f_7f7f) + 0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    let count = others.trailing_zeros() as usize / 8;
    // Zeros come before the digits, and what stands behind them goes. In two steps, for there may be none at all.
    let kept = if count == 8 { values } else { values << (8 * (7 - count)) << 8 };
    (number(kept), count)
}

/// The number whose eight digits the bytes are, each from 0 to 9: pairs of digits, pairs of these, and so on.
#[inline(always)]
fn number(digits: u64) -> u64 {
    const EVERY_OTHER_PAIR: u64 = 0x0000_00ff_0000_00ff;
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let first = (pairs & EVERY_OTHER_PAIR).wrapping_mul(100 + (1_000_000 << 32));
    let second = (pairs >> 16 & EVERY_OTHER_PAIR).wrapping_mul(1 + (10_000 << 32));
    first.wrapping_add(second) >> 32
}

#[cfg(test)]
mod tests {
    use super::digits;
    use crate::testing::fixed_cases;
    use proptest::prelude::*;

    /// One byte after the other.
    fn oracle(bytes: [u8; 8]) -> (u64, usize) {
        let digits: Vec<u64> = bytes
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .map(|byte| u64::from(byte - b'0'))
            .collect();
        (digits.iter().fold(0, |number, digit| 10 * number + digit), digits.len())
    }

    #[test]
    fn each_byte_ends_the_digits_or_is_one() {
        for byte in 0..=u8::MAX {
            for at in 0..8 {
                let mut bytes = *b"91827364";
                bytes[at] = byte;
                assert_eq!(digits(u64::from_le_bytes(bytes)), oracle(bytes), "{bytes:?}");
            }
        }
    }

    proptest! {
        #![proptest_config(fixed_cases(4096))]

        #[test]
        fn equals_one_byte_after_the_other(bytes in any::<[u8; 8]>(), count in 0usize..9) {
            let mut bytes = bytes;
            for byte in &mut bytes[..count] {
                *byte = b'0' + *byte % 10;
            }
            prop_assert_eq!(digits(u64::from_le_bytes(bytes)), oracle(bytes));
        }
    }
}
