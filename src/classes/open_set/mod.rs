//! Open class sets: unseen labels become new classes.

#[cfg(test)]
mod tests;

use super::{Classes, Labels, exact_integer, truncated};
use crate::error::{Error, Result};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The labels of a batch, encoded with an open class set.
///
/// A class exists once a row with its label is learned. New classes are therefore in the order of their first rows with
/// weight > 0, and a partly learned batch adds the classes of the learned rows only.
///
/// ```
/// use budgetrs::classes::{OpenSetLabels, Classes, Labels};
///
/// let mut known = Some(Classes::Int(vec![7]));
/// let batch = OpenSetLabels::of(known.as_ref(), &Labels::Int(vec![3, 7, 5, 3]), None, None)?;
/// assert_eq!(batch.indices(), [1, 0, 2, 1]);
/// assert_eq!(batch.all(known.as_ref()), Classes::Int(vec![7, 3, 5]));
/// batch.commit(&mut known, 2); // two rows were learned
/// assert_eq!(known, Some(Classes::Int(vec![7, 3])));
/// # Ok::<(), budgetrs::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct OpenSetLabels {
    indices: Vec<u32>,
    new: Classes,
    /// The position, in the order of learning, of the first row of each new class.
    first_rows: Vec<usize>,
}

impl OpenSetLabels {
    /// Encodes the labels of a batch, given the known classes, and the weights and order of the rows if there are any.
    ///
    /// # Errors
    /// If a label has another type than the known classes, or is not finite; the error names the first.
    pub fn of(
        known: Option<&Classes>,
        labels: &Labels,
        weights: Option<&[f64]>,
        order: Option<&[usize]>,
    ) -> Result<Self> {
        let learned = Learned { weights, order };
        match (known, labels) {
            (None, Labels::Int(y)) => Ok(encode(&[], y, learned, Classes::Int)),
            (None, Labels::Text(y)) => Ok(encode(&[], y, learned, Classes::Text)),
            (None, Labels::Float(_)) => Ok(encode(&[], &floats(labels)?, learned, Classes::Float)),
            (Some(Classes::Int(c)), _) => Ok(encode(c, &integers(labels)?, learned, Classes::Int)),
            (Some(Classes::Float(c)), _) => Ok(encode(c, &floats(labels)?, learned, Classes::Float)),
            (Some(Classes::Text(c)), Labels::Text(y)) => Ok(encode(c, y, learned, Classes::Text)),
            (Some(Classes::Text(_)), _) => Err(type_error("strings", labels, |_| true)),
            // Both boolean classes exist once a row is learned.
            (None | Some(Classes::Bool), _) => {
                let indices = Classes::Bool.encode(labels)?;
                let first = learned.rows(indices.len()).next().map(|(position, _)| position);
                let first_rows = if known.is_none() { first.into_iter().collect() } else { Vec::new() };
                Ok(Self { indices, new: Classes::Bool, first_rows })
            }
        }
    }

    /// The class index of each row; 0 for rows that are not learned.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Whether the labels are strings.
    #[must_use]
    pub fn are_text(&self) -> bool {
        matches!(self.new, Classes::Text(_))
    }

    /// Whether there are new classes.
    #[must_use]
    pub fn has_new(&self) -> bool {
        !self.first_rows.is_empty()
    }

    /// The known classes with the new ones.
    #[must_use]
    pub fn all(&self, known: Option<&Classes>) -> Classes {
        let mut all = known.cloned();
        self.append(&mut all, self.new.len());
        all.unwrap_or_else(|| self.new.clone())
    }

    /// Appends the new classes of the first `learned` rows, in the order of learning, to the known classes.
    pub fn commit(&self, known: &mut Option<Classes>, learned: usize) {
        let new = self.first_rows.partition_point(|first| *first < learned);
        if new > 0 {
            self.append(known, new);
        }
    }

    fn append(&self, known: &mut Option<Classes>, count: usize) {
        match (known, &self.new) {
            (Some(Classes::Int(known)), Classes::Int(new)) => known.extend(&new[..count]),
            (Some(Classes::Float(known)), Classes::Float(new)) => known.extend(&new[..count]),
            (Some(Classes::Text(known)), Classes::Text(new)) => known.extend_from_slice(&new[..count]),
            // The first batch.
            (known @ None, new) => {
                *known = Some(match new {
                    Classes::Bool => Classes::Bool,
                    Classes::Int(new) => Classes::Int(new[..count].to_vec()),
                    Classes::Float(new) => Classes::Float(new[..count].to_vec()),
                    Classes::Text(new) => Classes::Text(new[..count].to_vec()),
                });
            }
            (Some(_), _) => {}
        }
    }
}

/// The rows of a batch that are learned, and their order.
#[derive(Clone, Copy)]
struct Learned<'a> {
    weights: Option<&'a [f64]>,
    order: Option<&'a [usize]>,
}

