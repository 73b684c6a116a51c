//! Classes that come as they come: labels that were never seen are new classes.

#[cfg(test)]
mod tests;

use super::{Classes, RawLabels, clipped, whole};
use crate::error::{Error, Result};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The classes of the rows of a batch whose labels may be new ones.
///
/// A class exists from the first row on that is learned with it. So new ones are in the order of their first rows of
/// weight > 0, and a batch that was learned in part has those of that part.
///
/// ```
/// use budgetrs::classes::{Arrivals, Classes, RawLabels};
///
/// let mut known = Some(Classes::Int(vec![7]));
/// let batch = Arrivals::of(known.as_ref(), &RawLabels::Int(vec![3, 7, 5, 3]), None, None)?;
/// assert_eq!(batch.indices(), [1, 0, 2, 1]);
/// assert_eq!(batch.all(known.as_ref()), Classes::Int(vec![7, 3, 5]));
/// batch.commit(&mut known, 2); // two rows were learned
/// assert_eq!(known, Some(Classes::Int(vec![7, 3])));
/// # Ok::<(), budgetrs::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Arrivals {
    indices: Vec<u32>,
    new: Classes,
    /// The place in the order of learning of the first row of each new class.
    first: Vec<usize>,
}

impl Arrivals {
    /// The classes of the rows of a batch, which has these weights and is learned in this order, where there are any.
    ///
    /// # Errors
    /// The first label of another kind than those that are known, or that is not finite.
    pub fn of(
        known: Option<&Classes>,
        labels: &RawLabels,
        weights: Option<&[f64]>,
        order: Option<&[usize]>,
    ) -> Result<Self> {
        let learned = Learned { weights, order };
        match (known, labels) {
            (None, RawLabels::Int(y)) => Ok(arrivals(&[], y, learned, Classes::Int)),
            (None, RawLabels::Text(y)) => Ok(arrivals(&[], y, learned, Classes::Text)),
            (None, RawLabels::Float(_)) => Ok(arrivals(&[], &floats(labels)?, learned, Classes::Float)),
            (Some(Classes::Int(c)), _) => Ok(arrivals(c, &integers(labels)?, learned, Classes::Int)),
            (Some(Classes::Float(c)), _) => Ok(arrivals(c, &floats(labels)?, learned, Classes::Float)),
            (Some(Classes::Text(c)), RawLabels::Text(y)) => Ok(arrivals(c, y, learned, Classes::Text)),
            (Some(Classes::Text(_)), _) => Err(of_another_kind("strings", labels, |_| true)),
            // Both exist as soon as one row is learned.
            (None | Some(Classes::Bool), _) => {
                let indices = Classes::Bool.encode(labels)?;
                let learns = learned.rows(indices.len()).next().map(|(place, _)| place);
                let first = if known.is_none() { learns.into_iter().collect() } else { Vec::new() };
                Ok(Self { indices, new: Classes::Bool, first })
            }
        }
    }

    /// The class of each row, by index; 0 of rows that are not learned.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Whether there are new classes.
    #[must_use]
    pub fn has_new(&self) -> bool {
        !self.first.is_empty()
    }

    /// The known classes and all new ones.
    #[must_use]
    pub fn all(&self, known: Option<&Classes>) -> Classes {
        let mut all = known.cloned();
        self.append(&mut all, self.new.len());
        all.unwrap_or_else(|| self.new.clone())
    }

    /// Appends the new classes to the known ones once the first `learned` rows, in their order, have been learned.
    pub fn commit(&self, known: &mut Option<Classes>, learned: usize) {
        let new = self.first.partition_point(|first| *first < learned);
        if new > 0 {
            self.append(known, new);
        }
    }

