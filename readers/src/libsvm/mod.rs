//! LIBSVM text: `LABEL INDEX:VALUE INDEX:VALUE ...`, one row per line.

mod fast_path;

use crate::error::OptionError;
use crate::float::Float;
use crate::format::{DEFAULT_MAX_FEATURES, Format, MAX_LINE};
use crate::parse_error::{ParseError, ParseResult, quote};
use crate::rows::{SparseRows, with_capacity_of};
use crate::targets::{ParsedTargets, TargetReader, Task};
use crate::{missing, number};

/// Maximum index and maximum number of features.
pub const MAX_FEATURES: usize = (1 << 31) - 1;

/// The LIBSVM format, parsed into [`SparseRows`] of type `T`.
///
/// - Blanks and tabs separate tokens. `#` starts a comment, at the start of a line or after a row.
/// - A label is a number or text without blank, colon, comma and `#`. A row with only a label is all zero. Several
///   labels (`1,2`) and `qid:` are errors. If the task is unlabelled, labels are skipped and may be missing.
/// - Indices start at 1, or at 0 after [`with_zero_based`](Self::with_zero_based). Unsorted indices are sorted; a repeated index is an error.
/// - The maximum index is [`with_n_features`](Self::with_n_features), else
///   [`with_max_features`](Self::with_max_features), by default [`DEFAULT_MAX_FEATURES`].
/// - Explicit zeros and values that round to zero in `T` are dropped. Their indices count for the number of features.
#[derive(Debug, Clone)]
pub struct Libsvm<T> {
    n_features: Option<usize>,
    missing: bool,
    /// 1 if the indices of the text start at 0: added to each index, so that the first feature has index 1.
    offset: u32,
    /// Maximum valid index, counted from 1.
    limit: u64,
    /// Largest index of the complete rows.
    width: usize,
    indptr: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
    /// Scratch for unsorted rows: index, offset in the line, value.
    unsorted: Vec<(u32, usize, T)>,
}

impl<T: Float> Default for Libsvm<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Float> Libsvm<T> {
    /// Creates a format with default options: up to [`DEFAULT_MAX_FEATURES`] features, no missing values.
    #[must_use]
    pub fn new() -> Self {
        Self {
            n_features: None,
            missing: false,
            offset: 0,
            limit: DEFAULT_MAX_FEATURES as u64,
            width: 0,
            indptr: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
            unsorted: Vec::new(),
        }
    }

    /// Specifies the number of features. Larger indices are errors.
    ///
    /// # Errors
    /// [`OptionError`] if it is 0 or above [`MAX_FEATURES`].
    pub fn with_n_features(mut self, n_features: usize) -> Result<Self, OptionError> {
        if n_features == 0 || n_features > MAX_FEATURES {
            let expected = format!("in 1..={MAX_FEATURES}");
            return Err(OptionError::invalid("n_features", expected, n_features));
        }
        self.n_features = Some(n_features);
        self.limit = n_features as u64;
        Ok(self)
    }

    /// Limits the indices if the number of features is not specified.
    ///
    /// # Errors
    /// [`OptionError`] if it is 0 or above [`MAX_FEATURES`].
    pub fn with_max_features(mut self, max_features: usize) -> Result<Self, OptionError> {
        if max_features == 0 || max_features > MAX_FEATURES {
            let expected = format!("in 1..={MAX_FEATURES}");
            return Err(OptionError::invalid("max_features", expected, max_features));
        }
        if self.n_features.is_none() {
            self.limit = max_features as u64;
        }
        Ok(self)
    }

    /// Specifies whether missing values, spelled `?`, `NA` or `nan`, are allowed. They become NaN.
    #[must_use]
    pub fn with_missing(mut self, missing: bool) -> Self {
        self.missing = missing;
        self
    }

    /// Specifies whether indices start at 0 instead of 1.
    #[must_use]
    pub fn with_zero_based(mut self, zero_based: bool) -> Self {
        self.offset = u32::from(zero_based);
        self
    }

    /// Parses the pairs from `start` on into the output. Returns the largest index, or `None` if the pairs are not
    /// sorted.
    #[inline]
    fn parse_sorted(&mut self, line: &[u8], start: usize) -> ParseResult<Option<u32>> {
        let mut pos = start;
        let mut last = 0;
        while let Some((index, value)) = self.parse_pair(line, &mut pos)? {
            if index <= last {
                return Ok(None);
            }
            last = index;
            if value != T::ZERO {
                self.indices.push(index - 1);
                self.values.push(value);
            }
        }
        Ok(Some(last))
    }

