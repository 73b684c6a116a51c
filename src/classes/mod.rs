//! Class labels: the user's labels, and their indices in the core.

mod label_weights;
mod open_set;

pub use label_weights::LabelWeights;
pub use open_set::OpenSetLabels;

use crate::error::{Error, Result};

/// A class set: the distinct labels; a class is an index into them. A closed set is sorted. An open set is in the order
/// of first rows ([`OpenSetLabels`]).
#[derive(Debug, Clone, PartialEq)]
pub enum Classes {
    /// `false` and `true`.
    Bool,
    /// Integers.
    Int(Vec<i64>),
    /// Finite numbers.
    Float(Vec<f64>),
    /// Strings.
    Text(Vec<String>),
}

/// Labels as the user passes them, one per row.
#[derive(Debug, Clone, PartialEq)]
pub enum Labels {
    /// Booleans, as 0 and 1.
    Bool(Vec<i64>),
    /// Integers.
    Int(Vec<i64>),
    /// Numbers.
    Float(Vec<f64>),
    /// Strings.
    Text(Vec<String>),
}

impl Labels {
    /// Number of labels.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Bool(y) | Self::Int(y) => y.len(),
            Self::Float(y) => y.len(),
            Self::Text(y) => y.len(),
        }
    }

    /// Whether there are no labels.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Classes {
    /// The closed class set of a list of labels.
    ///
    /// # Errors
    /// If a label is not finite, or there are fewer than two distinct labels.
    pub fn of(labels: &Labels) -> Result<Self> {
        let classes = match labels {
            Labels::Bool(y) => match distinct(y, Ord::cmp)[..] {
                [] => return Err(too_few("none")),
                [one] => return Err(too_few(format!("only {}", one != 0))),
                _ => Self::Bool,
            },
            Labels::Int(y) => Self::Int(distinct(y, Ord::cmp)),
            Labels::Text(y) => Self::Text(distinct(y, Ord::cmp)),
            Labels::Float(y) => {
                if let Some(row) = y.iter().position(|y| !y.is_finite()) {
                    return Err(Error::entry("labels", "finite numbers", y[row], row));
                }
                // -0.0 and 0.0 are equal labels.
                let y: Vec<f64> = y.iter().map(|y| y + 0.0).collect();
                Self::Float(distinct(&y, f64::total_cmp))
            }
        };
        match classes.len() {
            0 => Err(too_few("none")),
            1 => Err(too_few(format!("only {classes}"))),
            _ => Ok(classes),
        }
    }

    /// Sorts the labels.
    pub(crate) fn sort(&mut self) {
        match self {
            Self::Bool => {}
            Self::Int(c) => c.sort_unstable(),
            Self::Float(c) => c.sort_unstable_by(f64::total_cmp),
            Self::Text(c) => c.sort_unstable(),
        }
    }

    /// The labels, each once.
    #[must_use]
    pub fn labels(&self) -> Labels {
        match self {
            Self::Bool => Labels::Bool(vec![0, 1]),
            Self::Int(c) => Labels::Int(c.clone()),
            Self::Float(c) => Labels::Float(c.clone()),
            Self::Text(c) => Labels::Text(c.clone()),
        }
    }

    /// Number of classes.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Bool => 2,
            Self::Int(c) => c.len(),
            Self::Float(c) => c.len(),
            Self::Text(c) => c.len(),
        }
    }

    /// Whether there are no classes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The class index of each label, for a closed class set.
    ///
    /// # Errors
    /// If a label is not among the classes; the error names the first.
    pub fn encode(&self, labels: &Labels) -> Result<Vec<u32>> {
        match (self, labels) {
            (Self::Bool, Labels::Bool(y) | Labels::Int(y)) => self.encode_ints(&[0, 1], y),
            (Self::Int(c), Labels::Int(y) | Labels::Bool(y)) => self.encode_ints(c, y),
            (Self::Int(c), Labels::Float(y)) => {
                self.encode_by(y, |&y| c.binary_search(&exact_integer(y)?).ok())
            }
            (Self::Float(c), Labels::Float(y)) => {
                self.encode_by(y, |y| c.binary_search_by(|c| c.total_cmp(&(y + 0.0))).ok())
            }
            (Self::Float(c), Labels::Int(y)) => {
                let find = |&y: &i64| {
                    let float = y as f64;
                    // An integer without an exact float is no class, even if the nearest float is.
                    (exact_integer(float)? == y).then(|| c.binary_search_by(|c| c.total_cmp(&float)).ok())?
                };
                self.encode_by(y, find)
            }
            (Self::Text(c), Labels::Text(y)) => self.encode_by(y, |y| c.binary_search(y).ok()),
            (_, Labels::Bool(y) | Labels::Int(y)) => self.encode_by(y, |_| None),
            (_, Labels::Float(y)) => self.encode_by(y, |_| None),
            (_, Labels::Text(y)) => self.encode_by(y, |_| None),
        }
    }

    fn encode_ints(&self, classes: &[i64], y: &[i64]) -> Result<Vec<u32>> {
        // Consecutive integers need no search.
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
            let Some(class) = find(label) else {
                let got = truncated(&format!("{label:?}"));
                return Err(Error::Label { row, got, classes: self.to_string() });
            };
            classes.push(class as u32);
        }
        Ok(classes)
    }
}

