//! LIBSVM text: `LABEL INDEX:VALUE INDEX:VALUE ...`, one row per line.

mod plain;

use super::fault::{Fault, Verdict, shown};
use super::rows::{SparseRows, fresh};
use super::targets::{LabelKind, ParsedTargets, TargetReader};
use super::{Format, MAX_LINE, number};
use crate::error::OptionError;
use crate::float::Float;

/// Highest index, and most features that can be stated.
pub const MAX_FEATURES: usize = (1 << 31) - 1;
/// Most features while their number is not stated, unless another limit is: one slip of the pen must not ask for a
/// model of gigabytes.
pub const MAX_UNSTATED: usize = 1 << 24;

/// LIBSVM text, read into sparse rows of type `T`.
///
/// - Blanks and tabs separate; `#` starts a comment, on a line of its own or behind a row.
/// - A label is a number or text without blank, colon, comma or `#`. A row of a label alone is all zero. Several
///   labels (`1,2`) and `qid:` are refused. If the task is unlabelled, a label may stand there and is passed over.
/// - Indices count from 1; index 0 is refused. They are sorted if they are not; one that comes twice in a row is
///   refused. So is one above the stated number of features; where it is not stated, above
///   [`with_max_features`](Self::with_max_features), else [`MAX_UNSTATED`].
/// - Zeros that are written out are dropped (also values that round to zero in `T`), so that the values alone say how
///   dense the data are; their indices still count for the width.
#[derive(Debug, Clone)]
pub struct Libsvm<T> {
    n_features: Option<usize>,
    missing: bool,
    /// Highest index that is accepted.
    limit: u64,
    /// Highest index of the complete rows.
    width: usize,
    indptr: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
    /// Scratch of rows that are not in order: index, where it stands in the line, value.
    unsorted: Vec<(u32, usize, T)>,
}

impl<T: Float> Default for Libsvm<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Float> Libsvm<T> {
    /// The number of features is not known.
    #[must_use]
    pub fn new() -> Self {
        Self {
            n_features: None,
            missing: false,
            limit: MAX_UNSTATED as u64,
            width: 0,
            indptr: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
            unsorted: Vec::new(),
        }
    }

    /// States the number of features: indices above it are refused.
    ///
    /// # Errors
    /// When it is 0 or above [`MAX_FEATURES`].
    pub fn with_n_features(mut self, n_features: usize) -> Result<Self, OptionError> {
        if n_features == 0 || n_features > MAX_FEATURES {
            let expected = format!("in 1..={MAX_FEATURES}");
            return Err(OptionError::invalid("n_features", expected, n_features));
        }
        self.n_features = Some(n_features);
        self.limit = n_features as u64;
        Ok(self)
    }

    /// Limits the indices where the number of features is not stated.
    ///
    /// # Errors
    /// When it is 0 or above [`MAX_FEATURES`].
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

    /// States whether features may be missing: written as `?`, `NA` or `nan`, they are NaN then.
    #[must_use]
    pub fn with_missing(mut self, missing: bool) -> Self {
        self.missing = missing;
        self
    }

    /// Reads the pairs from `start` on straight into the output; gives up at the first index that is out of order.
    /// Returns the highest index, or `None` if the row is to be sorted.
    #[inline]
    fn sorted_row(&mut self, line: &[u8], start: usize) -> Verdict<Option<u32>> {
        let mut pos = start;
        let mut last = 0;
        while let Some((index, value)) = self.pair(line, &mut pos)? {
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

    /// Reads the pairs from `start` on, then sorts them; returns the highest index.
    #[cold]
    fn unsorted_row(&mut self, line: &[u8], start: usize) -> Verdict<u32> {
        let mut pos = start;
        let mut unsorted = std::mem::take(&mut self.unsorted);
        unsorted.clear();
        let outcome = loop {
            pos = skip_blanks(line, pos);
            let at = pos;
            match self.pair(line, &mut pos) {
                Ok(Some((index, value))) => unsorted.push((index, at, value)),
                Ok(None) => break Ok(()),
                Err(fault) => break Err(fault),
            }
        };
        unsorted.sort_unstable_by_key(|&(index, at, _)| (index, at));
        // The leftmost fault counts, and a repeated index stands left of whatever ended the reading.
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
                Err(Fault::new(at, "each index once in a row", format!("index {index} again")))
            }
            None => outcome.map(|()| last),
        }
    }

