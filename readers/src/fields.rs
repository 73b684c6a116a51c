//! The fields of a CSV line (RFC 4180, one record per line).

use crate::parse_error::{ParseError, ParseResult, quote};
use std::borrow::Cow;

/// The position of a field in its line: `start..end` without surrounding blanks and quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) start: usize,
    pub(super) end: usize,
    quoted: bool,
    /// Start of the next field, if there is one.
    pub(super) next: Option<usize>,
}

impl Field {
    /// The bytes of the line, with doubled quotes.
    pub(super) fn raw(self, line: &[u8]) -> &[u8] {
        &line[self.start..self.end]
    }

    /// The content, copied only if it contains doubled quotes.
    pub(super) fn text(self, line: &[u8]) -> Cow<'_, [u8]> {
        let raw = self.raw(line);
        if !self.quoted || !raw.contains(&b'"') {
            return Cow::Borrowed(raw);
        }
        let mut text = Vec::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(quote) = rest.iter().position(|&byte| byte == b'"') {
            text.extend_from_slice(&rest[..=quote]);
            rest = &rest[quote + 2..];
        }
        text.extend_from_slice(rest);
        Cow::Owned(text)
    }

    /// Returns true if the field has no content.
    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// Parses the field that starts at `pos`, which must not exceed the length of the line.
pub(super) fn parse(line: &[u8], pos: usize, delimiter: u8) -> ParseResult<Field> {
    let start = skip_blanks(line, pos, delimiter);
    if line.get(start) == Some(&b'"') {
        return parse_quoted(line, start, delimiter);
    }
    let rest = &line[start..];
    let length = rest.iter().position(|&byte| byte == delimiter || byte == b'"');
    let stop = start + length.unwrap_or(rest.len());
    if line.get(stop) == Some(&b'"') {
        return Err(ParseError::new(stop, "quotes around a whole field", quote(&line[stop..])));
    }
    let content = &line[start..stop];
    let trailing = content.iter().rev().take_while(|&&byte| is_blank(byte, delimiter)).count();
    Ok(Field { start, end: stop - trailing, quoted: false, next: next_start(line, stop) })
}

/// Parses the field whose opening quote is at `open`.
fn parse_quoted(line: &[u8], open: usize, delimiter: u8) -> ParseResult<Field> {
    let start = open + 1;
    let mut end = start;
    loop {
        match line[end..].iter().position(|&byte| byte == b'"') {
            Some(length) if line.get(end + length + 1) == Some(&b'"') => end += length + 2,
            Some(length) => {
                end += length;
                break;
            }
            None => {
                let expected = "a closing quote in this line (line breaks within quotes are not supported)";
                return Err(ParseError::new(open, expected, quote(&line[open..])));
            }
        }
    }
    let stop = skip_blanks(line, end + 1, delimiter);
    match line.get(stop) {
        Some(&byte) if byte != delimiter => {
            Err(ParseError::new(stop, "the delimiter after a closing quote", quote(&line[stop..])))
        }
        _ => Ok(Field { start, end, quoted: true, next: next_start(line, stop) }),
    }
}

/// Parses all fields of a line.
pub(super) fn parse_all(line: &[u8], delimiter: u8) -> ParseResult<Vec<Field>> {
    let mut fields = vec![parse(line, 0, delimiter)?];
    while let Some(next) = fields.last().and_then(|field| field.next) {
        fields.push(parse(line, next, delimiter)?);
    }
    Ok(fields)
}

/// Start of the field after the delimiter at `stop`. Returns `None` if `stop` is the end of the line.
#[inline(always)]
pub(super) fn next_start(line: &[u8], stop: usize) -> Option<usize> {
    (stop < line.len()).then_some(stop + 1)
}

/// Returns true for blanks and tabs, except the delimiter.
#[inline(always)]
fn is_blank(byte: u8, delimiter: u8) -> bool {
    matches!(byte, b' ' | b'\t') && byte != delimiter
}

/// Position of the first byte from `pos` on that is not blank.
#[inline(always)]
pub(super) fn skip_blanks(line: &[u8], mut pos: usize, delimiter: u8) -> usize {
    while line.get(pos).is_some_and(|&byte| is_blank(byte, delimiter)) {
        pos += 1;
    }
    pos
}

#[cfg(test)]
mod tests {
    use super::{ParseResult, parse_all};

    fn texts(line: &str, delimiter: u8) -> ParseResult<Vec<String>> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("cut at ASCII bytes");
        Ok(parse_all(line.as_bytes(), delimiter)?
            .iter()
            .map(|field| text(&field.text(line.as_bytes())))
            .collect())
    }

    #[test]
    fn lines_are_split() {
        let cases: [(&str, u8, &[&str]); 12] = [
            ("", b',', &[""]),
            (",", b',', &["", ""]),
            ("1,2", b',', &["1", "2"]),
            (" 1 ,\t2 3\t", b',', &["1", "2 3"]),
            ("1\t\t 2", b'\t', &["1", "", "2"]),
            ("1 2", b' ', &["1", "2"]),
            (r#""a,b","c""#, b',', &["a,b", "c"]),
            (r#" " a " , 1"#, b',', &[" a ", "1"]),
            (r#""say ""hi""","""""#, b',', &["say \"hi\"", "\""]),
            (r#""",1"#, b',', &["", "1"]),
            (r#"1,"""#, b',', &["1", ""]),
            ("1;2,5;", b';', &["1", "2,5", ""]),
        ];
        for (line, delimiter, expected) in cases {
            let expected = expected.iter().map(|&text| text.to_owned()).collect();
            assert_eq!(texts(line, delimiter), Ok(expected), "{line}");
        }
    }
}
