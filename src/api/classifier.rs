//! Classification.

use super::methods::model_methods;
use super::shared::{self, with_learner_and_rows};
use super::{Builder, ClassLabel, Input};
use crate::classes::{Classes, Labels};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::model::{Batch, Fit, Model};
use crate::params::Spec;
use ndarray::Array2;

/// A kernel classifier that learns from a stream, in one pass, with at most `budget` support vectors.
///
/// Use it for non-linear problems on streams and on tables of any size. The default needs no tuning: it scales the
/// features, learns a metric and a linear term, detects drift, and calibrates probabilities. A row costs
/// `O(budget * features)` time, and the model takes `O(budget * features)` memory, however long the stream is. A linear
/// model is faster where it is as accurate.
///
/// ```
/// use budgetrs::Classifier;
///
/// let mut model = Classifier::new();
/// for i in 0..1000 {
///     let (x, y) = (f64::from(i % 37) / 37.0, f64::from(i % 41) / 41.0);
///     let label = if (x > 0.5) == (y > 0.5) { "same" } else { "other" };
///     model.learn_one(&[x, y], label)?;
/// }
/// assert!(model.predict_one(&[0.2, 0.9])? == "other");
/// assert!(model.progress().error < 0.2);
/// # Ok::<(), budgetrs::Error>(())
/// ```
///
/// Predictions take `&self`: threads that predict can share a model behind an [`Arc`](std::sync::Arc), and the thread
/// that learns replaces it by a clone (see `examples/serve.rs`).
#[derive(Debug, Clone)]
pub struct Classifier {
    model: Model,
}

model_methods!(Classifier, Spec::named, false);

impl Builder<Classifier> {
    /// All class labels, in any order: then a label that is none of them raises an error. Without them a new
    /// label adds a class.
    #[must_use]
    pub fn classes(mut self, labels: impl Into<Labels>) -> Self {
        self.classes = Some(labels.into());
        self
    }
}

