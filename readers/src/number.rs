//! Decimal numbers: the exactly rounded value, and how many bytes were read for it.

use super::fault::{Fault, shown};
use super::{eight, rounding};
use crate::float::Float;

/// Reads the digits from `pos` on into `mantissa` (modulo 2^64), one by one; returns the position behind them.
#[inline(always)]
pub(super) fn digits(text: &[u8], mut pos: usize, mantissa: &mut u64) -> usize {
    while let Some(&byte) = text.get(pos) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        *mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        pos += 1;
    }
    pos
}

/// The same, eight at a time, as far as the text is long enough. It pays where the number of digits varies, as in a
/// fraction: the end of a loop over them cannot be foreseen by the processor.
#[inline(always)]
fn many_digits(text: &[u8], mut pos: usize, mantissa: &mut u64) -> usize {
    while let Some(word) = text.get(pos..).and_then(|rest| rest.first_chunk()) {
        let (value, count) = eight::digits(u64::from_le_bytes(*word));
        *mantissa = mantissa.wrapping_mul(eight::TENS[count]).wrapping_add(value);
        pos += count;
        if count < 8 {
            return pos;
        }
    }
    digits(text, pos, mantissa)
}

/// The decimal number that starts at `start`: its value and the position behind it, or `None` if there is none.
///
/// The grammar is that of `str::parse::<f64>` without the words `nan` and `inf`; so is the value, bit for bit.
/// A number too large for `f64` becomes infinite. The caller checks what follows the number.
#[inline(always)]
pub(super) fn prefix(text: &[u8], start: usize) -> Option<(f64, usize)> {
    let first = *text.get(start)?;
    let whole = start + usize::from(matches!(first, b'-' | b'+'));
    let mut mantissa = 0u64;
    let mut pos = digits(text, whole, &mut mantissa);
    let mut count = pos - whole;
    // Those that count for the size of the mantissa: not a zero before the point.
    let mut significant = count - usize::from(count == 1 && mantissa == 0);
    let mut exponent = 0i64;
    if text.get(pos) == Some(&b'.') {
        let fraction = pos + 1;
        pos = many_digits(text, fraction, &mut mantissa);
        exponent = -((pos - fraction) as i64);
        count += pos - fraction;
        significant += pos - fraction;
    }
    if count == 0 {
        return None;
    }
    if let Some(b'e' | b'E') = text.get(pos) {
        let (power, end) = power_of_ten(text, pos + 1)?;
        exponent = exponent.saturating_add(power);
        pos = end;
    }
    // Up to 19 digits fit into 64 bits.
    let rounded = if significant <= 19 { rounding::rounded(mantissa, exponent) } else { None };
    // Half of all numbers may be negative, so the sign is no branch.
    let signed = |size: f64| f64::from_bits(size.to_bits() ^ (u64::from(first == b'-') << 63));
    Some((rounded.map_or_else(|| of_standard_library(&text[start..pos]), signed), pos))
}

/// The number that the standard library reads.
#[cold]
#[inline(never)]
fn of_standard_library(number: &[u8]) -> f64 {
    let written = std::str::from_utf8(number).expect("signs, digits, a point and an e are ASCII");
    written.parse().expect("the grammar is that of the standard library")
}

/// The signed exponent that starts at `pos`, and the position behind it.
fn power_of_ten(text: &[u8], pos: usize) -> Option<(i64, usize)> {
    let sign = text.get(pos)?;
    let first = pos + usize::from(matches!(sign, b'-' | b'+'));
    let mut power = 0i64;
    let mut end = first;
    while let Some(byte) = text.get(end).filter(|byte| byte.is_ascii_digit()) {
        power = power.saturating_mul(10).saturating_add(i64::from(byte - b'0'));
        end += 1;
    }
    (end > first).then_some((if *sign == b'-' { -power } else { power }, end))
}

/// The number that the whole token spells.
pub(super) fn whole(token: &[u8]) -> Option<f64> {
    prefix(token, 0).filter(|&(_, end)| end == token.len()).map(|(value, _)| value)
}

/// Whether the token is one of the words that stand for a number which is not finite.
pub(super) fn is_not_finite_word(token: &[u8]) -> bool {
    let word = token.strip_prefix(b"-").or_else(|| token.strip_prefix(b"+")).unwrap_or(token);
    [&b"nan"[..], b"inf", b"infinity"].iter().any(|other| word.eq_ignore_ascii_case(other))
}