/// The first twenty classes, and their number if there are more.
impl std::fmt::Display for Classes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const MAX_CLASSES: usize = 20;
        let shown: Vec<String> = match self {
            Self::Bool => vec!["false".into(), "true".into()],
            Self::Int(c) => c.iter().take(MAX_CLASSES).map(ToString::to_string).collect(),
            Self::Float(c) => c.iter().take(MAX_CLASSES).map(ToString::to_string).collect(),
            Self::Text(c) => c.iter().take(MAX_CLASSES).map(|c| truncated(&format!("{c:?}"))).collect(),
        };
        f.write_str(&shown.join(", "))?;
        if self.len() > MAX_CLASSES { write!(f, ", ... ({} in all)", self.len()) } else { Ok(()) }
    }
}

fn too_few(got: impl Into<String>) -> Error {
    Error::parameter("classes", "at least 2 different labels", got.into())
}

/// The integer that a float equals, if any.
fn exact_integer(y: f64) -> Option<i64> {
    // 2^63 is the first float that is too large for an integer.
    let limit = -(i64::MIN as f64);
    (y.fract() == 0.0 && (-limit..limit).contains(&y)).then_some(y as i64)
}

/// The first characters of a label, for messages.
fn truncated(label: &str) -> String {
    const MAX_CHARS: usize = 60;
    let mut letters = label.chars();
    let mut shown: String = letters.by_ref().take(MAX_CHARS).collect();
    if letters.next().is_some() {
        shown.push_str("...");
    }
    shown
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
    fn labels_of_every_type_become_indices() {
        let cases: [(Labels, usize, Vec<u32>); 5] = [
            (Labels::Int(vec![3, -1, 3, 7]), 3, vec![1, 0, 1, 2]),
            (Labels::Int(vec![5, 4, 6]), 3, vec![1, 0, 2]),
            (Labels::Float(vec![0.5, -0.0, 0.0]), 2, vec![1, 0, 0]),
            (Labels::Bool(vec![1, 0, 1]), 2, vec![1, 0, 1]),
            (Labels::Text(vec!["b".into(), "a".into()]), 2, vec![1, 0]),
        ];
        for (labels, n, expected) in cases {
            let classes = Classes::of(&labels).unwrap();
            assert_eq!(classes.len(), n, "{labels:?}");
            assert_eq!(classes.encode(&labels).unwrap(), expected, "{labels:?}");
        }
    }

    #[test]
    fn unknown_labels_raise_with_the_label() {
        let classes = Classes::of(&Labels::Int(vec![1, 2])).unwrap();
        assert_eq!(classes.encode(&Labels::Float(vec![2.0, 1.0])).unwrap(), [1, 0]);
        let error = classes.encode(&Labels::Int(vec![1, 3])).unwrap_err();
        assert_eq!(error.to_string(), "y contains 3 at row 1; the classes are 1, 2");
        let error = classes.encode(&Labels::Text(vec!["x".into()])).unwrap_err();
        assert_eq!(error.to_string(), "y contains \"x\" at row 0; the classes are 1, 2");
        let error = Classes::of(&Labels::Float(vec![1.0, f64::NAN])).unwrap_err();
        assert_eq!(error.to_string(), "labels must be finite numbers, got NaN at row 1");
        let long = Classes::of(&Labels::Text(vec!["a".repeat(1000), "b".into()])).unwrap();
        let error = long.encode(&Labels::Text(vec!["c".repeat(1000)])).unwrap_err();
        assert!(error.to_string().len() < 200, "{error}");
    }

    #[test]
    fn fewer_than_two_classes_raise() {
        let cases = [
            (Labels::Bool(vec![]), "none"),
            (Labels::Bool(vec![1, 1]), "only true"),
            (Labels::Int(vec![]), "none"),
            (Labels::Int(vec![7, 7]), "only 7"),
            (Labels::Float(vec![-0.0, 0.0]), "only 0"),
            (Labels::Text(vec!["x".into()]), "only \"x\""),
        ];
        for (labels, got) in cases {
            let expected = format!("classes must be at least 2 different labels, got {got}");
            assert_eq!(Classes::of(&labels).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn equal_integers_and_floats_are_one_label() {
        const FIRST: i64 = 1 << 53;
        let classes = Classes::of(&Labels::Int(vec![FIRST, FIRST + 1, i64::MAX])).unwrap();
        assert_eq!(classes.encode(&Labels::Float(vec![FIRST as f64])).unwrap(), [0]);
        for not in [0.5, -(i64::MIN as f64), f64::INFINITY, f64::NAN] {
            assert!(classes.encode(&Labels::Float(vec![not])).is_err(), "{not}");
        }
        let classes = Classes::of(&Labels::Float(vec![FIRST as f64, 0.0, 1e300])).unwrap();
        assert_eq!(classes.encode(&Labels::Int(vec![0, FIRST])).unwrap(), [0, 1]);
        for not in [FIRST + 1, i64::MAX] {
            assert!(classes.encode(&Labels::Int(vec![not])).is_err(), "{not}");
        }
    }
}
