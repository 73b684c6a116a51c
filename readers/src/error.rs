//! The errors of the crate: invalid options of a parser, and text that cannot be parsed.

use std::borrow::Cow;

/// An invalid option of a parser.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// An option with an invalid value.
    #[error("{name} must be {expected}, got {got}")]
    Invalid {
        /// Name of the option.
        name: &'static str,
        /// The valid values.
        expected: Cow<'static, str>,
        /// The given value.
        got: String,
    },
    /// Labels that were specified after the first bytes had been parsed.
    #[error("the labels must be given before the first bytes")]
    TooLate,
}

impl OptionError {
    /// An option with an invalid value.
    pub(crate) fn invalid(
        name: &'static str,
        expected: impl Into<Cow<'static, str>>,
        got: impl std::fmt::Display,
    ) -> Self {
        Self::Invalid { name, expected: expected.into(), got: got.to_string() }
    }
}

/// The first place in a text file that cannot be parsed: `NAME:LINE:COLUMN: expected ..., got ...`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}:{line}:{column}: expected {expected}, got {got}")]
pub struct TextError {
    /// Name of the file, as passed to the parser.
    pub name: String,
    /// One-based line.
    pub line: u64,
    /// One-based column in bytes; a byte order mark is not counted.
    pub column: u64,
    /// The text that is valid at this place.
    pub expected: Cow<'static, str>,
    /// The text found there, clipped and escaped.
    pub got: String,
}
