//! The labels that were looked up last.

/// Short tokens that were looked up, and their labels: looking one up again costs next to nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Recent([(u64, u32); 16]);

impl Recent {
    /// The bytes of a token of 1 to 7 and their number; none of them is 0.
    #[inline]
    fn key(token: &[u8]) -> Option<u64> {
        let bytes = || token.iter().fold(token.len() as u64, |key, &byte| key << 8 | u64::from(byte));
        (1..=7).contains(&token.len()).then(bytes)
    }

    /// Where the token is kept.
    #[inline]
    fn place(key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60) as usize
    }

    /// The label of a token, if it is kept.
    #[inline]
    pub(super) fn find(&self, token: &[u8]) -> Option<u32> {
        let key = Self::key(token)?;
        let (found, label) = self.0[Self::place(key)];
        (found == key).then_some(label)
    }

    /// Keeps the label of a token, and drops another one that stood in its place.
    pub(super) fn add(&mut self, token: &[u8], label: u32) {
        if let Some(key) = Self::key(token) {
            self.0[Self::place(key)] = (key, label);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Recent;

    #[test]
    fn what_is_kept_is_found_and_nothing_else() {
        let mut recent = Recent::default();
        let tokens: Vec<Vec<u8>> = [&b""[..], b"\0", b"\0\0", b"1", b"01", b"-1", b"1234567", b"12345678"]
            .into_iter()
            .map(<[u8]>::to_vec)
            .chain((0..=u8::MAX).map(|byte| vec![b'x', byte]))
            .collect();
        for (label, token) in (0..).zip(&tokens) {
            assert_eq!(recent.find(token), None, "{token:?}");
            recent.add(token, label);
            let is_short = (1..=7).contains(&token.len());
            assert_eq!(recent.find(token), is_short.then_some(label), "{token:?}");
        }
        for (label, token) in (0..).zip(&tokens) {
            assert!(recent.find(token).is_none_or(|found| found == label), "{token:?}");
        }
    }
}