    /// Reads one `INDEX:VALUE`; `None` at the end of the row.
    #[inline(always)]
    fn pair(&self, line: &[u8], pos: &mut usize) -> Verdict<Option<(u32, T)>> {
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
        if colon == start || line.get(colon) != Some(&b':') || index == 0 || index > self.limit {
            return Err(self.bad_index(line, start));
        }
        if let Some((value, end)) = number::prefix(line, colon + 1)
            && (is_blank(line, end) || is_end(line, end))
            && let Some(value) = number::fit(value)
        {
            *pos = end;
            return Ok(Some((index as u32, value)));
        }
        let token = token(line, colon + 1);
        if self.missing && !token.is_empty() && number::is_missing_word(token) {
            *pos = colon + 1 + token.len();
            return Ok(Some((index as u32, T::from_f64(f64::NAN))));
        }
        Err(number::fault::<T>(token, "a number after the colon").moved(colon + 1))
    }

    /// Why the token at `start` does not begin with an index that is accepted.
    #[cold]
    fn bad_index(&self, line: &[u8], start: usize) -> Fault {
        let token = token(line, start);
        let Some(colon) = token.iter().position(|&byte| byte == b':') else {
            return Fault::new(start, "INDEX:VALUE", shown(token));
        };
        let index = &token[..colon];
        if index == b"qid" {
            return Fault::new(start, "INDEX:VALUE (query ids are not supported)", shown(token));
        }
        if index.is_empty() || !index.iter().all(u8::is_ascii_digit) {
            return Fault::new(start, "INDEX:VALUE with an index from 1 on", shown(token));
        }
        if index.iter().all(|&byte| byte == b'0') {
            let expected = "an index from 1 on (add 1 to the indices of a file that counts from 0)";
            return Fault::new(start, expected, shown(index));
        }
        let expected = match self.n_features {
            Some(n_features) => format!("an index of at most {n_features}, the number of features"),
            None => format!("an index of at most {} (max_features)", self.limit),
        };
        Fault::new(start, expected, shown(index))
    }
}

impl<T: Float> Format for Libsvm<T> {
    type Rows = SparseRows<T>;

    fn line(&mut self, line: &[u8], targets: &mut TargetReader) -> Verdict<bool> {
        let start = skip_blanks(line, 0);
        if is_end(line, start) {
            return Ok(false);
        }
        let begin = self.indices.len();
        let outcome = label::<T>(line, start, targets).and_then(|pairs| {
            if let Some(last) = self.sorted_row(line, pairs)? {
                return Ok(last);
            }
            self.indices.truncate(begin);
            self.values.truncate(begin);
            self.unsorted_row(line, pairs)
        });
        match outcome {
            Ok(last) => {
                self.width = self.width.max(last as usize);
                self.indptr.push(self.indices.len());
                Ok(true)
            }
            Err(fault) => {
                self.indices.truncate(begin);
                self.values.truncate(begin);
                Err(fault)
            }
        }
    }

    fn plain_lines(&mut self, bytes: &[u8], targets: &mut TargetReader) -> (usize, usize) {
        let (mut read, before) = (0, self.indptr.len());
        let mut begin = self.indices.len();
        while let Some((next, last)) = self.plain_line(bytes, read, targets)
            && next - read <= MAX_LINE
        {
            read = next;
            self.width = self.width.max(last as usize);
            begin = self.indices.len();
            self.indptr.push(begin);
            targets.keep();
        }
        self.indices.truncate(begin);
        self.values.truncate(begin);
        targets.rewind(self.indptr.len() - 1);
        (read, self.indptr.len() - before)
    }

    fn take(&mut self, targets: ParsedTargets) -> SparseRows<T> {
        let mut indptr = fresh(&self.indptr);
        indptr.push(0);
        let (indices, values) = (fresh(&self.indices), fresh(&self.values));
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

/// Reads the label at `start`; returns where the pairs start.
#[inline]
fn label<T: Float>(line: &[u8], start: usize, targets: &mut TargetReader) -> Verdict<usize> {
    let token = token(line, start);
    let end = start + token.len();
    let has_colon = token.contains(&b':');
    if targets.task() == LabelKind::Unlabelled {
        return Ok(if has_colon { start } else { end });
    }
    if has_colon {
        return Err(Fault::new(start, "a label before the first INDEX:VALUE", shown(token)));
    }
    if token.contains(&b',') {
        return Err(Fault::new(start, "one label (several to a row are not supported)", shown(token)));
    }
    targets.read::<T>(token).map_err(|fault| fault.moved(start))?;
    if line.get(end) == Some(&b'#') && number::whole(token).is_none() {
        return Err(Fault::new(
            start,
            "a label of text and a blank before the comment",
            shown(&line[start..]),
        ));
    }
    Ok(end)
}

/// The bytes from `start` to the next blank, comment or end of the line.
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
