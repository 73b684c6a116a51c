//! Learners of both float types as one type.

use crate::error::{Error, Result};
use crate::float::Real;
use crate::learner::Learner;
use crate::params::CheckedSpec;
use crate::persist::Tensors;

/// A learner of one of the float types.
#[derive(Debug, Clone)]
pub enum AnyLearner {
    /// In single precision.
    F32(Learner<f32>),
    /// In double precision.
    F64(Learner<f64>),
}

/// Evaluates an expression that is generic over the learner's float type.
macro_rules! with_learner {
    ($any:expr, $learner:ident => $op:expr) => {
        match $any {
            $crate::model::AnyLearner::F32($learner) => $op,
            $crate::model::AnyLearner::F64($learner) => $op,
        }
    };
}
pub(crate) use with_learner;

impl AnyLearner {
    /// Number of classes.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        with_learner!(self, learner => learner.n_classes())
    }

    /// The name of the float type.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::F32(_) => f32::NAME,
            Self::F64(_) => f64::NAME,
        }
    }

    pub(super) fn load(spec: &CheckedSpec, dtype: &str, from: &Tensors) -> Result<Self> {
        match dtype {
            name if name == f32::NAME => Ok(Self::F32(Learner::load(spec, from)?)),
            name if name == f64::NAME => Ok(Self::F64(Learner::load(spec, from)?)),
            other => Err(Error::Model(format!("unknown dtype {other:?}").into())),
        }
    }
}
