//! Construction of the pipeline, and settings before the first row.

use super::{
    Bandwidth, Categories, FeatureHasher, FixedScaler, GammaOf, InputMap, Metric, MissingValues, Moments,
    RowTransform, RunningScaler, Scaler,
};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::params::{CheckedSpec, Forget, Gamma, Scaling};
use crate::persist::Tensors;

/// The smallest maximum of effective rows of running statistics with `forget = "auto"`.
const AUTO_WINDOW_ROWS: u64 = 3000;

impl<T: Real> InputMap<T> {
    /// The pipeline of checked parameters, from rows of `columns` columns to rows of `features` features.
    pub(crate) fn new(spec: &CheckedSpec, features: usize, columns: usize) -> Self {
        let parameters = spec.spec();
        let hasher = parameters.hash_features;
        let window_rows = match parameters.forget {
            Forget::None => None,
            Forget::Auto => Some(AUTO_WINDOW_ROWS),
            Forget::Rows(rows) => Some(rows),
        };
        let running =
            || RunningScaler::new(features, window_rows, spec.accepts_nan(), spec.has_linear_excess());
        let metric = parameters.metric_learning;
        Self {
            row_transform: RowTransform {
                hasher: hasher.map(|features| FeatureHasher::new(features, spec.seed(), columns)),
                scaler: (parameters.scaling == Scaling::Online).then(|| Scaler::Running(running())),
                categories: None,
                missing_values: MissingValues::of(spec),
            },
            bandwidth: bandwidth(spec),
            metric: metric.max_matrix_features(features).map(|side| {
                // A model with one feature at the start has a matrix, if any model has.
                Metric::new(side, metric.max_matrix_features(1).unwrap_or(side), features)
            }),
            frozen: false,
        }
    }

    /// Standardises rows by given means and standard deviations; `shifted` if the kernel needs the shift.
    pub(crate) fn set_scaling(
        &mut self,
        (mean, deviation): (&[f64], &[f64]),
        features: usize,
        shifted: bool,
    ) -> Result<()> {
        if let Some(Scaler::Running(_) | Scaler::Frozen(_)) = self.row_transform.scaler {
            return Err(Error::State("set_scaling cannot be combined with scaling = \"online\"".into()));
        }
        self.row_transform.scaler =
            Some(Scaler::Fixed(FixedScaler::new(mean, deviation, features, shifted)?));
        Ok(())
    }

    /// Sets the categorical column of each feature, for models with running standardisation of unhashed rows.
    pub(crate) fn set_categories(&mut self, columns: &[Option<u32>]) {
        let RowTransform { hasher, scaler, categories, .. } = &mut self.row_transform;
        let is_used = hasher.is_none() && scaler.as_ref().is_some_and(Scaler::makes_dense);
        if is_used && columns.iter().any(Option::is_some) {
            categories.get_or_insert_with(|| Categories::new(columns.len())).set_columns(columns);
        }
    }

    /// Copies gamma, scaler and metric of another pipeline, and freezes them.
    pub(crate) fn freeze_copy_of(&mut self, other: &Self) {
        self.bandwidth = Bandwidth::Constant;
        self.row_transform.scaler = other.row_transform.scaler.as_ref().map(Scaler::frozen);
        self.row_transform.categories = other.row_transform.categories.as_ref().map(Categories::frozen);
        self.metric.clone_from(&other.metric);
        self.frozen = true;
    }

    /// Prepares for the state in a model file, which may be frozen or have given means and standard deviations.
    pub(crate) fn prepare_for_file(&mut self, from: &Tensors, shifted: bool) {
        self.frozen = from.contains("frozen");
        if self.frozen {
            self.bandwidth = Bandwidth::Constant;
            self.row_transform.scaler = self.row_transform.scaler.as_ref().map(Scaler::frozen);
        }
        if from.contains("categories") {
            let categories = Categories::new(0);
            let categories = if self.frozen { categories.frozen() } else { categories };
            self.row_transform.categories = Some(categories);
        }
        if self.row_transform.scaler.is_none() && from.contains("scaling") {
            self.row_transform.scaler = Some(Scaler::Fixed(FixedScaler::unloaded(shifted)));
        }
    }
}

/// The source of gamma.
fn bandwidth(spec: &CheckedSpec) -> Bandwidth {
    let of = match spec.spec().gamma {
        Gamma::Scale => GammaOf::Variance,
        Gamma::Standardized => GammaOf::MeanSquaredNorm,
        Gamma::Auto | Gamma::Value(_) => return Bandwidth::Constant,
    };
    if spec.spec().kernel.has("gamma") {
        Bandwidth::Running(of, Moments::default())
    } else {
        Bandwidth::Constant
    }
}
