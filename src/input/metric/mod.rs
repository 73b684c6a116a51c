//! Metric learning: the kernel measures distances between rows `z = A x`, and A follows the gradient of the margins.
//!
//! Weinberger and Tesauro (2007) learn the metric of kernel regression by gradient descent. Here each margin violation
//! makes a step, and steps are applied to A and to the stored support vectors `z` together, at the start of a block.

mod diagonal;
mod entries;
mod full;
mod schedule;
#[cfg(test)]
mod tests;

use crate::batch::{Label, Row};
use crate::component::{Component, Loading};
use crate::error::Result;
use crate::expansion::{KernelExpansion, OnEdit, Scored};
use crate::float::Real;
use crate::losses::margin;
use crate::ops::{MarginContrast, Ops, SimdBuffer};
use crate::persist::Tensors;
use diagonal::Scales;
use entries::{MAX_METRIC_ENTRY, check_entries};
use full::Matrix;

/// The linear map A.
#[derive(Debug, Clone)]
enum Map<T: Real> {
    Diagonal(Vec<T>),
    /// A matrix over the first features, and a scale for each feature that was appended later.
    Full(Box<Matrix<T>>, Vec<T>),
}

impl<T: Real> Map<T> {
    /// The identity, with a matrix over at most `max_side` features; diagonal if `max_side` is 0.
    fn new(max_side: usize, features: usize) -> Self {
        match features.min(max_side) {
            0 => Self::Diagonal(vec![T::ONE; features]),
            side => Self::Full(Box::new(Matrix::new(side)), vec![T::ONE; features - side]),
        }
    }

    #[inline(always)]
    fn apply(&self, ops: Ops<T>, x: Row<'_, T>, lanes: &mut SimdBuffer<T>, z: &mut Vec<T>) {
        match self {
            Self::Diagonal(scales) => {
                z.resize(scales.len(), T::ZERO);
                x.scatter(z);
                z.iter_mut().zip(scales).for_each(|(z, scale)| *z *= *scale);
            }
            Self::Full(matrix, scales) if scales.is_empty() => matrix.apply(ops, x, lanes, z),
            Self::Full(matrix, scales) => {
                let side = matrix.features();
                let (head, tail) = x.split(side);
                matrix.apply(ops, head, lanes, z);
                z.resize(side + scales.len(), T::ZERO);
                for (i, x) in tail.values().iter().enumerate() {
                    let j = tail.feature(i) + if let Row::Dense(_) = tail { side } else { 0 };
                    z[j] = *x * scales[j - side];
                }
            }
        }
    }
}

/// The map A, with the state of its learning.
#[derive(Debug, Clone)]
pub(crate) struct Metric<T: Real> {
    /// The maximum number of features of the matrix; 0 if A is diagonal.
    max_side: usize,
    /// The value of `max_side` in a model whose A has a matrix, as a model file may have.
    max_side_if_full: usize,
    map: Map<T>,
    scales: Scales,
    buffers: Buffers<T>,
}

/// Buffers of a step; never saved.
#[derive(Debug, Clone, Default)]
struct Buffers<T: Real> {
    slopes: SimdBuffer<T>,
    costs: SimdBuffer<T>,
    squares: Vec<T>,
    factors: Vec<T>,
}

/// The scores of the margin of an example with the coefficients `alpha`: the score of the class minus the score of the
/// strongest rival. With one output, the score with the sign of the update.
fn margin_contrast<T: Real>(scored: &Scored<'_, T>, alpha: &[T]) -> MarginContrast<T> {
    let label = scored.example.label;
    match label {
        Label::Class(y) => {
            MarginContrast { sign: T::ONE, plus: y as usize, minus: Some(margin(label, scored.f).1) }
        }
        Label::Sign(_) | Label::Value(_) => {
            MarginContrast { sign: T::ONE.copysign(alpha[0]), plus: 0, minus: None }
        }
    }
}

#[cfg(test)]
impl<T: Real> Metric<T> {
    /// Fills the buffers with numbers that nobody may read.
    pub(super) fn poison(&mut self) {
        let Buffers { slopes, costs, squares, factors } = &mut self.buffers;
        [slopes, costs].into_iter().for_each(SimdBuffer::poison);
        for numbers in [squares, factors] {
            numbers.fill(T::from_f64(7e3));
        }
        if let Map::Full(matrix, _) = &mut self.map {
            matrix.poison();
        }
    }
}

impl<T: Real> Metric<T> {
    /// The identity: a matrix over at most `max_side` features, and a scale for each of the remaining features.
    /// `max_side_if_full` is the maximum of a model whose A has a matrix.
    pub(crate) fn new(max_side: usize, max_side_if_full: usize, features: usize) -> Self {
        Self {
            max_side,
            max_side_if_full,
            map: Map::new(max_side, features),
            scales: Scales::new(features),
            buffers: Buffers::default(),
        }
    }

    /// Whether A maps the features one by one.
    pub(crate) fn is_diagonal(&self) -> bool {
        self.diagonal().is_some()
    }

