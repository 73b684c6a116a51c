//! Detection of a header.

use crate::fields::Field;
use crate::parse_error::{ParseError, ParseResult, quote};

/// Returns true if the features of the first line are names, and not numbers.
pub(super) fn looks_like_header<I: Iterator<Item = Field>>(
    line: &[u8],
    is_missing: impl Fn(&[u8]) -> bool,
    is_number: impl Fn(&[u8]) -> bool,
    features: impl Fn() -> I,
) -> ParseResult<bool> {
    let texts = || features().map(|field| (field, field.raw(line)));
    match texts().find(|(_, text)| !is_missing(text) && !is_number(text)) {
        Some((field, text)) if texts().any(|(_, text)| is_number(text)) => {
            let expected = "a number, or a statement that the first line is a header";
            Err(ParseError::new(field.start, expected, quote(text)))
        }
        text => Ok(text.is_some()),
    }
}
