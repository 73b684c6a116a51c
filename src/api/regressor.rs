//! Regression.

use super::Input;
use super::methods::model_methods;
use super::shared::{self, with_learner_and_rows};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::model::{Batch, Fit, Model};
use crate::params::Spec;
use ndarray::Array2;

/// A kernel regressor that learns from a stream, in one pass, with at most `budget` support vectors.
///
/// Use it as [`Classifier`](super::Classifier), for numbers instead of labels. The default needs no tuning,
/// and predicts intervals.
///
/// ```
/// use budgetrs::{Fit, Regressor};
///
/// let x = ndarray::Array2::from_shape_fn((500, 1), |(i, _)| i as f64 / 100.0);
/// let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
/// let mut model = Regressor::builder().budget(50).build()?;
/// model.fit(&x, &y, Fit::default())?;
/// assert!((model.predict_one(&[1.5])? - 1.5f64.sin()).abs() < 0.05);
/// # Ok::<(), budgetrs::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Regressor {
    model: Model,
}

model_methods!(Regressor, Spec::named_regression, true);

impl Regressor {
    /// Learns rows in their order. New categories of a column become features.
    ///
    /// # Errors
    /// If the numbers of rows and targets differ, rows have another number of features or other columns than
    /// before, or a value is infinite or too large. Then nothing is learned.
    pub fn learn<'a>(&mut self, x: impl Into<Input<'a>>, y: &[f64]) -> Result<()> {
        shared::learn(&mut self.model, x.into(), &Batch::values(y), None)
    }

    /// [`Regressor::learn`] with a weight for each row, from 0 to 1e9. A row of weight 2 counts about as two
    /// rows; a row of weight 0 is ignored.
    ///
    /// # Errors
    /// As [`Regressor::learn`]; and if there is not one valid weight per row.
    pub fn learn_weighted<'a>(&mut self, x: impl Into<Input<'a>>, y: &[f64], weights: &[f64]) -> Result<()> {
        let batch = Batch { weights: Some(weights), ..Batch::values(y) };
        shared::learn(&mut self.model, x.into(), &batch, None)
    }

    /// Learns one row: a slice, or pairs of column names and values.
    ///
    /// # Errors
    /// As [`Regressor::learn`].
    pub fn learn_one<'a>(&mut self, x: impl Into<Input<'a>>, y: f64) -> Result<()> {
        let x = x.into();
        if shared::learn_row_without_encoding(&mut self.model, x, y.into())? {
            return Ok(());
        }
        shared::learn(&mut self.model, x, &Batch::values(&[y]), None)
    }

    /// Learns a data set in several passes, each in a new random order: the best use of rows that are all
    /// there. It ends with a ridge regression on the model's basis functions: see
    /// [`Model::fit`](crate::model::Model::fit).
    ///
    /// # Errors
    /// As [`Regressor::learn`]; and if the model has learned rows.
    pub fn fit<'a>(&mut self, x: impl Into<Input<'a>>, y: &[f64], fit: Fit) -> Result<()> {
        shared::learn(&mut self.model, x.into(), &Batch::values(y), Some(fit))
    }

    /// Predicts the target of each row.
    ///
    /// # Errors
    /// If the model has not learned any rows, rows have another number of features or other columns, or a
    /// value is infinite or too large.
    pub fn predict<'a>(&self, x: impl Into<Input<'a>>) -> Result<Vec<f64>> {
        let aligned = shared::align(&self.model, x.into())?;
        with_learner_and_rows!(&self.model, aligned, (learner, rows) => {
            learner.decision_function_parallel(rows).map(|y| y.into_iter().map(Real::to_f64).collect())
        })
    }

    /// Predicts the target of one row.
    ///
    /// # Errors
    /// As [`Regressor::predict`].
    pub fn predict_one<'a>(&self, x: impl Into<Input<'a>>) -> Result<f64> {
        let aligned = shared::align(&self.model, x.into())?;
        with_learner_and_rows!(&self.model, aligned, (learner, rows) => {
            learner.decision_function(rows).map(|y| y[0].to_f64())
        })
    }

    /// An interval for the target of each row, which contains a share `coverage` of the targets in the long
    /// run (Gibbs and Candes 2021): the columns are the lower and the upper ends.
    ///
    /// # Errors
    /// As [`Regressor::predict`]; if the algorithm has no intervals, or the coverage is not from 0.01 to 0.999.
    pub fn predict_interval<'a>(&self, x: impl Into<Input<'a>>, coverage: f64) -> Result<Array2<f64>> {
        let aligned = shared::align(&self.model, x.into())?;
        let ends: Vec<f64> = with_learner_and_rows!(&self.model, aligned, (learner, rows) => {
            learner.predict_interval(rows, coverage).map(|ends| ends.into_iter().map(Real::to_f64).collect())
        })?;
        let shape = (ends.len() / 2, 2);
        Array2::from_shape_vec(shape, ends).map_err(|error| Error::State(error.to_string().into()))
    }
}
