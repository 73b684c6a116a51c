//! Targets of rows: class indices or numbers, parsed from one token per row.

use crate::error::OptionError;
use crate::float::Float;
use crate::labels::{Label, LabelTable};
use crate::number;
use crate::parse_error::ParseResult;

/// The learning task, which determines how labels are parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Task {
    /// Labels are class names: numbers or text.
    #[default]
    Classification,
    /// Labels are finite numbers.
    Regression,
    /// Labels are skipped, and may be missing.
    Unlabelled,
}

/// Targets of a batch, in the order of the rows.
#[derive(Debug, Clone, PartialEq)]
pub enum ParsedTargets {
    /// Classification: indices into [`Parser::labels`](crate::Parser::labels).
    Classes(Vec<u32>),
    /// Regression: numbers that are finite in the value type too.
    Values(Vec<f64>),
    /// No targets: the task is unlabelled.
    None,
}

/// Parses the target of each row, and collects targets and labels.
///
/// A [`Format`](crate::Format) calls [`TargetReader::read`] once per row.
#[derive(Debug, Clone)]
pub struct TargetReader {
    task: Task,
    table: LabelTable,
    out: ParsedTargets,
    /// Number of labels in the table that belong to complete rows.
    n_committed: usize,
}

impl TargetReader {
    pub(super) fn new(task: Task) -> Self {
        Self { task, table: LabelTable::default(), out: empty(task), n_committed: 0 }
    }

    pub(super) fn with_labels(mut self, labels: &[Label]) -> Result<Self, OptionError> {
        if self.task != Task::Classification {
            return Err(OptionError::invalid(
                "labels",
                "left out unless the task is classification",
                "labels",
            ));
        }
        self.table = LabelTable::fixed(labels)?;
        self.n_committed = labels.len();
        Ok(self)
    }

    /// The task of the parser.
    #[must_use]
    pub fn task(&self) -> Task {
        self.task
    }

    /// The class labels, in the order of their indices.
    #[must_use]
    pub fn labels(&self) -> &[Label] {
        self.table.labels()
    }

    /// Parses the target of one row. A number must be finite in the value type `T`.
    ///
    /// # Errors
    /// [`ParseError`](crate::ParseError) with an offset in the token: if the label is not one of the specified labels,
    /// if there are too many labels, or, in regression, if the token is not a finite number.
    #[inline]
    pub fn read<T: Float>(&mut self, token: &[u8]) -> ParseResult<()> {
        match &mut self.out {
            ParsedTargets::Classes(out) => out.push(self.table.read(token)?),
            ParsedTargets::Values(out) => {
                let value = number::parse(token).filter(|&value| number::finite_as::<T>(value).is_some());
                out.push(value.ok_or_else(|| number::parse_error::<T>(token, "a number as the target"))?);
            }
            ParsedTargets::None => {}
        }
        Ok(())
    }

    /// Commits the labels of the rows so far: [`TargetReader::rollback`] keeps them.
    #[inline]
    pub(super) fn commit(&mut self) {
        self.n_committed = self.table.labels().len();
    }

    /// Drops the targets from row `n_rows` on, and the labels that were not committed.
    pub(super) fn rollback(&mut self, n_rows: usize) {
        match &mut self.out {
            ParsedTargets::Classes(out) => out.truncate(n_rows),
            ParsedTargets::Values(out) => out.truncate(n_rows),
            ParsedTargets::None => {}
        }
        self.table.truncate(self.n_committed);
    }

    pub(super) fn take(&mut self) -> ParsedTargets {
        std::mem::replace(&mut self.out, empty(self.task))
    }
}

fn empty(task: Task) -> ParsedTargets {
    match task {
        Task::Classification => ParsedTargets::Classes(Vec::new()),
        Task::Regression => ParsedTargets::Values(Vec::new()),
        Task::Unlabelled => ParsedTargets::None,
    }
}