impl<'a> Learned<'a> {
    /// The rows with weight > 0 among `count` rows, each with its position in the order. Weights and order are not
    /// checked yet.
    fn rows(self, count: usize) -> impl Iterator<Item = (usize, usize)> + 'a {
        let positions = 0..self.order.map_or(count, <[usize]>::len);
        let has_weight = move |row: usize| {
            self.weights.is_none_or(|weights| weights.get(row).is_some_and(|weight| *weight > 0.0))
        };
        positions
            .map(move |position| (position, self.order.map_or(position, |order| order[position])))
            .filter(move |(_, row)| *row < count && has_weight(*row))
    }
}

/// A type of labels, with an ordered key for lookups.
trait LabelType: Clone {
    type Key<'a>: Ord
    where
        Self: 'a;
    fn key(&self) -> Self::Key<'_>;
}

impl LabelType for i64 {
    type Key<'a> = i64;
    fn key(&self) -> i64 {
        *self
    }
}

impl LabelType for f64 {
    type Key<'a> = u64;
    fn key(&self) -> u64 {
        // For finite numbers without -0.0, equal bits are equal numbers.
        self.to_bits()
    }
}

impl LabelType for String {
    type Key<'a> = &'a str;
    fn key(&self) -> &str {
        self
    }
}

/// Up to this number of labels, comparison with each class is faster than an index of the classes.
const MAX_LINEAR_SEARCH: usize = 32;

fn encode<L: LabelType>(
    known: &[L],
    labels: &[L],
    learned: Learned<'_>,
    classes: impl FnOnce(Vec<L>) -> Classes,
) -> OpenSetLabels {
    let mut indices = vec![0; labels.len()];
    let (mut new, mut first_rows): (Vec<&L>, Vec<usize>) = (Vec::new(), Vec::new());
    let indexed = labels.len() > MAX_LINEAR_SEARCH;
    let mut index = BTreeMap::new();
    if indexed {
        index.extend(known.iter().enumerate().map(|(class, label)| (label.key(), class)));
    }
    for (position, row) in learned.rows(labels.len()) {
        let key = labels[row].key();
        let found = if indexed {
            index.get(&key).copied()
        } else {
            known.iter().chain(new.iter().copied()).position(|label| label.key() == key)
        };
        let class = found.unwrap_or_else(|| {
            let class = known.len() + new.len();
            new.push(&labels[row]);
            first_rows.push(position);
            if indexed {
                index.insert(key, class);
            }
            class
        });
        indices[row] = class as u32;
    }
    OpenSetLabels { indices, new: classes(new.into_iter().cloned().collect()), first_rows }
}

/// Converts labels to the integers that they equal.
fn integers(labels: &Labels) -> Result<Cow<'_, [i64]>> {
    match labels {
        Labels::Int(y) | Labels::Bool(y) => Ok(Cow::Borrowed(y)),
        Labels::Float(y) => match y.iter().map(|&y| exact_integer(y)).collect() {
            Some(y) => Ok(Cow::Owned(y)),
            None => Err(type_error("integers", labels, |row| exact_integer(y[row]).is_none())),
        },
        Labels::Text(_) => Err(type_error("integers", labels, |_| true)),
    }
}

/// Converts labels to the finite numbers that they equal.
fn floats(labels: &Labels) -> Result<Cow<'_, [f64]>> {
    let exact = |y: i64| (exact_integer(y as f64) == Some(y)).then_some(y as f64);
    match labels {
        Labels::Float(y) => match y.iter().position(|y| !y.is_finite()) {
            Some(row) => Err(Error::entry("y", "finite numbers", y[row], row)),
            // -0.0 and 0.0 are equal labels.
            None => Ok(Cow::Owned(y.iter().map(|y| y + 0.0).collect())),
        },
        Labels::Int(y) => match y.iter().map(|&y| exact(y)).collect() {
            Some(y) => Ok(Cow::Owned(y)),
            None => Err(type_error("floats", labels, |row| exact(y[row]).is_none())),
        },
        Labels::Bool(_) | Labels::Text(_) => Err(type_error("floats", labels, |_| true)),
    }
}

/// The error about the first label that has another type.
fn type_error(kind: &str, labels: &Labels, is: impl Fn(usize) -> bool) -> Error {
    let row = (0..labels.len()).find(|row| is(*row)).unwrap_or(0);
    let got = match labels {
        Labels::Bool(y) => y.get(row).map(|y| (*y != 0).to_string()),
        Labels::Int(y) => y.get(row).map(ToString::to_string),
        Labels::Float(y) => y.get(row).map(ToString::to_string),
        Labels::Text(y) => y.get(row).map(|y| truncated(&format!("{y:?}"))),
    };
    Error::entry("y", format!("{kind}, as the labels seen before"), got.unwrap_or_default(), row)
}
