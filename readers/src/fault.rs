//! What is wrong in a line, before the file and the line number are known, and how text is shown in messages.

use std::borrow::Cow;
use std::fmt::Write;

/// Characters of the offending text that a message shows.
const SHOWN: usize = 40;

/// What a line or a part of it gave, or why it was refused.
pub type Verdict<T> = std::result::Result<T, Fault>;

/// Something in a line that cannot be read: the parser adds the name of the file and the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Zero-based byte offset in the line.
    pub at: usize,
    /// What would have been legal there.
    pub expected: Cow<'static, str>,
    /// What is there: the output of [`shown`], or a description.
    pub got: String,
}

impl Fault {
    /// A fault at a byte offset of the line.
    pub fn new(at: usize, expected: impl Into<Cow<'static, str>>, got: impl Into<String>) -> Self {
        Self { at, expected: expected.into(), got: got.into() }
    }

    /// The same fault, further right in the line: a token's own faults count from its start.
    #[must_use]
    pub fn moved(mut self, by: usize) -> Self {
        self.at += by;
        self
    }
}

/// The bytes between backticks: at most 40 characters, control characters and bytes that are not UTF-8 escaped.
/// No bytes at all are `nothing`.
#[must_use]
pub fn shown(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "nothing".to_owned();
    }
    let mut out = String::from("`");
    let mut room = SHOWN;
    let mut put = |piece: &str| {
        let width = piece.chars().count();
        if width > room {
            out.push_str("...");
            return false;
        }
        room -= width;
        out.push_str(piece);
        true
    };
    // Forty characters are at most 160 bytes: a character cut in two at the end of this slice is never shown.
    let head = &bytes[..bytes.len().min(4 * SHOWN + 4)];
    let mut piece = String::new();
    'clipped: for chunk in head.utf8_chunks() {
        for c in chunk.valid().chars() {
            piece.clear();
            if c.is_control() {
                piece.extend(c.escape_default());
            } else {
                piece.push(c);
            }
            if !put(&piece) {
                break 'clipped;
            }
        }
        for byte in chunk.invalid() {
            piece.clear();
            write!(piece, "\\x{byte:02x}").expect("writing to a string does not fail");
            if !put(&piece) {
                break 'clipped;
            }
        }
    }
    out.push('`');
    out
}

#[cfg(test)]
mod tests {
    use super::shown;

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
            assert_eq!(shown(bytes), expected);
        }
        // Four-byte characters: the slice that is looked at ends in the middle of none that is shown.
        let wide = "\u{1f600}".repeat(300);
        assert_eq!(shown(wide.as_bytes()), format!("`{}...`", "\u{1f600}".repeat(40)));
        let shifted = format!("a{wide}");
        assert_eq!(shown(shifted.as_bytes()), format!("`a{}...`", "\u{1f600}".repeat(39)));
    }
}
