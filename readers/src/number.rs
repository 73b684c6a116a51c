//! Numbers, and the texts of missing values.

use crate::error::{Expected, TextError};
use std::borrow::Cow;

/// The texts of a missing value in any column of CSV: the texts of `pandas.read_csv`, `?`, `\N`, `na` and signs before
/// `nan`. In a column of numbers they are missing in any case of letters, and so are `-` and `.`.
pub const MISSING: [&str; 24] = [
    "", "?", "\\N", "na", "nan", "+nan", "+NaN", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN",
    "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "null",
];

/// The finite number that starts at `pos`, and the position after it.
#[inline(always)]
pub(crate) fn prefix(text: &[u8], pos: usize) -> Option<(f64, usize)> {
    let (value, length) = fast_float2::parse_partial::<f64, _>(text.get(pos..)?).ok()?;
    value.is_finite().then_some((value, pos + length))
}

/// A text as a number, which may be infinite if it has digits.
fn parse(text: &[u8], decimal: u8) -> Option<f64> {
    let text = if decimal == b'.' {
        Cow::Borrowed(text)
    } else if text.contains(&b'.') {
        return None;
    } else {
        Cow::Owned(text.iter().map(|&byte| if byte == decimal { b'.' } else { byte }).collect())
    };
    let value: f64 = fast_float2::parse(&text).ok()?;
    text.iter().any(u8::is_ascii_digit).then_some(value)
}

/// Whether a text is a number, perhaps one that is too large.
pub(crate) fn is_number(text: &[u8], decimal: u8) -> bool {
    parse(text, decimal).is_some()
}

/// A text as a finite number, or the error about it.
pub(crate) fn finite(text: &[u8], decimal: u8, offset: usize) -> Result<f64, TextError> {
    match parse(text, decimal) {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) => Err(TextError::new(offset, Expected::Range("float64"), text)),
        None => Err(TextError::new(offset, Expected::Number, text)),
    }
}

/// Whether a text is a missing value in a column of numbers.
pub(crate) fn is_missing_number(text: &[u8]) -> bool {
    matches!(text, b"-" | b".") || MISSING.iter().any(|missing| text.eq_ignore_ascii_case(missing.as_bytes()))
}

/// Whether a text is a missing value in a column of categories.
pub(crate) fn is_missing(text: &[u8]) -> bool {
    MISSING.iter().any(|missing| text == missing.as_bytes())
}

/// Whether a text is a missing value in LIBSVM text: `?`, `NA` or `nan`.
pub(crate) fn is_missing_in_libsvm(text: &[u8]) -> bool {
    ["?", "na", "nan", "+nan", "-nan"].iter().any(|missing| text.eq_ignore_ascii_case(missing.as_bytes()))
}
