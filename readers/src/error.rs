//! [`TextError`]: the first place in a text that cannot be read, as data.

use std::fmt::{self, Write};

/// The largest number of characters that an error quotes.
const MAX_QUOTED: usize = 40;

/// The largest number of bytes of a line, without its line feed: 16 MiB.
pub const MAX_LINE: usize = 1 << 24;

/// What a reader expected at the place of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// A number.
    Number,
    /// A number in the range of a float type.
    Range(&'static str),
    /// A label or target; it must not be missing.
    Target,
    /// A label in the first place of a line of LIBSVM text.
    Label,
    /// This number of fields.
    Fields(usize),
    /// Quotes around a whole field, which end in the line.
    Quotes,
    /// Text in UTF-8.
    Utf8,
    /// A line of at most [`MAX_LINE`](MAX_LINE) bytes.
    ShortLine,
    /// `INDEX:VALUE` with an index from this one on.
    Pair(u32),
    /// An index from this one on.
    Index(u32),
    /// An index of at most this.
    MaxIndex(u64),
    /// An index that the row does not have yet.
    NewIndex,
}

impl Expected {
    /// A name by which programs tell errors apart.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Range(_) => "range",
            Self::Target => "target",
            Self::Label => "label",
            Self::Fields(_) => "fields",
            Self::Quotes => "quotes",
            Self::Utf8 => "utf8",
            Self::ShortLine => "line",
            Self::Pair(_) => "pair",
            Self::Index(_) => "index",
            Self::MaxIndex(_) => "max_index",
            Self::NewIndex => "new_index",
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number => f.write_str("a number"),
            Self::Range(float) => write!(f, "a number within the range of {float}"),
            Self::Target => f.write_str("a label or target"),
            Self::Label => f.write_str("one label before the first INDEX:VALUE"),
            Self::Fields(count) => write!(f, "{count} fields"),
            Self::Quotes => f.write_str("quotes around a whole field that end in the same line"),
            Self::Utf8 => f.write_str("text in UTF-8"),
            Self::ShortLine => write!(f, "a line of at most {MAX_LINE} bytes"),
            Self::Pair(first) => write!(f, "INDEX:VALUE with an index from {first} on"),
            Self::Index(first) => write!(f, "an index from {first} on"),
            Self::MaxIndex(most) => write!(f, "an index of at most {most}"),
            Self::NewIndex => f.write_str("each index once in a row"),
        }
    }
}

/// The first place in a text that cannot be read: `LINE:COLUMN: expected ..., got ...`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: expected {expected}, got {}", quoted(got))]
pub struct TextError {
    /// The line, from 1 on.
    pub line: u64,
    /// The byte in the line, from 1 on; a byte order mark does not count.
    pub column: usize,
    /// The field of CSV, from 0 on, if the error is about one.
    pub field: Option<usize>,
    /// What is valid at this place.
    pub expected: Expected,
    /// What is there: text, escaped and cut after 40 characters.
    pub got: String,
}

impl TextError {
    /// The error about the text from a byte of a line on. The reader knows the line.
    pub(crate) fn new(offset: usize, expected: Expected, got: &[u8]) -> Self {
        Self { line: 0, column: offset + 1, field: None, expected, got: clipped(got) }
    }

    pub(crate) fn in_field(self, field: usize) -> Self {
        Self { field: Some(field), ..self }
    }
}

fn quoted(got: &str) -> String {
    if got.is_empty() { "nothing".to_owned() } else { format!("`{got}`") }
}

/// Text with escaped control characters and invalid bytes, cut after 40 characters.
fn clipped(bytes: &[u8]) -> String {
    let mut text = String::new();
    // The characters of the result have at most 160 bytes.
    for chunk in bytes[..bytes.len().min(4 * MAX_QUOTED + 4)].utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() { text.extend(c.escape_default()) } else { text.push(c) }
        }
        for byte in chunk.invalid() {
            write!(text, "\\x{byte:02x}").expect("writing to a string does not fail");
        }
    }
    if let Some((end, _)) = text.char_indices().nth(MAX_QUOTED) {
        text.truncate(end);
        text.push_str("...");
    }
    text
}