    fn append(&self, known: &mut Option<Classes>, count: usize) {
        match (known, &self.new) {
            (Some(Classes::Int(known)), Classes::Int(new)) => known.extend(&new[..count]),
            (Some(Classes::Float(known)), Classes::Float(new)) => known.extend(&new[..count]),
            (Some(Classes::Text(known)), Classes::Text(new)) => known.extend_from_slice(&new[..count]),
            // Those of the first batch.
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

/// Which rows of a batch are learned, and in which order.
#[derive(Clone, Copy)]
struct Learned<'a> {
    weights: Option<&'a [f64]>,
    order: Option<&'a [usize]>,
}

impl<'a> Learned<'a> {
    /// The rows of weight > 0, of so many, each with its place in the order. Weights and orders may be illegal still.
    fn rows(self, count: usize) -> impl Iterator<Item = (usize, usize)> + 'a {
        let places = 0..self.order.map_or(count, <[usize]>::len);
        let weighs = move |row: usize| {
            self.weights.is_none_or(|weights| weights.get(row).is_some_and(|weight| *weight > 0.0))
        };
        places
            .map(move |place| (place, self.order.map_or(place, |order| order[place])))
            .filter(move |(_, row)| *row < count && weighs(*row))
    }
}

/// A label, and what it is found by.
trait Name: Clone {
    type Key<'a>: Ord
    where
        Self: 'a;
    fn key(&self) -> Self::Key<'_>;
}

impl Name for i64 {
    type Key<'a> = i64;
    fn key(&self) -> i64 {
        *self
    }
}

impl Name for f64 {
    type Key<'a> = u64;
    fn key(&self) -> u64 {
        // Of finite numbers without a negative zero: equal bits are equal numbers.
        self.to_bits()
    }
}

impl Name for String {
    type Key<'a> = &'a str;
    fn key(&self) -> &str {
        self
    }
}

/// Labels up to which they are compared with each class: an index of the classes takes longer to make.
const FEW: usize = 32;

fn arrivals<N: Name>(
    known: &[N],
    labels: &[N],
    learned: Learned<'_>,
    classes: impl FnOnce(Vec<N>) -> Classes,
) -> Arrivals {
    let mut indices = vec![0; labels.len()];
    let (mut new, mut first): (Vec<&N>, Vec<usize>) = (Vec::new(), Vec::new());
    let indexed = labels.len() > FEW;
    let mut index = BTreeMap::new();
    if indexed {
        index.extend(known.iter().enumerate().map(|(class, label)| (label.key(), class)));
    }
    for (place, row) in learned.rows(labels.len()) {
        let key = labels[row].key();
        let found = if indexed {
            index.get(&key).copied()
        } else {
            known.iter().chain(new.iter().copied()).position(|label| label.key() == key)
        };
        let class = found.unwrap_or_else(|| {
            let class = known.len() + new.len();
            new.push(&labels[row]);
            first.push(place);
            if indexed {
                index.insert(key, class);
            }
            class
        });
        indices[row] = class as u32;
    }
    Arrivals { indices, new: classes(new.into_iter().cloned().collect()), first }
}

/// Labels as the integers that they are equal to.
fn integers(labels: &RawLabels) -> Result<Cow<'_, [i64]>> {
    match labels {
        RawLabels::Int(y) | RawLabels::Bool(y) => Ok(Cow::Borrowed(y)),
        RawLabels::Float(y) => match y.iter().map(|&y| whole(y)).collect() {
            Some(y) => Ok(Cow::Owned(y)),
            None => Err(of_another_kind("integers", labels, |row| whole(y[row]).is_none())),
        },
        RawLabels::Text(_) => Err(of_another_kind("integers", labels, |_| true)),
    }
}

/// Labels as the finite numbers that they are equal to.
fn floats(labels: &RawLabels) -> Result<Cow<'_, [f64]>> {
    let exact = |y: i64| (whole(y as f64) == Some(y)).then_some(y as f64);
    match labels {
        RawLabels::Float(y) => match y.iter().position(|y| !y.is_finite()) {
            Some(row) => Err(Error::entry("y", "finite numbers", y[row], row)),
            // -0.0 and 0.0 are one label.
            None => Ok(Cow::Owned(y.iter().map(|y| y + 0.0).collect())),
        },
        RawLabels::Int(y) => match y.iter().map(|&y| exact(y)).collect() {
            Some(y) => Ok(Cow::Owned(y)),
            None => Err(of_another_kind("floats", labels, |row| exact(y[row]).is_none())),
        },
        RawLabels::Bool(_) | RawLabels::Text(_) => Err(of_another_kind("floats", labels, |_| true)),
    }
}

/// The error of the first label that is not one of a kind.
fn of_another_kind(kind: &str, labels: &RawLabels, is: impl Fn(usize) -> bool) -> Error {
    let rows = match labels {
        RawLabels::Bool(y) | RawLabels::Int(y) => y.len(),
        RawLabels::Float(y) => y.len(),
        RawLabels::Text(y) => y.len(),
    };
    let row = (0..rows).find(|row| is(*row)).unwrap_or(0);
    let got = match labels {
        RawLabels::Bool(y) => y.get(row).map(|y| (*y != 0).to_string()),
        RawLabels::Int(y) => y.get(row).map(ToString::to_string),
        RawLabels::Float(y) => y.get(row).map(ToString::to_string),
        RawLabels::Text(y) => y.get(row).map(|y| clipped(&format!("{y:?}"))),
    };
    Error::entry("y", format!("{kind}, as the labels before"), got.unwrap_or_default(), row)
}
