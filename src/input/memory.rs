//! The estimated memory of scaler and metric.

use super::scaler::feature_bytes;
use crate::float::Real;
use crate::params::{MetricLearning, Scaling, Spec};

/// Bytes of metric learning in addition to its matrices.
const METRIC_BUFFER_BYTES: usize = 8000;

/// The estimated bytes of scaler and metric; None if the number overflows.
pub(crate) fn input_bytes<T: Real>(spec: &Spec, features: usize) -> Option<usize> {
    let number = size_of::<T>();
    let metric = match spec.metric_learning {
        MetricLearning::None => 0,
        MetricLearning::Auto | MetricLearning::Diagonal | MetricLearning::Full => {
            // A, pending steps and buffers.
            let side = spec.metric_learning.max_matrix_features(features).map_or(0, |max| max.min(features));
            side.checked_mul(side)?.checked_mul(4 * number)?.checked_add(METRIC_BUFFER_BYTES)?
        }
    };
    let scaler = match spec.scaling {
        Scaling::None => 0,
        Scaling::Online => features.checked_mul(feature_bytes::<T>())?,
    };
    metric.checked_add(scaler)
}
