//! The terms of the scores of a row.

use super::basis::{basis_coef_of, n_linear_inputs_of};
use super::{Learner, Rows};
use crate::error::Result;
use crate::float::Real;

/// The terms that sum to the scores of a row, `n_outputs` each, of the model used for prediction.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// The class of each support vector, in insertion order: the class of the row that it was, of merged rows
    /// the class of the row of larger weight. Empty in regression.
    pub classes: Vec<usize>,
    /// The scores.
    pub scores: Vec<f64>,
    /// The kernel value of the row and each support vector.
    pub similarities: Vec<f64>,
    /// For each support vector its coefficients times its kernel value.
    pub vectors: Vec<f64>,
    /// For each feature or column its slopes in the linear term times its value; zeros without a linear term.
    pub linear: Vec<f64>,
    /// The names of the columns, if `linear` has terms of columns.
    pub columns: Option<Vec<String>>,
    /// The constants of the linear term; zeros without a linear term.
    pub constant: Vec<f64>,
    /// What limiting the prediction to the range of the targets adds, in regression with `online-kernel`.
    pub limit: Vec<f64>,
}

impl<T: Real> Learner<T> {
    /// The terms that sum to the scores of the first row.
    ///
    /// # Errors
    /// As [`Learner::decision_function`].
    pub fn explain(&self, rows: &Rows<'_, T>) -> Result<Explanation> {
        let predictor = self.predictor();
        let values = self.basis_of(&predictor, rows, &[0])?;
        let coefficients = basis_coef_of(&predictor);
        let (outputs, features, inputs) =
            (self.n_outputs(), self.n_features(), n_linear_inputs_of(&predictor));
        let terms: Vec<f64> = coefficients
            .chunks_exact(outputs)
            .zip(&values)
            .flat_map(|(alpha, value)| alpha.iter().map(|alpha| alpha * value.to_f64()))
            .collect();
        let (inputs_terms, vectors) = terms.split_at(inputs * outputs);
        let mut linear = vec![0.0; features * outputs];
        let mut constant = vec![0.0; outputs];
        if inputs > 0 {
            let (slopes, last) = inputs_terms.split_at((inputs - 1) * outputs);
            constant.copy_from_slice(last);
            // The excess of each feature follows the features.
            for (at, term) in slopes.iter().enumerate() {
                linear[at % (features * outputs)] += term;
            }
        }
        let limit = (0..outputs).map(|output| {
            let sum = terms.iter().skip(output).step_by(outputs).sum();
            let f = T::from_f64(sum);
            self.rule.limited(f).to_f64() - f.to_f64()
        });
        let expansion = predictor.expansion;
        Ok(Explanation {
            scores: self.decision_function(rows)?.into_iter().map(T::to_f64).collect(),
            columns: None,
            classes: expansion.order().iter().filter_map(|slot| expansion.label(slot).class()).collect(),
            similarities: values[inputs..].iter().map(|value| value.to_f64()).collect(),
            limit: limit.collect(),
            vectors: vectors.to_vec(),
            linear,
            constant,
        })
    }
}