/// Whether the token stands for a missing value: nothing, `?`, `NA` or `nan`.
pub(super) fn is_missing_word(token: &[u8]) -> bool {
    let word = token.strip_prefix(b"-").or_else(|| token.strip_prefix(b"+")).unwrap_or(token);
    [&b""[..], b"?", b"na"].iter().any(|other| token.eq_ignore_ascii_case(other))
        || word.eq_ignore_ascii_case(b"nan")
}

/// The number in the type `T`, or `None` if it is not finite there.
#[inline(always)]
pub(super) fn fit<T: Float>(value: f64) -> Option<T> {
    Some(T::from_f64(value)).filter(|x| x.is_finite())
}

/// Why the token is no number of type `T`: `what` is its role, as in `a number`.
#[cold]
pub(super) fn fault<T: Float>(token: &[u8], what: &str) -> Fault {
    let expected = match whole(token) {
        Some(value) if value.is_finite() => format!("{what} within the range of {}", T::NAME),
        Some(_) => format!("{what} within the range of float64"),
        None if is_not_finite_word(token) => format!("{what} that is finite"),
        None => what.to_owned(),
    };
    Fault::new(0, expected, shown(token))
}

#[cfg(test)]
mod tests {
    use super::{fault, prefix, whole};
    use crate::testing::fixed_cases;
    use proptest::prelude::*;

    /// The standard library, the oracle, which also takes the words that are refused here.
    fn oracle(text: &str) -> Option<f64> {
        if text.bytes().any(|byte| matches!(byte, b'n' | b'N' | b'i' | b'I')) {
            return None;
        }
        text.parse().ok()
    }

    #[test]
    fn what_is_a_number() {
        for text in [
            "0",
            "-0",
            "+1",
            "1.",
            ".5",
            "-.5e-3",
            "1E5",
            "1e+05",
            "00012.500",
            "9007199254740993",
            "1e22",
            "1e23",
            "123456789012345678901234567890",
            "1e-400",
            "0e999",
            "4.9e-324",
            "2.2250738585072011e-308",
            "",
            "+",
            "-",
            ".",
            "e5",
            "1e",
            "1e+",
            "--1",
            "1.2.3",
            "0x10",
            "1_000",
            "1d5",
            "1 ",
            " 1",
            "nan",
            "inf",
            "1,5",
            "0.1000000000000000055511151231257827021181583404541015625",
            "8.5070591730234615847396907784e37",
        ] {
            assert_eq!(whole(text.as_bytes()).map(f64::to_bits), oracle(text).map(f64::to_bits), "{text}");
        }
        assert_eq!(whole(b"1e999"), Some(f64::INFINITY));
        assert_eq!(prefix(b"7:-2.5e1:3", 2), Some((-25.0, 8)));
        assert_eq!(prefix(b"12,5", 0), Some((12.0, 2)));
    }

    #[test]
    fn faults_name_the_reason() {
        let cases: [(&[u8], &str); 6] = [
            (b"abc", "a number"),
            (b"", "a number"),
            (b"-Inf", "a number that is finite"),
            (b"NaN", "a number that is finite"),
            (b"1e39", "a number within the range of float32"),
            (b"1e999", "a number within the range of float64"),
        ];
        for (token, expected) in cases {
            assert_eq!(fault::<f32>(token, "a number").expected, expected);
        }
    }

    proptest! {
        #![proptest_config(fixed_cases(4096))]

        #[test]
        fn equals_the_standard_library(text in "[-+]?[0-9]{0,22}(\\.[0-9]{0,22})?([eE][-+]?[0-9]{0,3})?") {
            prop_assert_eq!(whole(text.as_bytes()).map(f64::to_bits), oracle(&text).map(f64::to_bits));
        }

        #[test]
        fn any_characters(text in "[-+.eE0-9: n]{0,12}") {
            prop_assert_eq!(whole(text.as_bytes()).map(f64::to_bits), oracle(&text).map(f64::to_bits));
        }

        #[test]
        fn every_float_comes_back(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            for text in [format!("{value}"), format!("{value:e}"), format!("{value:?}"), format!("{value:.6}")] {
                let expected: f64 = text.parse().expect("a float");
                prop_assert_eq!(whole(text.as_bytes()).map(f64::to_bits), Some(expected.to_bits()));
            }
        }
    }
}
