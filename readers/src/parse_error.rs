//! [`ParseError`], an error within a line, and [`quote`], which quotes text in messages.

use std::borrow::Cow;
use std::fmt::Write;

/// Maximum number of characters that a message quotes.
const MAX_QUOTED: usize = 40;

/// The result of parsing a line or a part of it.
pub type ParseResult<T> = std::result::Result<T, ParseError>;

/// A position in a line that cannot be parsed. The parser adds file and line and makes it a
/// [`TextError`](crate::TextError).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// Zero-based byte offset in the line.
    pub offset: usize,
    /// A description of the valid text.
    pub expected: Cow<'static, str>,
    /// The text found there: the output of [`quote`], or a description.
    pub got: String,
}

impl ParseError {
    /// Creates an error at a byte offset of the line.
    pub fn new(offset: usize, expected: impl Into<Cow<'static, str>>, got: impl Into<String>) -> Self {
        Self { offset, expected: expected.into(), got: got.into() }
    }

    /// Moves the error to the right. Turns an offset within a token into an offset within the line.
    #[must_use]
    pub fn shifted(mut self, by: usize) -> Self {
        self.offset += by;
        self
    }
}

/// Quotes text in backticks for a message. Escapes control characters and invalid UTF-8, and cuts after 40 characters.
/// Empty text becomes `nothing`, without backticks.
#[must_use]
pub fn quote(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "nothing".to_owned();
    }
    let mut out = String::from("`");
    let mut room = MAX_QUOTED;
    let mut append = |piece: &str| {
        let width = piece.chars().count();
        if width > room {
            out.push_str("...");
            return false;
        }
        room -= width;
        out.push_str(piece);
        true
    };
    // Forty characters have at most 160 bytes, so a character cut in two at the end of this slice is never appended.
    let start = &bytes[..bytes.len().min(4 * MAX_QUOTED + 4)];
    let mut piece = String::new();
    'clipped: for chunk in start.utf8_chunks() {
        for c in chunk.valid().chars() {
            piece.clear();
            if c.is_control() {
                piece.extend(c.escape_default());
            } else {
                piece.push(c);
            }
            if !append(&piece) {
                break 'clipped;
            }
        }
        for byte in chunk.invalid() {
            piece.clear();
            write!(piece, "\\x{byte:02x}").expect("writing to a string does not fail");
            if !append(&piece) {
                break 'clipped;
            }
        }
    }
    out.push('`');
    out
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn text_is_clipped_and_escaped() {
        let forty = "a".repeat(40);
        let cases: [(&[u8], String); 8] = [
            (b"", "nothing".into()),
            (b"abc", "`abc`".into()),
            (b"a\tb\0", "`a\\tb\\u{0}`".into()),
            (b"\xff\xfe1", "`\\xff\\xfe1`".into()),
            ("é€".as_bytes(), "`é€`".into()),
            (forty.as_bytes(), format!("`{forty}`")),
            (&[b'a'; 41], format!("`{forty}...`")),
            (&[b'\xf0'; 1000], format!("`{}...`", "\\xf0".repeat(10))),
        ];
        for (bytes, expected) in cases {
            assert_eq!(quote(bytes), expected);
        }
        // Four-byte characters: the examined slice does not cut a quoted character in two.
        let wide = "\u{1f600}".repeat(300);
        assert_eq!(quote(wide.as_bytes()), format!("`{}...`", "\u{1f600}".repeat(40)));
        let shifted = format!("a{wide}");
        assert_eq!(quote(shifted.as_bytes()), format!("`a{}...`", "\u{1f600}".repeat(39)));
    }
}