    /// The factor of each feature, if A maps the features one by one.
    #[inline(always)]
    pub(crate) fn diagonal(&self) -> Option<&[T]> {
        match &self.map {
            Map::Diagonal(scales) => Some(scales),
            Map::Full(..) => None,
        }
    }

    /// The largest `|z|^2 / |x|^2`.
    pub(crate) fn max_stretch(&self) -> f64 {
        match &self.map {
            Map::Diagonal(_) => MAX_METRIC_ENTRY * MAX_METRIC_ENTRY,
            Map::Full(matrix, _) => (matrix.features() as f64 * MAX_METRIC_ENTRY).powi(2),
        }
    }

    /// `z = A x`.
    #[inline(always)]
    pub(crate) fn apply(&self, ops: Ops<T>, x: Row<'_, T>, lanes: &mut SimdBuffer<T>, z: &mut Vec<T>) {
        self.map.apply(ops, x, lanes, z);
    }

    /// Learns from an example, before it becomes a support vector with the coefficients `alpha`.
    pub(crate) fn learn(&mut self, expansion: &KernelExpansion<T>, scored: &Scored<'_, T>, alpha: &[T]) {
        let Self { map, scales, buffers, .. } = self;
        let z = scored.query.z.values();
        let Buffers { slopes, costs, squares, .. } = buffers;
        let kernel =
            expansion.kernel().mergeable().expect("the checked specification has a kernel of the distance");
        expansion.slopes(kernel, scored.k, margin_contrast(scored, alpha), slopes, costs);
        if let Map::Full(matrix, _) = map {
            matrix.learn(expansion, (slopes, costs), z);
        }
        squares.resize(z.len(), T::ZERO);
        expansion.squares(slopes, z, squares);
        scales.learn(squares);
    }

    /// Applies the pending steps to A and to the support vectors, once there are enough of them.
    pub(crate) fn apply_pending_steps(
        &mut self,
        expansion: &mut KernelExpansion<T>,
        derived_state: &mut impl OnEdit<T>,
    ) {
        let Self { map, scales, buffers, .. } = self;
        let factors = &mut buffers.factors;
        if let Map::Full(matrix, _) = map {
            matrix.apply_pending_steps(expansion, derived_state);
        }
        if !scales.factors(factors) {
            return;
        }
        let applied = match map {
            Map::Diagonal(scales) => {
                scales.iter_mut().zip(&*factors).for_each(|(scale, factor)| *scale *= *factor);
                true
            }
            Map::Full(matrix, scales) => {
                let (matrix_factors, scale_factors) = factors.split_at(matrix.features());
                let applied = matrix.scale_rows(expansion.ops(), matrix_factors);
                if applied {
                    scales.iter_mut().zip(scale_factors).for_each(|(scale, factor)| *scale *= *factor);
                }
                applied
            }
        };
        scales.end_steps(applied);
        if applied {
            expansion.stretch(factors, derived_state);
        }
    }

    /// The entries of A, row by row; only the diagonal of a diagonal A.
    pub(crate) fn entries(&self) -> Vec<T> {
        match &self.map {
            Map::Diagonal(scales) => scales.clone(),
            Map::Full(matrix, scales) => matrix.entries(scales),
        }
    }
}

impl<T: Real> Component<T> for Metric<T> {
    fn add_features(&mut self, features: usize) {
        self.scales.add_features(features);
        match &mut self.map {
            Map::Diagonal(scales) => scales.resize(features, T::ONE),
            Map::Full(matrix, scales) => {
                let side = features.min(self.max_side);
                if side > matrix.features() {
                    matrix.add_features(side);
                }
                scales.resize(features - side, T::ONE);
            }
        }
    }

    fn save(&self, out: &mut Tensors) {
        let out = out.scope_mut("metric");
        self.scales.save(out.scope_mut("scales"));
        match &self.map {
            Map::Diagonal(scales) => out.put("diagonal", &[scales.len()], scales.iter().copied()),
            Map::Full(matrix, scales) => {
                let out = out.scope_mut("full");
                matrix.save(out);
                if !scales.is_empty() {
                    out.put("rest", &[scales.len()], scales.iter().copied());
                }
            }
        }
    }

    /// A model that had many features from the start may have no matrix.
    fn load(&mut self, from: &Tensors, head: &Loading) -> Result<()> {
        let from = from.scope("metric")?;
        let side = if from.contains("full") { self.max_side_if_full } else { 0 };
        *self = Self::new(side, self.max_side_if_full, head.features);
        self.scales.load(from.scope("scales")?)?;
        match &mut self.map {
            Map::Diagonal(scales) => {
                *scales = from.get("diagonal", &[head.features])?;
                check_entries(scales)
            }
            Map::Full(matrix, scales) => {
                let from = from.scope("full")?;
                matrix.load(from)?;
                if !scales.is_empty() {
                    *scales = from.get("rest", &[scales.len()])?;
                    check_entries(scales)?;
                }
                Ok(())
            }
        }
    }
}