impl Classifier {
    /// Learns rows in their order. New labels are new classes, unless the builder got the classes. New categories of a
    /// column become features.
    ///
    /// ```
    /// use budgetrs::Classifier;
    /// use ndarray::array;
    ///
    /// let mut model = Classifier::new();
    /// model.learn(&array![[0.0, 1.0], [5.0, 2.0], [0.5, 1.5]], ["a", "b", "a"])?;
    /// model.learn(&array![[9.0, 9.0]], ["c"])?;
    /// assert_eq!(model.classes().len(), 3);
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the numbers of rows and labels differ, rows have another number of features or other columns than before, a
    /// value is infinite or too large, or a label has another type. Then nothing is learned.
    pub fn learn<'a>(&mut self, x: impl Into<Input<'a>>, y: impl Into<Labels>) -> Result<()> {
        shared::learn(&mut self.model, x.into(), &Batch::labels(&y.into()), None)
    }

    /// [`Classifier::learn`] with a weight for each row, from 0 to 1e9. A row of weight 2 counts about as two
    /// rows; a row of weight 0 is ignored.
    ///
    /// # Errors
    /// As [`Classifier::learn`]; and if there is not one valid weight per row.
    pub fn learn_weighted<'a>(
        &mut self,
        x: impl Into<Input<'a>>,
        y: impl Into<Labels>,
        weights: &[f64],
    ) -> Result<()> {
        let y = y.into();
        let batch = Batch { weights: Some(weights), ..Batch::labels(&y) };
        shared::learn(&mut self.model, x.into(), &batch, None)
    }

    /// Learns one row: a slice, or pairs of column names and values.
    ///
    /// ```
    /// use budgetrs::Classifier;
    ///
    /// let mut model = Classifier::new();
    /// model.learn_one(&[("age", 31.0.into()), ("town", "Oslo".into())], true)?;
    /// model.learn_one(&[("town", "Rome".into()), ("age", None::<f64>.into())], false)?;
    /// assert_eq!(model.classes().len(), 2);
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Classifier::learn`].
    pub fn learn_one<'a>(&mut self, x: impl Into<Input<'a>>, label: impl Into<ClassLabel>) -> Result<()> {
        let (x, label) = (x.into(), label.into());
        let known = self.model.classes.as_ref().and_then(|classes| label.index(classes));
        if let Some(class) = known
            && shared::learn_row_without_encoding(&mut self.model, x, (class as u32).into())?
        {
            return Ok(());
        }
        shared::learn(&mut self.model, x, &Batch::labels(&label.into()), None)
    }

    /// Learns a data set in several passes, each in a new random order: the best use of rows that are all there.
    ///
    /// # Errors
    /// As [`Classifier::learn`]; and if the model has learned rows.
    pub fn fit<'a>(&mut self, x: impl Into<Input<'a>>, y: impl Into<Labels>, fit: Fit) -> Result<()> {
        shared::learn(&mut self.model, x.into(), &Batch::labels(&y.into()), Some(fit))
    }

    /// Predicts the class of each row.
    ///
    /// # Errors
    /// If the model has not learned any rows, rows have another number of features or other columns, or a
    /// value is infinite or too large.
    pub fn predict<'a>(&self, x: impl Into<Input<'a>>) -> Result<Vec<ClassLabel>> {
        let aligned = shared::align(&self.model, x.into())?;
        let classes = with_learner_and_rows!(&self.model, aligned, (learner, rows) => learner.predict(rows))?;
        let labels = self.labels()?;
        Ok(classes.into_iter().map(|class| ClassLabel::of(labels, class as usize)).collect())
    }

    /// Predicts the class of one row.
    ///
    /// # Errors
    /// As [`Classifier::predict`].
    pub fn predict_one<'a>(&self, x: impl Into<Input<'a>>) -> Result<ClassLabel> {
        let aligned = shared::align(&self.model, x.into())?;
        let class = with_learner_and_rows!(&self.model, aligned, (learner, rows) => {
            let scores = learner.decision_function(rows)?;
            Ok(learner.class_of(&scores))
        })?;
        Ok(ClassLabel::of(self.labels()?, class as usize))
    }

    /// The probability of each class for each row: a column per class, in the order of [`Classifier::classes`].
    ///
    /// # Errors
    /// As [`Classifier::predict`]; and if the algorithm has no probabilities.
    pub fn predict_proba<'a>(&self, x: impl Into<Input<'a>>) -> Result<Array2<f64>> {
        let aligned = shared::align(&self.model, x.into())?;
        let p: Vec<f64> = with_learner_and_rows!(&self.model, aligned, (learner, rows) => {
            learner.predict_proba(rows).map(|p| p.into_iter().map(Real::to_f64).collect())
        })?;
        self.by_class(p, 1.0)
    }

    /// A set of classes for each row, which contains the true class of at least a share `coverage` of the
    /// rows in the long run (Gibbs and Candes 2021): a column per class, in the order of
    /// [`Classifier::classes`].
    ///
    /// # Errors
    /// As [`Classifier::predict`]; if the algorithm has no sets, or the coverage is not from 0.01 to 0.999.
    pub fn predict_set<'a>(&self, x: impl Into<Input<'a>>, coverage: f64) -> Result<Array2<bool>> {
        let aligned = shared::align(&self.model, x.into())?;
        let sets = with_learner_and_rows!(&self.model, aligned, (learner, rows) => learner.predict_set(rows, coverage))?;
        self.by_class(sets, true)
    }

    /// One row per prediction. While all rows belong to one class, the learner has a second class without a label.
    fn by_class<V: Clone>(&self, values: Vec<V>, only: V) -> Result<Array2<V>> {
        let n = self.labels()?.len();
        let values = if n == 1 { vec![only; values.len() / 2] } else { values };
        let shape = (values.len() / n, n);
        Array2::from_shape_vec(shape, values).map_err(|error| Error::State(error.to_string().into()))
    }

    /// The class labels: sorted if the builder got them, otherwise in the order of their first rows.
    #[must_use]
    pub fn classes(&self) -> Vec<ClassLabel> {
        let labels = self.model.classes.iter();
        labels.flat_map(|classes| (0..classes.len()).map(|class| ClassLabel::of(classes, class))).collect()
    }

    fn labels(&self) -> Result<&Classes> {
        self.model.classes.as_ref().ok_or_else(|| Error::State("the model has not learned any rows".into()))
    }
}
