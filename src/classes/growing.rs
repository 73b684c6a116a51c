//! Classes that come as they come: labels that were never seen are new classes.

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
/// batch.settle(&mut known, 2); // two rows were learned
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
    pub fn are_there(&self) -> bool {
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
    pub fn settle(&self, known: &mut Option<Classes>, learned: usize) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(labels: &[&str]) -> RawLabels {
        RawLabels::Text(labels.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn classes_are_in_the_order_of_their_first_rows() {
        let labels = texts(&["c", "a", "c", "b"]);
        let batch = Arrivals::of(None, &labels, None, None).unwrap();
        assert_eq!(batch.indices(), [0, 1, 0, 2]);
        // A row of weight 0 has no class, nor has one that is left out; an order is that in which rows are learned.
        let batch = Arrivals::of(None, &labels, Some(&[0.0, 1.0, 1.0, 1.0]), None).unwrap();
        assert_eq!(batch.indices(), [0, 0, 1, 2]);
        let order = [3, 1, 3];
        let batch = Arrivals::of(None, &labels, None, Some(&order)).unwrap();
        assert_eq!(
            (batch.indices(), batch.all(None).to_string()),
            (&[0, 1, 0, 0][..], "\"b\", \"a\"".into())
        );
    }

    #[test]
    fn a_batch_that_was_learned_in_part_has_the_classes_of_that_part() {
        let labels = RawLabels::Int(vec![4, 4, 2, 9]);
        for (learned, expected) in [(0, &[][..]), (1, &[4]), (2, &[4]), (3, &[4, 2]), (4, &[4, 2, 9])] {
            let mut known = None;
            Arrivals::of(None, &labels, None, None).unwrap().settle(&mut known, learned);
            assert_eq!(
                known.map_or(vec![], |known| vec![known]),
                match expected {
                    [] => vec![],
                    _ => vec![Classes::Int(expected.to_vec())],
                }
            );
        }
        let mut known = None;
        let truth = Arrivals::of(None, &RawLabels::Bool(vec![1, 1]), Some(&[0.0, 1.0]), None).unwrap();
        truth.settle(&mut known, 1);
        assert_eq!(known, None);
        truth.settle(&mut known, 2);
        assert_eq!((known, truth.indices()), (Some(Classes::Bool), &[1, 1][..]));
    }

    /// Whatever the number of rows, which decides how classes are looked up.
    #[test]
    fn a_batch_equals_its_rows() {
        let mut rng = crate::rng::Rng::new(4);
        for kind in 0..3 {
            let numbers: Vec<i64> = (0..200).map(|i| rng.below(i / 10 + 1) as i64 - 7).collect();
            let labels = |numbers: &[i64]| match kind {
                0 => RawLabels::Int(numbers.to_vec()),
                1 => RawLabels::Float(numbers.iter().map(|y| *y as f64 / 4.0).collect()),
                _ => RawLabels::Text(numbers.iter().map(ToString::to_string).collect()),
            };
            let whole = Arrivals::of(None, &labels(&numbers), None, None).unwrap();
            for size in [1, 3, 50] {
                let (mut known, mut indices) = (None, Vec::new());
                for part in numbers.chunks(size) {
                    let batch = Arrivals::of(known.as_ref(), &labels(part), None, None).unwrap();
                    indices.extend_from_slice(batch.indices());
                    batch.settle(&mut known, part.len());
                }
                assert_eq!((&indices[..], known), (whole.indices(), Some(whole.all(None))));
            }
        }
    }

    #[test]
    fn labels_of_another_kind_are_refused_by_their_row() {
        let cases = [
            (
                Classes::Int(vec![1]),
                RawLabels::Float(vec![2.0, 0.5]),
                "integers, as the labels before, got 0.5 at row 1",
            ),
            (
                Classes::Int(vec![1]),
                RawLabels::Float(vec![f64::NAN]),
                "integers, as the labels before, got NaN at row 0",
            ),
            (Classes::Int(vec![1]), texts(&["1"]), "integers, as the labels before, got \"1\" at row 0"),
            (
                Classes::Float(vec![0.5]),
                RawLabels::Float(vec![0.5, f64::INFINITY]),
                "finite numbers, got inf at row 1",
            ),
            (
                Classes::Float(vec![0.5]),
                RawLabels::Int(vec![3, (1 << 53) + 1]),
                "floats, as the labels before, got 9007199254740993 at row 1",
            ),
            (
                Classes::Float(vec![0.5]),
                RawLabels::Bool(vec![1]),
                "floats, as the labels before, got true at row 0",
            ),
            (
                Classes::Text(vec!["a".into()]),
                RawLabels::Int(vec![1]),
                "strings, as the labels before, got 1 at row 0",
            ),
        ];
        for (known, labels, expected) in cases {
            let error = Arrivals::of(Some(&known), &labels, None, None).unwrap_err().to_string();
            assert_eq!(error, format!("y must be {expected}"));
        }
        let equal = Arrivals::of(Some(&Classes::Int(vec![1])), &RawLabels::Float(vec![2.0, 1.0]), None, None);
        assert_eq!(equal.unwrap().indices(), [1, 0]);
        let zero = Arrivals::of(None, &RawLabels::Float(vec![-0.0, 0.0]), None, None).unwrap();
        assert_eq!(zero.indices(), [0, 0]);
    }
}
