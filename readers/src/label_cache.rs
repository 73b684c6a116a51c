//! A cache of recently read labels.

/// The indices of short tokens that were read recently: a direct-mapped cache of 16 entries.
///
/// Saves parsing the label and the lookup in a hash map.
#[derive(Debug, Clone, Default)]
pub(super) struct LabelCache([(u64, u32); 16]);

impl LabelCache {
    /// Packs the length and the bytes of a token of 1 to 7 bytes. Never 0, which marks an empty entry.
    #[inline]
    fn key(token: &[u8]) -> Option<u64> {
        let packed = || token.iter().fold(token.len() as u64, |key, &byte| key << 8 | u64::from(byte));
        (1..=7).contains(&token.len()).then(packed)
    }

    /// The entry of a key, by a multiplicative hash.
    #[inline]
    fn entry(key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60) as usize
    }

    /// The label index of a token, if cached.
    #[inline]
    pub(super) fn get(&self, token: &[u8]) -> Option<u32> {
        let key = Self::key(token)?;
        let (found, label) = self.0[Self::entry(key)];
        (found == key).then_some(label)
    }

    /// Caches the label index of a token, in place of another token with the same entry.
    pub(super) fn insert(&mut self, token: &[u8], label: u32) {
        if let Some(key) = Self::key(token) {
            self.0[Self::entry(key)] = (key, label);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LabelCache;

    #[test]
    fn cached_labels_are_found_and_no_others() {
        let mut cache = LabelCache::default();
        let tokens: Vec<Vec<u8>> = [&b""[..], b"\0", b"\0\0", b"1", b"01", b"-1", b"1234567", b"12345678"]
            .into_iter()
            .map(<[u8]>::to_vec)
            .chain((0..=u8::MAX).map(|byte| vec![b'x', byte]))
            .collect();
        for (label, token) in (0..).zip(&tokens) {
            assert_eq!(cache.get(token), None, "{token:?}");
            cache.insert(token, label);
            let is_short = (1..=7).contains(&token.len());
            assert_eq!(cache.get(token), is_short.then_some(label), "{token:?}");
        }
        for (label, token) in (0..).zip(&tokens) {
            assert!(cache.get(token).is_none_or(|found| found == label), "{token:?}");
        }
    }
}
