//! The targets of a batch: class indices or numbers.

use super::{Label, Task};
use crate::error::{Error, Result};

/// What one row is learned with. It is made [`From`] an index or a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// The index of its class.
    Class(u32),
    /// Its number, in regression.
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

/// The labels of a batch.
#[derive(Debug, Clone, Copy)]
pub enum Targets<'a> {
    /// The index of each row's class.
    Classes(&'a [u32]),
    /// The number of each row.
    Values(&'a [f64]),
}

/// The largest number to be predicted: squares of sums of such numbers fit into single precision.
const MAX_VALUE: f64 = 1e15;

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

    /// Whether there is one legal label to each row.
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
                match y.iter().enumerate().find(|(_, y)| y.abs() > MAX_VALUE || y.is_nan()) {
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
