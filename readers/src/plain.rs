//! Lines without anything unusual, read where they stand: their ends are found by reading them.

/// Where the word at `start` ends: at a blank, a line end, or where `ends` says so; `None` of no word, and at the end
/// of the bytes.
#[inline(always)]
pub(super) fn word(bytes: &[u8], start: usize, ends: impl Fn(u8) -> bool) -> Option<usize> {
    let mut pos = start;
    loop {
        let byte = *bytes.get(pos)?;
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') || ends(byte) {
            return (pos > start).then_some(pos);
        }
        pos += 1;
    }
}

/// Where the line starts that is behind the line end at `pos`; `None` if there is no line end.
#[inline(always)]
pub(super) fn line_end(bytes: &[u8], pos: usize) -> Option<usize> {
    match *bytes.get(pos)? {
        b'\n' => Some(pos + 1),
        b'\r' if bytes.get(pos + 1) == Some(&b'\n') => Some(pos + 2),
        _ => None,
    }
}
