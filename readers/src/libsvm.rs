//! LIBSVM text: `LABEL INDEX:VALUE INDEX:VALUE ...`, one row per line.

use crate::error::{Expected, TextError};
use crate::number;
use crate::rows::{Rows, Target};

/// The largest number of features.
pub const MAX_FEATURES: u64 = (1 << 31) - 1;

/// The LIBSVM format.
///
/// - Blanks and tabs separate tokens. `#` starts a comment, at the start of a line or after a row.
/// - A label is a number or text without blank, colon, comma and `#`. A row with only a label is all zero. Several labels
///   (`1,2`) and `qid:` are errors. If the task is unlabelled, labels are skipped and may be missing.
/// - Unsorted indices are sorted; a repeated index is an error.
/// - Missing values are `?`, `NA` and `nan`: NaN.
/// - Explicit zeros and values that round to zero are dropped. Their indices count for the number of features.
#[derive(Debug, Clone)]
pub struct Libsvm {
    /// The first index: 0 or 1.
    pub first: u32,
    /// The largest number of features, up to [`MAX_FEATURES`].
    pub max_features: u64,
    /// The number of features: at least the largest index so far.
    pub n_features: u64,
}

impl Default for Libsvm {
    fn default() -> Self {
        Self { first: 1, max_features: MAX_FEATURES, n_features: 0 }
    }
}

impl Libsvm {
    /// Reads a line; returns whether it is a row.
    pub(crate) fn read_line(&mut self, line: &[u8], rows: &mut Rows) -> Result<bool, TextError> {
        let mut pos = skip_blanks(line, 0);
        if is_end(line, pos) {
            return Ok(false);
        }
        pos = read_label(line, pos, &mut rows.target)?;
        let begin = rows.indices.len();
        let mut last = -1;
        let mut is_sorted = true;
        loop {
            pos = skip_blanks(line, pos);
            if is_end(line, pos) {
                break;
            }
            let (feature, value, end) = self.read_pair(line, pos)?;
            is_sorted &= i64::from(feature) > last;
            last = i64::from(feature);
            self.n_features = self.n_features.max(u64::from(feature) + 1);
            // Zeros of an unsorted row stay until repeated indices are found.
            if !is_sorted {
                return self.read_unsorted(line, begin, rows);
            }
            push(rows, line, (feature, pos, value))?;
            pos = end;
        }
        rows.indptr.push(rows.indices.len() as i64);
        Ok(true)
    }

    /// Reads the pairs of a row again, whose first value is at `begin`, and sorts them.
    #[cold]
    fn read_unsorted(&mut self, line: &[u8], begin: usize, rows: &mut Rows) -> Result<bool, TextError> {
        let mut pos = skip_blanks(line, 0);
        let label = token(line, pos);
        pos += if label.contains(&b':') { 0 } else { label.len() };
        let mut pairs: Vec<(u32, usize, f64)> = Vec::new();
        loop {
            pos = skip_blanks(line, pos);
            if is_end(line, pos) {
                break;
            }
            let (feature, value, end) = self.read_pair(line, pos)?;
            self.n_features = self.n_features.max(u64::from(feature) + 1);
            pairs.push((feature, pos, value));
            pos = end;
        }
        pairs.sort_unstable_by_key(|&(feature, at, _)| (feature, at));
        let repeated = pairs.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1).min();
        if let Some(at) = repeated {
            return Err(TextError::new(at, Expected::NewIndex, token(line, at)));
        }
        rows.restart_row(begin);
        for pair in pairs {
            push(rows, line, pair)?;
        }
        rows.indptr.push(rows.indices.len() as i64);
        Ok(true)
    }

    /// Reads `INDEX:VALUE`: the feature from 0 on, the value, and the position after it.
    #[inline(always)]
    fn read_pair(&self, line: &[u8], start: usize) -> Result<(u32, f64, usize), TextError> {
        let mut colon = start;
        let mut index = 0u64;
        while let Some(digit) =
            line.get(colon).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit <= 9)
        {
            index = index.saturating_mul(10).saturating_add(u64::from(digit));
            colon += 1;
        }
        let feature = index.wrapping_sub(u64::from(self.first));
        if colon == start || line.get(colon) != Some(&b':') || feature >= self.max_features {
            return Err(self.index_error(line, start));
        }
        if let Some((value, end)) = number::prefix(line, colon + 1)
            && (is_end(line, end) || is_blank(line, end))
        {
            return Ok((feature as u32, value, end));
        }
        let text = token(line, colon + 1);
        let end = colon + 1 + text.len();
        if number::is_missing_in_libsvm(text) {
            return Ok((feature as u32, f64::NAN, end));
        }
        number::finite(text, b'.', colon + 1).map(|value| (feature as u32, value, end))
    }

    /// The error about a token without a valid index.
    #[cold]
    fn index_error(&self, line: &[u8], start: usize) -> TextError {
        let text = token(line, start);
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let expected = if digits == 0 || text.get(digits) != Some(&b':') {
            Expected::Pair(self.first)
        } else if text[..digits].iter().all(|&byte| byte == b'0') {
            Expected::Index(self.first)
        } else {
            Expected::MaxIndex(self.max_features - 1 + u64::from(self.first))
        };
        TextError::new(start, expected, text)
    }
}