    /// Parses the pairs from `start` on and sorts them into the output. Returns the largest index.
    #[cold]
    fn parse_unsorted(&mut self, line: &[u8], start: usize) -> ParseResult<u32> {
        let mut pos = start;
        let mut unsorted = std::mem::take(&mut self.unsorted);
        unsorted.clear();
        let outcome = loop {
            pos = skip_blanks(line, pos);
            let at = pos;
            match self.parse_pair(line, &mut pos) {
                Ok(Some((index, value))) => unsorted.push((index, at, value)),
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        unsorted.sort_unstable_by_key(|&(index, at, _)| (index, at));
        // The leftmost error is reported. Every repeated index is left of the error that ended the loop.
        let repeats = unsorted.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        let repeated = repeats.map(|pair| (pair[1].1, pair[1].0)).min();
        for &(index, _, value) in unsorted.iter().filter(|&&(_, _, value)| value != T::ZERO) {
            self.indices.push(index - 1);
            self.values.push(value);
        }
        let last = unsorted.last().map_or(0, |&(index, ..)| index);
        self.unsorted = unsorted;
        match repeated {
            Some((at, index)) => {
                let got = format!("index {} again", index - self.offset);
                Err(ParseError::new(at, "each index once in a row", got))
            }
            None => outcome.map(|()| last),
        }
    }

    /// Parses one `INDEX:VALUE`. Returns `None` at the end of the row.
    #[inline(always)]
    fn parse_pair(&self, line: &[u8], pos: &mut usize) -> ParseResult<Option<(u32, T)>> {
        let start = skip_blanks(line, *pos);
        if is_end(line, start) {
            return Ok(None);
        }
        let mut colon = start;
        let mut index = 0u64;
        while let Some(digit) =
            line.get(colon).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit <= 9)
        {
            index = index.saturating_mul(10).saturating_add(u64::from(digit));
            colon += 1;
        }
        index = index.saturating_add(u64::from(self.offset));
        if colon == start || line.get(colon) != Some(&b':') || index == 0 || index > self.limit {
            return Err(self.index_error(line, start));
        }
        if let Some((value, end)) = number::parse_prefix(line, colon + 1)
            && (is_blank(line, end) || is_end(line, end))
            && let Some(value) = number::finite_as(value)
        {
            *pos = end;
            return Ok(Some((index as u32, value)));
        }
        let token = token(line, colon + 1);
        if self.missing && !token.is_empty() && missing::is_libsvm_text(token) {
            *pos = colon + 1 + token.len();
            return Ok(Some((index as u32, T::from_f64(f64::NAN))));
        }
        Err(number::parse_error::<T>(token, "a number after the colon").shifted(colon + 1))
    }

    /// The error for a token at `start` without a valid index.
    #[cold]
    fn index_error(&self, line: &[u8], start: usize) -> ParseError {
        let token = token(line, start);
        let Some(colon) = token.iter().position(|&byte| byte == b':') else {
            return ParseError::new(start, "INDEX:VALUE", quote(token));
        };
        let index = &token[..colon];
        if index == b"qid" {
            return ParseError::new(start, "INDEX:VALUE (query ids are not supported)", quote(token));
        }
        if index.is_empty() || !index.iter().all(u8::is_ascii_digit) {
            let first = 1 - self.offset;
            return ParseError::new(
                start,
                format!("INDEX:VALUE with an index from {first} on"),
                quote(token),
            );
        }
        if self.offset == 0 && index.iter().all(|&byte| byte == b'0') {
            return ParseError::new(start, "an index from 1 on", quote(index));
        }
        let most = self.limit - u64::from(self.offset);
        let expected = match self.n_features {
            Some(n_features) => format!("an index of at most {most} for {n_features} features"),
            None => format!("an index of at most {most} (max_features)"),
        };
        ParseError::new(start, expected, quote(index))
    }
}

impl<T: Float> Format for Libsvm<T> {
    type Rows = SparseRows<T>;

    fn parse_line(&mut self, line: &[u8], targets: &mut TargetReader) -> ParseResult<bool> {
        let start = skip_blanks(line, 0);
        if is_end(line, start) {
            return Ok(false);
        }
        let begin = self.indices.len();
        let outcome = parse_label::<T>(line, start, targets).and_then(|pairs| {
            if let Some(last) = self.parse_sorted(line, pairs)? {
                return Ok(last);
            }
            self.indices.truncate(begin);
            self.values.truncate(begin);
            self.parse_unsorted(line, pairs)
        });
        match outcome {
            Ok(last) => {
                self.width = self.width.max(last as usize);
                self.indptr.push(self.indices.len());
                Ok(true)
            }
            Err(error) => {
                self.indices.truncate(begin);
                self.values.truncate(begin);
                Err(error)
            }
        }
    }

    fn fast_path(&mut self, bytes: &[u8], targets: &mut TargetReader) -> (usize, usize) {
        let (mut read, before) = (0, self.indptr.len());
        let mut begin = self.indices.len();
        while let Some((next, last)) = self.fast_line(bytes, read, targets)
            && next - read <= MAX_LINE
        {
            read = next;
            self.width = self.width.max(last as usize);
            begin = self.indices.len();
            self.indptr.push(begin);
            targets.commit();
        }
        self.indices.truncate(begin);
        self.values.truncate(begin);
        targets.rollback(self.indptr.len() - 1);
        (read, self.indptr.len() - before)
    }

    fn take(&mut self, targets: ParsedTargets) -> SparseRows<T> {
        let mut indptr = with_capacity_of(&self.indptr);
        indptr.push(0);
        let (indices, values) = (with_capacity_of(&self.indices), with_capacity_of(&self.values));
        SparseRows {
            indptr: std::mem::replace(&mut self.indptr, indptr),
            indices: std::mem::replace(&mut self.indices, indices),
            values: std::mem::replace(&mut self.values, values),
            n_columns: self.n_columns(),
            targets,
        }
    }

    fn n_columns(&self) -> usize {
        self.n_features.unwrap_or(self.width)
    }
}

/// Parses the label at `start`. Returns the start of the pairs.
#[inline]
fn parse_label<T: Float>(line: &[u8], start: usize, targets: &mut TargetReader) -> ParseResult<usize> {
    let token = token(line, start);
    let end = start + token.len();
    let has_colon = token.contains(&b':');
    if targets.task() == Task::Unlabelled {
        return Ok(if has_colon { start } else { end });
    }
    if has_colon {
        return Err(ParseError::new(start, "a label before the first INDEX:VALUE", quote(token)));
    }
    if token.contains(&b',') {
        return Err(ParseError::new(start, "one label (several to a row are not supported)", quote(token)));
    }
    targets.read::<T>(token).map_err(|error| error.shifted(start))?;
    if line.get(end) == Some(&b'#') && number::parse(token).is_none() {
        return Err(ParseError::new(
            start,
            "a label of text and a blank before the comment",
            quote(&line[start..]),
        ));
    }
    Ok(end)
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
