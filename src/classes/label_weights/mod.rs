//! Weights of rows by their labels.

#[cfg(test)]
mod tests;

use super::{Classes, Labels, exact_integer, truncated};
use crate::count::MAX_WEIGHT;
use crate::error::{Error, Result};

/// The name of the parameter in messages.
const NAME: &str = "class_weight";

/// Weights of some labels. All other labels have weight 1.
///
/// Labels are compared as Python compares them: an integer equals the float of the same value.
///
/// ```
/// use budgetrs::classes::{LabelWeights, Labels};
///
/// let rare = LabelWeights::new(&Labels::Text(vec!["fraud".into()]), &[5.0])?;
/// let y = Labels::Text(vec!["fraud".into(), "fair".into()]);
/// assert_eq!(rare.row_weights(&y, Some(&[2.0, 2.0]))?, [10.0, 2.0]);
/// # Ok::<(), budgetrs::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LabelWeights {
    /// Sorted and distinct.
    labels: Labels,
    weights: Vec<f64>,
}

/// A label.
#[derive(Debug, Clone, Copy)]
enum Label<'a> {
    Bool(i64),
    Int(i64),
    Float(f64),
    Text(&'a str),
}

impl LabelWeights {
    /// The most bytes that labels and weights take in a model file.
    const MAX_BYTES: usize = 1 << 15;

    /// The weights of these labels.
    ///
    /// # Errors
    /// If the numbers of labels and weights differ, a weight is not a finite number >= 0, a label is not finite or not
    /// the only one of its value, or labels and weights are too long for a model file.
    pub fn new(labels: &Labels, weights: &[f64]) -> Result<Self> {
        let error = |expected: &'static str, got: String| Err(Error::parameter(NAME, expected, got));
        if labels.len() != weights.len() {
            return error("one weight for each label", format!("{} for {}", weights.len(), labels.len()));
        }
        let shown = |row: usize| label_at(labels, row).map_or(String::new(), |label| label.to_string());
        if let Some(row) = weights.iter().position(|weight| !(weight.is_finite() && *weight >= 0.0)) {
            return error("finite numbers >= 0", format!("{} for the label {}", weights[row], shown(row)));
        }
        let mut order: Vec<usize> = (0..labels.len()).collect();
        let labels = match labels {
            Labels::Bool(y) => Labels::Bool(sorted(&mut order, y, Ord::cmp)),
            Labels::Int(y) => Labels::Int(sorted(&mut order, y, Ord::cmp)),
            Labels::Text(y) => Labels::Text(sorted(&mut order, y, Ord::cmp)),
            Labels::Float(y) => {
                if let Some(label) = y.iter().find(|label| !label.is_finite()) {
                    return error("weights of finite labels", format!("the label {label}"));
                }
                // -0.0 and 0.0 are equal labels.
                let y: Vec<f64> = y.iter().map(|label| label + 0.0).collect();
                Labels::Float(sorted(&mut order, &y, f64::total_cmp))
            }
        };
        // A weight of -0.0 is 0.
        let weights = order.iter().map(|row| weights[*row] + 0.0).collect();
        let by_label = Self { labels, weights };
        if let Some(row) = by_label.second_of_a_pair() {
            return error("weights of different labels", format!("two for {}", by_label.label(row)));
        }
        if by_label.bytes() > Self::MAX_BYTES {
            let expected =
                format!("labels and weights that take at most {} bytes in a model file", Self::MAX_BYTES);
            return Err(Error::parameter(NAME, expected, format!("{} longer ones", by_label.len())));
        }
        Ok(by_label)
    }

    /// The labels, sorted.
    #[must_use]
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The weight of each label.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Number of labels.
    #[must_use]
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether all labels have weight 1.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The weight of each row times the weight of its label. Weights that are no valid weights of rows stay as they
    /// are.
    ///
    /// # Errors
    /// If a product is more than 1e9.
    pub fn row_weights(&self, y: &Labels, weights: Option<&[f64]>) -> Result<Vec<f64>> {
        let weights = weights.map_or_else(|| vec![1.0; y.len()], <[f64]>::to_vec);
        if weights.len() != y.len() {
            return Ok(weights);
        }
        let times = |(row, weight): (usize, f64)| {
            let product = label_at(y, row).map_or(weight, |label| self.times(label, weight));
            if product > MAX_WEIGHT && weight <= MAX_WEIGHT {
                let expected = "a weight that, times sample_weight, is at most 1e9 in every row";
                return Err(Error::entry(NAME, expected, product, row));
            }
            Ok(product)
        };
        weights.into_iter().enumerate().map(times).collect()
    }

    /// A weight of a row times the weight of its class.
    pub(crate) fn row_weight(&self, classes: &Classes, class: usize, weight: f64) -> f64 {
        let label = match classes {
            Classes::Bool => Some(Label::Bool(class as i64)),
            Classes::Int(c) => c.get(class).map(|label| Label::Int(*label)),
            Classes::Float(c) => c.get(class).map(|label| Label::Float(*label)),
            Classes::Text(c) => c.get(class).map(|label| Label::Text(label)),
        };
        label.map_or(weight, |label| self.times(label, weight))
    }

