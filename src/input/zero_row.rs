//! Prediction of standardised sparse rows at the cost of their entries.

use super::{Excess, InputBuffers, InputMap, Metric, RowBuffers, RunningScaler};
use crate::batch::{Row, Rows};
use crate::expansion::{KernelExpansion, LinearInput, Predictor};
use crate::float::Real;
use crate::ops::{Differences, SimdBuffer};

/// The row of zeros under the present statistics: a standardised sparse row equals it outside its entries. It belongs
/// to one model, and to one batch of sparse rows to be predicted.
#[derive(Debug)]
pub(crate) struct ZeroRow<T: Real> {
    /// Standardised and clipped.
    x: Vec<T>,
    excess: Excess<T>,
    /// Mapped by the metric.
    z: Vec<T>,
    /// The features in which `z` differs from the base row, because their statistics have changed since the start of the
    /// block.
    changed: Vec<u32>,
    /// The values of the linear term.
    linear_values: SimdBuffer<T>,
}

impl<T: Real> ZeroRow<T> {
    /// The values of the linear term for the row of zeros.
    pub(crate) fn linear_values(&self) -> &SimdBuffer<T> {
        &self.linear_values
    }

    fn excess(&self, feature: usize) -> T {
        let Excess { features, values } = &self.excess;
        features.binary_search(&(feature as u32)).map_or(T::ZERO, |i| values[i])
    }
}

impl<T: Real> InputMap<T> {
    /// The row of zeros for predictions of sparse rows by their entries; None if rows are dense, or the model does not
    /// standardise them or has no base row.
    pub(crate) fn zero_row(&self, rows: &Rows<'_, T>, predictor: &Predictor<'_, T>) -> Option<ZeroRow<T>> {
        let Predictor { expansion, coefficients, .. } = predictor;
        let (base, _) = expansion.base_row()?;
        let keeps_features_apart = self.metric.as_ref().is_none_or(Metric::is_diagonal);
        let zero_is_missing =
            self.row_transform.missing_values.as_ref().is_some_and(|values| values.contains(T::ZERO));
        let is_sparse = matches!(rows, Rows::Sparse { .. });
        if !is_sparse || !self.makes_dense() || !keeps_features_apart || zero_is_missing {
            return None;
        }
        let (ops, mut buffers, mut linear_values) =
            (expansion.ops(), RowBuffers::default(), SimdBuffer::default());
        let input = self.row_transform.transform(ops, Row::Sparse(&[], &[]), &mut buffers);
        if let Some(linear) = coefficients.linear() {
            linear.values(ops, input, &mut linear_values);
        }
        let RowBuffers { scaled: x, excess, .. } = buffers;
        let mut z = x.clone();
        if let Some(scales) = self.metric.as_ref().and_then(Metric::diagonal) {
            z.iter_mut().zip(scales).for_each(|(z, scale)| *z *= *scale);
        }
        let differs = |(feature, (z, b)): (usize, (&T, &T))| (z != b).then_some(feature as u32);
        let changed = z.iter().zip(base).enumerate().filter_map(differs).collect();
        Some(ZeroRow { x, excess, z, changed, linear_values })
    }

    /// Transforms a sparse row: returns its difference from the row of zeros, the input of the linear term, and writes
    /// its differences from the base row, the input of the kernel.
    #[inline(always)]
    pub(crate) fn transform_entries<'a>(
        &self,
        zero: &ZeroRow<T>,
        expansion: &KernelExpansion<T>,
        raw: Row<'_, T>,
        buffers: &'a mut InputBuffers<T>,
        differences: &mut Differences<T>,
    ) -> LinearInput<'a, T> {
        let InputBuffers { x: RowBuffers { marked, hashed, excess, .. }, features, values, .. } = buffers;
        features.clear();
        values.clear();
        excess.clear();
        if let (Some(scaler), Some((base, mut squared_norm))) =
            (self.row_transform.running(), expansion.base_row())
        {
            let raw = self.row_transform.unscaled(raw, hashed, marked);
            let scales = self.metric.as_ref().and_then(Metric::diagonal);
            let mut changed = zero.changed.iter().copied().peekable();
            differences.start(1, 0);
            for (i, &value) in raw.values().iter().enumerate() {
                let j = raw.feature(i);
                let (x, beyond) = self.transform_value(scaler, j, value);
                while let Some(c) = changed.next_if(|c| (*c as usize) < j) {
                    differences.push_feature(c, (zero.z[c as usize], base[c as usize]), &mut squared_norm);
                }
                changed.next_if_eq(&(j as u32));
                let z = scales.map_or(x, |scales| x * scales[j]);
                differences.push_feature(j as u32, (z, base[j]), &mut squared_norm);
                if x != zero.x[j] {
                    features.push(j as u32);
                    values.push(x - zero.x[j]);
                }
                let beyond_zero = zero.excess(j);
                if beyond != beyond_zero {
                    excess.push(j, beyond - beyond_zero);
                }
            }
            for c in changed {
                differences.push_feature(c, (zero.z[c as usize], base[c as usize]), &mut squared_norm);
            }
            differences.end_row(squared_norm);
        }
        excess.of(Row::Sparse(features, values))
    }

    /// The standardised value of one feature, and its excess.
    #[inline(always)]
    fn transform_value(&self, scaler: &RunningScaler<T>, feature: usize, x: T) -> (T, T) {
        let value = scaler.transform_value(feature, x);
        match &self.row_transform.categories {
            Some(categories) => categories.apply_to_value(feature, value),
            None => value,
        }
    }
}
