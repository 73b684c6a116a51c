//! Names as users spell them.

/// Whether a name is that name as a user may spell it, with `-` or `_`.
pub(crate) fn is_spelling_of(name: &str, spelled: &str) -> bool {
    let plain = |c: u8| if c == b'_' { b'-' } else { c };
    name.bytes().map(plain).eq(spelled.bytes().map(plain))
}
