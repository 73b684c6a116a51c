//! The basis functions of a model.

use super::{LearnBuffers, Learner, Rows};
use crate::error::{Error, Result};
use crate::expansion::Predictor;
use crate::float::Real;

impl<T: Real> Learner<T> {
    /// The number of basis functions of the learned model, which a vote of recent rows does not replace: the
    /// inputs of the linear term (each feature, then its excess beyond the clip if the linear term has it,
    /// then the constant 1), if there is a linear term, and the kernel functions of the support vectors in
    /// insertion order.
    #[must_use]
    pub fn n_basis(&self) -> usize {
        let learned = self.learned();
        n_linear_inputs_of(&learned) + learned.expansion.len()
    }

    /// The values of the basis functions at the rows of these indices, [`Learner::n_basis`] per row.
    ///
    /// # Errors
    /// As [`Learner::kernel_values`], and if an index is out of range.
    pub fn basis(&self, rows: &Rows<'_, T>, order: &[usize]) -> Result<Vec<T>> {
        self.basis_of(&self.learned(), rows, order)
    }

    /// The values of the basis functions of a model at the rows of these indices.
    pub(super) fn basis_of(
        &self,
        predictor: &Predictor<'_, T>,
        rows: &Rows<'_, T>,
        order: &[usize],
    ) -> Result<Vec<T>> {
        self.check_for_scoring(rows)?;
        if let Some(got) = order.iter().find(|&&row| row >= rows.len()) {
            return Err(Error::parameter("order", format!("row indices below {}", rows.len()), got));
        }
        let expansion = predictor.expansion;
        let (inputs, features) = (n_linear_inputs_of(predictor), expansion.features());
        let (mut buffers, mut buffer) = (LearnBuffers::of(expansion), Vec::new());
        let mut values = Vec::with_capacity(order.len() * (inputs + expansion.len()));
        for &row in order {
            let query = self.input.transform(expansion, rows.row(row, &mut buffer), &mut buffers.input);
            if inputs > 0 {
                let first = values.len();
                values.resize(first + inputs - 1, T::ZERO);
                query.x.clipped.scatter(&mut values[first..first + features]);
                if inputs > features + 1 {
                    query.x.excess_row().scatter(&mut values[first + features..]);
                }
                values.push(T::ONE);
            }
            expansion.kernel_row((query.z, query.row_stat), &mut buffers.scores.k);
            values.extend(expansion.order().iter().map(|slot| buffers.scores.k.get(slot.index())));
        }
        Ok(values)
    }

    /// The coefficients of the basis functions: `n_outputs` per function.
    pub(crate) fn basis_coef(&self) -> Vec<f64> {
        basis_coef_of(&self.learned())
    }
}

/// The number of inputs of the linear term of a model; 0 without a linear term.
pub(super) fn n_linear_inputs_of<T: Real>(predictor: &Predictor<'_, T>) -> usize {
    let features = predictor.expansion.features();
    predictor.coefficients.linear().map_or(0, |linear| {
        let excess = if linear.excess().is_some() { features } else { 0 };
        features + excess + 1
    })
}

/// The coefficients of the basis functions of a model: `n_outputs` per function.
pub(super) fn basis_coef_of<T: Real>(predictor: &Predictor<'_, T>) -> Vec<f64> {
    let Predictor { expansion, coefficients, .. } = predictor;
    let (outputs, features, factor) = (expansion.outputs(), expansion.features(), expansion.factor());
    let mut all: Vec<f64> = Vec::new();
    if let Some(linear) = coefficients.linear() {
        for term in std::iter::once(linear).chain(linear.excess()) {
            let entries = (0..features).flat_map(|j| (0..outputs).map(move |output| term.get(output, j)));
            all.extend(entries.map(Real::to_f64));
        }
        all.extend((0..outputs).map(|output| linear.constant(output).to_f64()));
    }
    for slot in expansion.order().iter() {
        all.extend((0..outputs).map(|output| coefficients.get(slot, output).to_f64()));
    }
    for entry in &mut all {
        *entry *= factor;
    }
    all
}
