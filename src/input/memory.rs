//! The estimated memory of scaler and metric.

use super::scaler::feature_bytes;
use crate::float::Real;
use crate::params::{MetricLearning, Scaling, Spec};

/// Bytes of metric learning in addition to its matrices.
const METRIC_BUFFER_BYTES: f64 = 8000.0;

/// The estimated bytes of scaler and metric.
pub(crate) fn input_bytes<T: Real>(spec: &Spec, features: usize) -> f64 {
    let metric = match spec.metric_learning {
        MetricLearning::None => 0.0,
        MetricLearning::Auto | MetricLearning::Diagonal | MetricLearning::Full => {
            let side = spec.metric_learning.max_matrix_features(features).map_or(0, |max| max.min(features));
            // A, pending steps and buffers.
            4.0 * (side as f64).powi(2) * size_of::<T>() as f64 + METRIC_BUFFER_BYTES
        }
    };
    let scaler = match spec.scaling {
        Scaling::None => 0.0,
        Scaling::Online => features as f64 * feature_bytes::<T>() as f64,
    };
    metric + scaler
}
