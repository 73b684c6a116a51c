//! The targets of the rows: what is to be learned, read from one token per row.

use super::fault::Verdict;
use super::labels::{LabelName, LabelTable};
use super::number;
use crate::error::OptionError;
use crate::float::Float;

/// What the labels of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LabelKind {
    /// Names of classes: numbers or text.
    #[default]
    Classification,
    /// Finite numbers.
    Regression,
    /// Not wanted: labels may be missing, and those that are there are passed over.
    Unlabelled,
}

/// The targets of a batch of rows, in the order of the rows.
#[derive(Debug, Clone, PartialEq)]
pub enum ParsedTargets {
    /// Each row's place in the parser's table of labels.
    Classes(Vec<u32>),
    /// Each row's target; finite also in the type of the features.
    Values(Vec<f64>),
    /// The rows have none.
    None,
}

/// Reads the target of each row and keeps the table of labels.
#[derive(Debug, Clone)]
pub struct TargetReader {
    task: LabelKind,
    table: LabelTable,
    out: ParsedTargets,
    /// Labels in the table that belong to complete rows.
    kept: usize,
}

impl TargetReader {
    pub(super) fn new(task: LabelKind) -> Self {
        Self { task, table: LabelTable::default(), out: empty(task), kept: 0 }
    }

    pub(super) fn with_labels(mut self, labels: &[LabelName]) -> Result<Self, OptionError> {
        if self.task != LabelKind::Classification {
            return Err(OptionError::invalid(
                "labels",
                "left out unless the task is classification",
                "labels",
            ));
        }
        self.table = LabelTable::known(labels)?;
        self.kept = labels.len();
        Ok(self)
    }

    /// What the labels are.
    #[must_use]
    pub fn task(&self) -> LabelKind {
        self.task
    }

    /// The labels, each at its number.
    #[must_use]
    pub fn labels(&self) -> &[LabelName] {
        self.table.names()
    }

    /// Reads one row's target, which must be finite in the type `T`.
    ///
    /// # Errors
    /// When the token is no label of the known set, no finite number, or one label too many; the fault's offset
    /// counts from the start of the token.
    #[inline]
    pub fn read<T: Float>(&mut self, token: &[u8]) -> Verdict<()> {
        match &mut self.out {
            ParsedTargets::Classes(out) => out.push(self.table.read(token)?),
            ParsedTargets::Values(out) => {
                let value = number::whole(token).filter(|&value| number::fit::<T>(value).is_some());
                out.push(value.ok_or_else(|| number::fault::<T>(token, "a number as the target"))?);
            }
            ParsedTargets::None => {}
        }
        Ok(())
    }

    /// The row was read to its end: its target stays.
    #[inline]
    pub(super) fn keep(&mut self) {
        self.kept = self.table.names().len();
    }

    /// The row was refused: its target goes, and with it a label that no row before had.
    pub(super) fn rewind(&mut self, rows: usize) {
        match &mut self.out {
            ParsedTargets::Classes(out) => out.truncate(rows),
            ParsedTargets::Values(out) => out.truncate(rows),
            ParsedTargets::None => {}
        }
        self.table.truncate(self.kept);
    }

    pub(super) fn take(&mut self) -> ParsedTargets {
        std::mem::replace(&mut self.out, empty(self.task))
    }
}

fn empty(task: LabelKind) -> ParsedTargets {
    match task {
        LabelKind::Classification => ParsedTargets::Classes(Vec::new()),
        LabelKind::Regression => ParsedTargets::Values(Vec::new()),
        LabelKind::Unlabelled => ParsedTargets::None,
    }
}
