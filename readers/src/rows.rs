//! [`Rows`]: rows that were read.

use std::collections::HashMap;
use std::mem::take;

/// Numbers of one float type.
#[derive(Debug, Clone, PartialEq)]
pub enum Floats {
    /// Single precision.
    F32(Vec<f32>),
    /// Double precision.
    F64(Vec<f64>),
}

impl Floats {
    /// The name of the float type.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::F32(_) => "float32",
            Self::F64(_) => "float64",
        }
    }

    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
        }
    }

    /// Whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a number, or a missing value as NaN. Returns false if it becomes infinite.
    #[inline(always)]
    pub(crate) fn push(&mut self, value: f64) -> bool {
        match self {
            Self::F32(values) => {
                values.push(value as f32);
                !(value as f32).is_infinite()
            }
            Self::F64(values) => {
                values.push(value);
                true
            }
        }
    }

    /// Appends a value and its index, unless it is zero in the float type.
    #[inline(always)]
    pub(crate) fn push_nonzero(&mut self, value: f64) -> Option<bool> {
        if value == 0.0 || (matches!(self, Self::F32(_)) && value as f32 == 0.0) {
            None
        } else {
            Some(self.push(value))
        }
    }

    fn truncate(&mut self, len: usize) {
        match self {
            Self::F32(values) => values.truncate(len),
            Self::F64(values) => values.truncate(len),
        }
    }

    /// The numbers; as many are expected next.
    fn take(&mut self) -> Self {
        match self {
            Self::F32(values) => Self::F32(taken(values)),
            Self::F64(values) => Self::F64(taken(values)),
        }
    }
}

/// Texts of a column, numbered in the order of appearance in a batch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Categories {
    /// The place of each row's text in `names`; -1 if it is missing.
    pub codes: Vec<i64>,
    /// The distinct texts.
    pub names: Vec<String>,
    index: HashMap<String, i64>,
}

impl Categories {
    pub(crate) fn push(&mut self, text: &str) {
        let code = if let Some(&code) = self.index.get(text) {
            code
        } else {
            let code = self.names.len() as i64;
            self.names.push(text.to_owned());
            self.index.insert(text.to_owned(), code);
            code
        };
        self.codes.push(code);
    }

    pub(crate) fn push_missing(&mut self) {
        self.codes.push(-1);
    }

    fn truncate(&mut self, rows: usize) {
        self.codes.truncate(rows);
        let count = self.codes.iter().max().map_or(0, |&code| code + 1);
        for name in self.names.drain(count as usize..) {
            self.index.remove(&name);
        }
    }
}

/// What a target is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Class labels: text.
    Classification,
    /// Numbers.
    Regression,
    /// None: the field of the target is skipped.
    Unlabelled,
}

/// The targets of rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// Class labels.
    Labels(Categories),
    /// Numbers.
    Numbers(Vec<f64>),
    /// None.
    None,
}

/// Rows of a text. In CSV `values` has the numbers row by row, in the order of their columns, and `categories` each column
/// of text. In LIBSVM text `values` has the entries of a CSR matrix: of row `i` from `indptr[i]` to `indptr[i + 1]`, with
/// increasing `indices`, without zeros.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// Finite numbers, or NaN for missing values.
    pub values: Floats,
    /// The columns of text.
    pub categories: Vec<Categories>,
    /// The start of each row in `values`, then the end of the last row.
    pub indptr: Vec<i64>,
    /// The feature of each value, from 0 on.
    pub indices: Vec<i32>,
    /// The targets.
    pub target: Target,
    /// The line of each row, from 1 on.
    pub lines: Vec<u64>,
}

impl Rows {
    /// No rows yet: for this task, in single or double precision.
    #[must_use]
    pub fn new(task: Task, is_single: bool) -> Self {
        Self {
            values: if is_single { Floats::F32(Vec::new()) } else { Floats::F64(Vec::new()) },
            categories: Vec::new(),
            indptr: vec![0],
            indices: Vec::new(),
            target: match task {
                Task::Classification => Target::Labels(Categories::default()),
                Task::Regression => Target::Numbers(Vec::new()),
                Task::Unlabelled => Target::None,
            },
            lines: Vec::new(),
        }
    }

    /// Drops the values of an incomplete row, whose first value is at `begin`.
    pub(crate) fn restart_row(&mut self, begin: usize) {
        self.values.truncate(begin);
        self.indices.truncate(begin);
    }

    /// Drops what was read of a row after the last complete one, whose values end at `n_values`.
    pub(crate) fn drop_partial(&mut self, n_values: usize) {
        let rows = self.lines.len();
        self.restart_row(n_values);
        self.categories.iter_mut().for_each(|column| column.truncate(rows));
        match &mut self.target {
            Target::Labels(labels) => labels.truncate(rows),
            Target::Numbers(numbers) => numbers.truncate(rows),
            Target::None => {}
        }
    }

    /// The rows; as many are expected next.
    pub(crate) fn take(&mut self) -> Self {
        let target = match &mut self.target {
            Target::Labels(labels) => Target::Labels(take(labels)),
            Target::Numbers(numbers) => Target::Numbers(taken(numbers)),
            Target::None => Target::None,
        };
        let indptr = taken(&mut self.indptr);
        self.indptr.push(0);
        Self {
            values: self.values.take(),
            categories: self.categories.iter_mut().map(take).collect(),
            indptr,
            indices: taken(&mut self.indices),
            target,
            lines: taken(&mut self.lines),
        }
    }
}

/// The items of a vector. As many are expected next: growing by doubling would cost 15% of the time.
fn taken<T>(items: &mut Vec<T>) -> Vec<T> {
    let next = Vec::with_capacity(items.len());
    std::mem::replace(items, next)
}
