//! The fields of a line of CSV (RFC 4180, one row per line).

use crate::error::{Expected, TextError};
use std::borrow::Cow;

/// What separates two fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delimiter {
    /// One byte of ASCII.
    Byte(u8),
    /// Any number of spaces and tabs.
    Blanks,
}

impl Delimiter {
    /// Whether a byte ends a field that is not quoted.
    fn ends(self, byte: u8) -> bool {
        match self {
            Self::Byte(delimiter) => byte == delimiter,
            Self::Blanks => matches!(byte, b' ' | b'\t'),
        }
    }

    /// The first byte from `pos` on that is no blank around a field.
    #[inline(always)]
    pub(crate) fn skip_blanks(self, line: &[u8], mut pos: usize) -> usize {
        while let Some(b' ' | b'\t') = line.get(pos)
            && Self::Byte(line[pos]) != self
        {
            pos += 1;
        }
        pos
    }

    /// Where the next field starts, after the blanks behind a field that ends at `end`: `Some(None)` at the end of the
    /// line, `None` if something else than a delimiter follows.
    #[inline(always)]
    #[expect(clippy::option_option, reason = "no next field is not an error")]
    pub(crate) fn next(self, line: &[u8], end: usize) -> Option<Option<usize>> {
        let stop = self.skip_blanks(line, end);
        match (line.get(stop), self) {
            (None, _) => Some(None),
            (Some(_), Self::Blanks) => (stop > end).then_some(Some(stop)),
            (Some(&byte), Self::Byte(delimiter)) => (byte == delimiter).then_some(Some(stop + 1)),
        }
    }
}

/// A field of a line.
pub(crate) struct Field<'a> {
    pub(crate) start: usize,
    /// The content, without blanks and quotes around it.
    pub(crate) text: Cow<'a, [u8]>,
    /// Where the next field starts, if there is one.
    pub(crate) next: Option<usize>,
}

/// Reads the field from `pos` on.
pub(crate) fn read(line: &[u8], pos: usize, delimiter: Delimiter) -> Result<Field<'_>, TextError> {
    let start = delimiter.skip_blanks(line, pos);
    let quotes = |at: usize| TextError::new(at, Expected::Quotes, &line[at..]);
    if line.get(start) == Some(&b'"') {
        let (text, end) = quoted(line, start + 1).ok_or_else(|| quotes(start))?;
        let next = delimiter.next(line, end).ok_or_else(|| quotes(start))?;
        return Ok(Field { start, text, next });
    }
    let rest = &line[start..];
    let length = rest.iter().position(|&byte| delimiter.ends(byte) || byte == b'"').unwrap_or(rest.len());
    let end = start + length;
    if line.get(end) == Some(&b'"') {
        return Err(quotes(end));
    }
    let text = Cow::Borrowed(rest[..length].trim_ascii_end());
    Ok(Field { start, text, next: delimiter.next(line, end).expect("it ends at a delimiter") })
}

/// The content of a field from its opening quote on, with single quotes for doubled ones, and the end of the field.
fn quoted(line: &[u8], start: usize) -> Option<(Cow<'_, [u8]>, usize)> {
    let mut text = Cow::Borrowed(&line[start..start]);
    let mut from = start;
    loop {
        let end = from + memchr::memchr(b'"', &line[from..])?;
        if line.get(end + 1) == Some(&b'"') {
            text.to_mut().extend_from_slice(&line[from..=end]);
            from = end + 2;
        } else if text.is_empty() {
            return Some((Cow::Borrowed(&line[from..end]), end + 1));
        } else {
            text.to_mut().extend_from_slice(&line[from..end]);
            return Some((text, end + 1));
        }
    }
}

/// Reads all fields of a line.
pub(crate) fn read_all(line: &[u8], delimiter: Delimiter) -> Result<Vec<Field<'_>>, TextError> {
    let mut fields = vec![read(line, 0, delimiter)?];
    while let Some(next) = fields.last().and_then(|field| field.next) {
        fields.push(read(line, next, delimiter)?);
    }
    Ok(fields)
}