/// Appends the value of a feature, which was read at `at`, unless it is zero.
#[inline(always)]
fn push(rows: &mut Rows, line: &[u8], (feature, at, value): (u32, usize, f64)) -> Result<(), TextError> {
    if let Some(is_finite) = rows.values.push_nonzero(value) {
        rows.indices.push(feature as i32);
        if !is_finite {
            return Err(TextError::new(at, Expected::Range(rows.values.name()), token(line, at)));
        }
    }
    Ok(())
}

/// The number of features of lines of LIBSVM text: their largest index, counted from `first`. Other text than pairs does not
/// count.
#[must_use]
pub fn width(text: &[u8], first: u32) -> u64 {
    let mut width = 0;
    for line in text.split(|&byte| byte == b'\n') {
        let row = &line[..memchr::memchr(b'#', line).unwrap_or(line.len())];
        for colon in memchr::memchr_iter(b':', row) {
            let digits = row[..colon].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            let index = row[colon - digits..colon]
                .iter()
                .fold(0u64, |index, digit| index.saturating_mul(10).saturating_add(u64::from(digit - b'0')));
            width = width.max((index + 1).saturating_sub(u64::from(first)));
        }
    }
    width
}

/// Reads the label that starts at `start`. Returns where it ends.
fn read_label(line: &[u8], start: usize, target: &mut Target) -> Result<usize, TextError> {
    let text = token(line, start);
    let is_label = !text.contains(&b':');
    let error = |expected| TextError::new(start, expected, text);
    match target {
        Target::None => return Ok(start + if is_label { text.len() } else { 0 }),
        _ if !is_label || text.contains(&b',') => return Err(error(Expected::Label)),
        _ if number::is_missing_in_libsvm(text) => return Err(error(Expected::Target)),
        Target::Labels(labels) => labels.push(std::str::from_utf8(text).map_err(|_| error(Expected::Utf8))?),
        Target::Numbers(numbers) => {
            numbers.push(number::finite(text, b'.', start).map_err(|_| error(Expected::Target))?);
        }
    }
    Ok(start + text.len())
}

/// The token at `start`, up to the next blank, the comment or the end of the line.
fn token(line: &[u8], start: usize) -> &[u8] {
    let rest = &line[start..];
    &rest[..rest.iter().position(|byte| matches!(byte, b' ' | b'\t' | b'#')).unwrap_or(rest.len())]
}

#[inline(always)]
fn skip_blanks(line: &[u8], mut pos: usize) -> usize {
    while is_blank(line, pos) {
        pos += 1;
    }
    pos
}

#[inline(always)]
fn is_blank(line: &[u8], pos: usize) -> bool {
    matches!(line.get(pos), Some(b' ' | b'\t'))
}

#[inline(always)]
fn is_end(line: &[u8], pos: usize) -> bool {
    matches!(line.get(pos), None | Some(b'#'))
}