    /// Checks that the labels are classes of a closed class set. If all classes have weights, there may be weights of
    /// other labels too.
    ///
    /// # Errors
    /// If a class has no weight, and a label is not a class; the error names the label.
    pub fn check_classes(&self, classes: &Classes) -> Result<()> {
        let mut is_class = vec![false; self.len()];
        let classes_of = classes.labels();
        for class in (0..classes.len()).filter_map(|class| label_at(&classes_of, class)) {
            if let Some(found) = self.find(class) {
                is_class[found] = true;
            }
        }
        let n_weighted = is_class.iter().filter(|is_class| **is_class).count();
        match is_class.iter().position(|is_class| !is_class) {
            Some(other) if n_weighted < classes.len() => {
                let got = format!("a weight for {}", self.label(other));
                Err(Error::parameter(NAME, format!("weights of the classes {classes}"), got))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Checks that the labels of an open class set are strings where the weighted labels are, and only there.
    pub(crate) fn check_type(&self, are_text: bool) -> Result<()> {
        if self.is_empty() || matches!(self.labels, Labels::Text(_)) == are_text {
            return Ok(());
        }
        let kind = if are_text { "strings" } else { "numbers" };
        let got = format!("a weight for {}", self.label(0));
        Err(Error::parameter(NAME, format!("weights of {kind}, as the labels in y"), got))
    }

    /// The first label that equals the label before it.
    fn second_of_a_pair(&self) -> Option<usize> {
        fn second<L: PartialEq>(labels: &[L]) -> Option<usize> {
            labels.windows(2).position(|pair| pair[0] == pair[1]).map(|first| first + 1)
        }
        match &self.labels {
            Labels::Bool(c) | Labels::Int(c) => second(c),
            Labels::Float(c) => second(c),
            Labels::Text(c) => second(c),
        }
    }

    /// An upper bound of the bytes in a model file.
    fn bytes(&self) -> usize {
        let label = |row: usize| match self.label(row) {
            // JSON within JSON.
            Label::Text(text) => serde_json::to_string(text).map_or(usize::MAX / 4, |json| 2 * json.len()),
            Label::Bool(_) | Label::Int(_) | Label::Float(_) => 22,
        };
        (0..self.len()).map(|row| label(row).saturating_add(22)).fold(0, usize::saturating_add)
    }

    fn label(&self, row: usize) -> Label<'_> {
        label_at(&self.labels, row).unwrap_or(Label::Text(""))
    }

    /// A valid weight times the weight of a label.
    fn times(&self, label: Label<'_>, weight: f64) -> f64 {
        match self.find(label) {
            Some(found) if (0.0..=MAX_WEIGHT).contains(&weight) => weight * self.weights[found],
            Some(_) | None => weight,
        }
    }

    /// The index of a label, if it is one of the labels.
    fn find(&self, label: Label<'_>) -> Option<usize> {
        match (&self.labels, label) {
            (Labels::Bool(c) | Labels::Int(c), Label::Bool(y) | Label::Int(y)) => c.binary_search(&y).ok(),
            (Labels::Bool(c) | Labels::Int(c), Label::Float(y)) => c.binary_search(&exact_integer(y)?).ok(),
            (Labels::Float(c), Label::Float(y)) => c.binary_search_by(|c| c.total_cmp(&(y + 0.0))).ok(),
            (Labels::Float(c), Label::Bool(y) | Label::Int(y)) => {
                let float = y as f64;
                (exact_integer(float)? == y).then(|| c.binary_search_by(|c| c.total_cmp(&float)).ok())?
            }
            (Labels::Text(c), Label::Text(y)) => c.binary_search_by(|c| c.as_str().cmp(y)).ok(),
            (Labels::Text(_), Label::Bool(_) | Label::Int(_) | Label::Float(_))
            | (Labels::Bool(_) | Labels::Int(_) | Labels::Float(_), Label::Text(_)) => None,
        }
    }
}

/// As Python writes a dict.
impl std::fmt::Display for LabelWeights {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const MAX_LABELS: usize = 20;
        let pair = |row: usize| format!("{}: {}", self.label(row), self.weights[row]);
        let pairs: Vec<_> = (0..self.len().min(MAX_LABELS)).map(pair).collect();
        let more = if self.len() > MAX_LABELS { ", ..." } else { "" };
        write!(f, "{{{}{more}}}", pairs.join(", "))
    }
}

impl std::fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bool(0) => f.write_str("False"),
            Self::Bool(_) => f.write_str("True"),
            Self::Int(label) => write!(f, "{label}"),
            Self::Float(label) => write!(f, "{label}"),
            Self::Text(label) => f.write_str(&truncated(&format!("{label:?}"))),
        }
    }
}

fn label_at(labels: &Labels, row: usize) -> Option<Label<'_>> {
    match labels {
        Labels::Bool(y) => y.get(row).map(|label| Label::Bool(*label)),
        Labels::Int(y) => y.get(row).map(|label| Label::Int(*label)),
        Labels::Float(y) => y.get(row).map(|label| Label::Float(*label)),
        Labels::Text(y) => y.get(row).map(|label| Label::Text(label)),
    }
}

/// The labels in ascending order. Sorts the indices too.
fn sorted<L: Clone>(
    order: &mut [usize],
    labels: &[L],
    compare: impl Fn(&L, &L) -> std::cmp::Ordering,
) -> Vec<L> {
    order.sort_by(|a, b| compare(&labels[*a], &labels[*b]));
    order.iter().map(|row| labels[*row].clone()).collect()
}
