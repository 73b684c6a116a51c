//! Scanning for the fast paths, which find the end of a line while they parse it.

/// End of the token at `start`: the position of a blank, a line end or a byte for which `ends` returns true. Returns
/// `None` if the token is empty or reaches the end of the bytes.
#[inline(always)]
pub(super) fn token_end(bytes: &[u8], start: usize, ends: impl Fn(u8) -> bool) -> Option<usize> {
    let mut pos = start;
    loop {
        let byte = *bytes.get(pos)?;
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') || ends(byte) {
            return (pos > start).then_some(pos);
        }
        pos += 1;
    }
}

/// Start of the next line, after the line end at `pos`. Returns `None` if there is no line end at `pos`.
#[inline(always)]
pub(super) fn next_line(bytes: &[u8], pos: usize) -> Option<usize> {
    match *bytes.get(pos)? {
        b'\n' => Some(pos + 1),
        b'\r' if bytes.get(pos + 1) == Some(&b'\n') => Some(pos + 2),
        _ => None,
    }
}
