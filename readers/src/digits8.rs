//! Parsing up to eight digits at once, within a 64-bit register (SWAR).

/// Powers of ten from 10^0 to 10^8.
pub(super) const POWERS_OF_TEN: [u64; 9] =
    [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Value and number of the digits at the start of eight bytes. The first byte is the lowest.
#[inline(always)]
pub(super) fn leading_digits(bytes: u64) -> (u64, usize) {
    // Digits become 0 to 9. Every other byte gets its highest bit set: by the sum if it is above 9, else because it is
    // not ASCII. No sum exceeds 0x7f + 0x76, so no byte carries into the next.
    let values = bytes ^ 0x3030_3030_3030_3030;
    let others =
        (((values & 0x7f7f_7f7f_7f7f_7f7f) + 0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    let count = others.trailing_zeros() as usize / 8;
    // Leading zeros replace the bytes after the digits. Two shifts, since a shift by 64 bits is not defined.
    let kept = if count == 8 { values } else { values << (8 * (7 - count)) << 8 };
    (combine(kept), count)
}

/// The number with these eight digits, each in a byte from 0 to 9. Adds neighbouring digits, then pairs, then
/// quadruples.
#[inline(always)]
fn combine(digits: u64) -> u64 {
    const EVERY_OTHER_PAIR: u64 = 0x0000_00ff_0000_00ff;
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let first = (pairs & EVERY_OTHER_PAIR).wrapping_mul(100 + (1_000_000 << 32));
    let second = (pairs >> 16 & EVERY_OTHER_PAIR).wrapping_mul(1 + (10_000 << 32));
    first.wrapping_add(second) >> 32
}

#[cfg(test)]
mod tests {
    use super::leading_digits;
    use crate::testing::fixed_cases;
    use proptest::prelude::*;

    /// Parses one byte at a time.
    fn oracle(bytes: [u8; 8]) -> (u64, usize) {
        let digits: Vec<u64> = bytes
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .map(|byte| u64::from(byte - b'0'))
            .collect();
        (digits.iter().fold(0, |number, digit| 10 * number + digit), digits.len())
    }

    #[test]
    fn every_byte_at_every_position() {
        for byte in 0..=u8::MAX {
            for at in 0..8 {
                let mut bytes = *b"91827364";
                bytes[at] = byte;
                assert_eq!(leading_digits(u64::from_le_bytes(bytes)), oracle(bytes), "{bytes:?}");
            }
        }
    }

    proptest! {
        #![proptest_config(fixed_cases(4096))]

        #[test]
        fn equals_parsing_byte_by_byte(bytes in any::<[u8; 8]>(), count in 0usize..9) {
            let mut bytes = bytes;
            for byte in &mut bytes[..count] {
                *byte = b'0' + *byte % 10;
            }
            prop_assert_eq!(leading_digits(u64::from_le_bytes(bytes)), oracle(bytes));
        }
    }
}
