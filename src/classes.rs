//! The labels that users gave: kept with a model, so that it predicts in their words.

use crate::error::{Error, Result};

/// The distinct labels of a problem, sorted; a class is an index into them.
#[derive(Debug, Clone, PartialEq)]
pub enum Classes {
    /// `false` and `true`.
    Bool,
    /// Integers.
    Int(Vec<i64>),
    /// Finite numbers.
    Float(Vec<f64>),
    /// Texts.
    Text(Vec<String>),
}

/// Labels as they came, one to the row.
#[derive(Debug, Clone, PartialEq)]
pub enum RawLabels {
    /// Truth values, as 0 and 1.
    Bool(Vec<i64>),
    /// Integers.
    Int(Vec<i64>),
    /// Numbers.
    Float(Vec<f64>),
    /// Texts.
    Text(Vec<String>),
}

impl Classes {
    /// The distinct labels among some.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn of(labels: &RawLabels) -> Result<Self> {
        Ok(match labels {
            RawLabels::Bool(_) => Self::Bool,
            RawLabels::Int(y) => Self::Int(distinct(y, Ord::cmp)),
            RawLabels::Text(y) => Self::Text(distinct(y, Ord::cmp)),
            RawLabels::Float(y) => {
                if let Some(row) = y.iter().position(|y| !y.is_finite()) {
                    return Err(Error::Label {
                        row,
                        got: y[row].to_string(),
                        classes: "to be finite numbers".into(),
                    });
                }
                // -0.0 and 0.0 are one label.
                let y: Vec<f64> = y.iter().map(|y| y + 0.0).collect();
                Self::Float(distinct(&y, f64::total_cmp))
            }
        })
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Bool => 2,
            Self::Int(c) => c.len(),
            Self::Float(c) => c.len(),
            Self::Text(c) => c.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The class of each label.
    ///
    /// # Errors
    /// The first label that is not among the classes.
    pub fn encode(&self, labels: &RawLabels) -> Result<Vec<u32>> {
        match (self, labels) {
            (Self::Bool, RawLabels::Bool(y) | RawLabels::Int(y)) => self.encode_ints(&[0, 1], y),
            (Self::Int(c), RawLabels::Int(y) | RawLabels::Bool(y)) => self.encode_ints(c, y),
            (Self::Int(c), RawLabels::Float(y)) => {
                let c: Vec<f64> = c.iter().map(|&c| c as f64).collect();
                self.encode_by(y, |y| c.binary_search_by(|c| c.total_cmp(&(y + 0.0))).ok())
            }
            (Self::Float(c), RawLabels::Float(y)) => {
                self.encode_by(y, |y| c.binary_search_by(|c| c.total_cmp(&(y + 0.0))).ok())
            }
            (Self::Float(c), RawLabels::Int(y)) => {
                self.encode_by(y, |&y| c.binary_search_by(|c| c.total_cmp(&(y as f64))).ok())
            }
            (Self::Text(c), RawLabels::Text(y)) => self.encode_by(y, |y| c.binary_search(y).ok()),
            (_, RawLabels::Bool(y) | RawLabels::Int(y)) => self.encode_by(y, |_| None),
            (_, RawLabels::Float(y)) => self.encode_by(y, |_| None),
            (_, RawLabels::Text(y)) => self.encode_by(y, |_| None),
        }
    }

    fn encode_ints(&self, classes: &[i64], y: &[i64]) -> Result<Vec<u32>> {
        // Classes without a gap are their own index.
        let (first, last) = (classes.first().copied().unwrap_or(0), classes.last().copied().unwrap_or(0));
        if last.checked_sub(first) == Some(classes.len() as i64 - 1) {
            return self.encode_by(y, |&y| {
                let index = y.wrapping_sub(first) as usize;
                (index < classes.len()).then_some(index)
            });
        }
        self.encode_by(y, |y| classes.binary_search(y).ok())
    }

    fn encode_by<L: std::fmt::Debug>(&self, y: &[L], find: impl Fn(&L) -> Option<usize>) -> Result<Vec<u32>> {
        let mut classes = Vec::with_capacity(y.len());
        for (row, label) in y.iter().enumerate() {
            match find(label) {
                Some(class) => classes.push(class as u32),
                None => {
                    return Err(Error::Label { row, got: format!("{label:?}"), classes: self.to_string() });
                }
            }
        }
        Ok(classes)
    }
}

/// The classes as users see them: the first twenty, and how many there are.
impl std::fmt::Display for Classes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const SHOWN: usize = 20;
        let shown: Vec<String> = match self {
            Self::Bool => vec!["false".into(), "true".into()],
            Self::Int(c) => c.iter().take(SHOWN).map(ToString::to_string).collect(),
            Self::Float(c) => c.iter().take(SHOWN).map(ToString::to_string).collect(),
            Self::Text(c) => c.iter().take(SHOWN).map(|c| format!("{c:?}")).collect(),
        };
        f.write_str(&shown.join(", "))?;
        if self.len() > SHOWN { write!(f, ", ... ({} in all)", self.len()) } else { Ok(()) }
    }
}

fn distinct<L: Clone>(labels: &[L], order: impl Fn(&L, &L) -> std::cmp::Ordering) -> Vec<L> {
    let mut sorted = labels.to_vec();
    sorted.sort_by(|a, b| order(a, b));
    sorted.dedup_by(|a, b| order(a, b).is_eq());
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_every_kind_become_indices() {
        let cases: [(RawLabels, usize, Vec<u32>); 5] = [
            (RawLabels::Int(vec![3, -1, 3, 7]), 3, vec![1, 0, 1, 2]),
            (RawLabels::Int(vec![5, 4, 6]), 3, vec![1, 0, 2]),
            (RawLabels::Float(vec![0.5, -0.0, 0.0]), 2, vec![1, 0, 0]),
            (RawLabels::Bool(vec![1, 1]), 2, vec![1, 1]),
            (RawLabels::Text(vec!["b".into(), "a".into()]), 2, vec![1, 0]),
        ];
        for (labels, n, expected) in cases {
            let classes = Classes::of(&labels).unwrap();
            assert_eq!(classes.len(), n, "{labels:?}");
            assert_eq!(classes.encode(&labels).unwrap(), expected, "{labels:?}");
        }
    }

    #[test]
    fn unknown_labels_are_named() {
        let classes = Classes::of(&RawLabels::Int(vec![1, 2])).unwrap();
        assert_eq!(classes.encode(&RawLabels::Float(vec![2.0, 1.0])).unwrap(), [1, 0]);
        let error = classes.encode(&RawLabels::Int(vec![1, 3])).unwrap_err();
        assert_eq!(error.to_string(), "y contains 3 at row 1; the classes are 1, 2");
        let error = classes.encode(&RawLabels::Text(vec!["x".into()])).unwrap_err();
        assert_eq!(error.to_string(), "y contains \"x\" at row 0; the classes are 1, 2");
        assert!(Classes::of(&RawLabels::Float(vec![1.0, f64::NAN])).is_err());
    }
}
