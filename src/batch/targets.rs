//! The targets of a batch: class indices, or values in regression.

use super::{Label, Task};
use crate::error::{Error, Result};

/// The target of one row. It is made [`From`] a class index or a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// The index of the class.
    Class(u32),
    /// The value, in regression.
    Value(f64),
}

impl From<u32> for Target {
    fn from(class: u32) -> Self {
        Self::Class(class)
    }
}

impl From<f64> for Target {
    fn from(value: f64) -> Self {
        Self::Value(value)
    }
}

/// The targets of a batch.
#[derive(Debug, Clone, Copy)]
pub enum Targets<'a> {
    /// The class index of each row.
    Classes(&'a [u32]),
    /// The value of each row, in regression.
    Values(&'a [f64]),
}

/// The largest value in regression: squares of sums of such values fit into single precision.
pub(crate) const MAX_TARGET: f64 = 1e15;

impl<'a> From<&'a Target> for Targets<'a> {
    fn from(target: &'a Target) -> Self {
        match target {
            Target::Class(class) => Self::Classes(std::slice::from_ref(class)),
            Target::Value(value) => Self::Values(std::slice::from_ref(value)),
        }
    }
}

impl Targets<'_> {
    #[inline(always)]
    pub(crate) fn label(self, i: usize, task: Task) -> Label {
        match self {
            Self::Classes(y) => Label::of_class(y[i] as usize, task.classes()),
            Self::Values(y) => Label::Value(y[i]),
        }
    }

    fn len(self) -> usize {
        match self {
            Self::Classes(y) => y.len(),
            Self::Values(y) => y.len(),
        }
    }

    /// Checks that there is one valid target per row.
    pub(crate) fn check(self, rows: usize, task: Task) -> Result<()> {
        if self.len() != rows {
            return Err(Error::shape("y", format!("{rows} entries"), self.len()));
        }
        match (self, task) {
            (Self::Classes(y), Task::Classes(classes)) => {
                match y.iter().enumerate().find(|(_, y)| **y as usize >= classes) {
                    Some((row, &got)) => {
                        let classes = format!("0 to {}", classes - 1);
                        Err(Error::Label { row, got: got.to_string(), classes })
                    }
                    None => Ok(()),
                }
            }
            (Self::Values(y), Task::Regression) => {
                match y.iter().enumerate().find(|(_, y)| y.abs() > MAX_TARGET || y.is_nan()) {
                    Some((row, got)) => Err(Error::entry("y", "numbers from -1e15 to 1e15", got, row)),
                    None => Ok(()),
                }
            }
            (Self::Classes(_), Task::Regression) => {
                Err(Error::parameter("y", "numbers, for regression", "classes"))
            }
            (Self::Values(_), Task::Classes(_)) => {
                Err(Error::parameter("y", "classes, for classification", "numbers"))
            }
        }
    }
}
