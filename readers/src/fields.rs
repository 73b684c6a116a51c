//! The fields of a CSV line (RFC 4180, one record per line).

use super::fault::{Fault, Verdict, shown};
use std::borrow::Cow;

/// A field: where its content stands in the line. Blanks around it are not content, those within quotes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) start: usize,
    pub(super) end: usize,
    quoted: bool,
    /// Where the next field starts, if there is one.
    pub(super) next: Option<usize>,
}

impl Field {
    /// The content as it stands in the line, doubled quotes and all.
    pub(super) fn raw(self, line: &[u8]) -> &[u8] {
        &line[self.start..self.end]
    }

    /// The content that is meant. Copied only if there are doubled quotes in it.
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

    /// Whether nothing stands in the field.
    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// The field that starts at `pos`, which is at most the length of the line.
pub(super) fn split(line: &[u8], pos: usize, delimiter: u8) -> Verdict<Field> {
    let start = skip_blanks(line, pos, delimiter);
    if line.get(start) == Some(&b'"') {
        return quoted(line, start, delimiter);
    }
    let rest = &line[start..];
    let length = rest.iter().position(|&byte| byte == delimiter || byte == b'"');
    let stop = start + length.unwrap_or(rest.len());
    if line.get(stop) == Some(&b'"') {
        return Err(Fault::new(stop, "quotes around a whole field", shown(&line[stop..])));
    }
    let content = &line[start..stop];
    let trailing = content.iter().rev().take_while(|&&byte| is_blank(byte, delimiter)).count();
    Ok(Field { start, end: stop - trailing, quoted: false, next: behind(line, stop) })
}

fn quoted(line: &[u8], quote: usize, delimiter: u8) -> Verdict<Field> {
    let start = quote + 1;
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
                return Err(Fault::new(quote, expected, shown(&line[quote..])));
            }
        }
    }
    let stop = skip_blanks(line, end + 1, delimiter);
    match line.get(stop) {
        Some(&byte) if byte != delimiter => {
            Err(Fault::new(stop, "the delimiter after a closing quote", shown(&line[stop..])))
        }
        _ => Ok(Field { start, end, quoted: true, next: behind(line, stop) }),
    }
}

/// All fields of the line.
pub(super) fn all(line: &[u8], delimiter: u8) -> Verdict<Vec<Field>> {
    let mut fields = vec![split(line, 0, delimiter)?];
    while let Some(next) = fields.last().and_then(|field| field.next) {
        fields.push(split(line, next, delimiter)?);
    }
    Ok(fields)
}

/// Where the field behind the delimiter at `stop` starts; `None` at the end of the line.
#[inline(always)]
pub(super) fn behind(line: &[u8], stop: usize) -> Option<usize> {
    (stop < line.len()).then_some(stop + 1)
}

/// Blanks and tabs separate nothing here, unless they are the delimiter.
#[inline(always)]
fn is_blank(byte: u8, delimiter: u8) -> bool {
    matches!(byte, b' ' | b'\t') && byte != delimiter
}

/// The first position from `pos` on that is no blank.
#[inline(always)]
pub(super) fn skip_blanks(line: &[u8], mut pos: usize, delimiter: u8) -> usize {
    while line.get(pos).is_some_and(|&byte| is_blank(byte, delimiter)) {
        pos += 1;
    }
    pos
}

#[cfg(test)]
mod tests {
    use super::{Verdict, all};

    fn texts(line: &str, delimiter: u8) -> Verdict<Vec<String>> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("cut at ASCII bytes");
        Ok(all(line.as_bytes(), delimiter)?.iter().map(|field| text(&field.text(line.as_bytes()))).collect())
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
