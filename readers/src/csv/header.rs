//! Detection of a header.

use crate::fields::Field;
use crate::number;
use crate::parse_error::{ParseError, ParseResult, quote};

/// Returns true if the features of the first line are names, and not numbers.
pub(super) fn looks_like_header<I: Iterator<Item = Field>>(
    line: &[u8],
    missing: bool,
    features: impl Fn() -> I,
) -> ParseResult<bool> {
    let is_number = |field: Field| {
        let content = field.raw(line);
        number::parse(content).is_some() || number::is_not_finite_word(content)
    };
    let is_missing = |field: Field| field.is_empty() || missing && number::is_missing_word(field.raw(line));
    match features().find(|&field| !is_missing(field) && !is_number(field)) {
        Some(text) if features().any(is_number) => {
            let expected = "a number, or a statement that the first line is a header";
            Err(ParseError::new(text.start, expected, quote(text.raw(line))))
        }
        text => Ok(text.is_some()),
    }
}
