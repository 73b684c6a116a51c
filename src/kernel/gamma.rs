//! The width that most kernels have.

use crate::error::{Error, Result};
use crate::parameter::{Form, ParameterInfo, ParameterType, Range, Value};

/// Where the kernel's gamma comes from.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Gamma {
    /// `1/(d var)`, from the rows before rows 2, 4, ..., 1024.
    #[default]
    Scale,
    /// `1/d`.
    Auto,
    /// `8 / mean |x|^2`, from the rows before rows 2, 4, ..., 1024 as the model scales them: about 8/d of standardised
    /// rows, for a kernel with a heavy tail.
    Standardized,
    /// A number, from [`GAMMA_RANGE`].
    Value(f64),
}

/// The valid gammas: gamma itself fits into single precision; gamma times a squared distance may be infinite.
pub const GAMMA_RANGE: Range = Range::closed(1e-30, 1e30);

/// What `gamma = "standardized"` divides by the mean squared length of rows.
pub(crate) const STANDARDIZED_GAMMA: f64 = 8.0;

pub(crate) const GAMMA: ParameterInfo = ParameterInfo {
    name: "gamma",
    forms: &[Form::Word("scale"), Form::Word("auto"), Form::Word("standardized"), Form::Number(GAMMA_RANGE)],
    description: "The inverse squared width of the kernel (Laplacian kernel: the inverse width; kernels of the inner \
                  product: the factor of the product). A larger gamma fits finer structure and needs more support \
                  vectors; multiply or divide it by 3 to tune it. \"scale\" is ``1 / (n_features * variance)``, \
                  \"auto\" is ``1 / n_features``, and \"standardized\" is 8 over the mean squared length of the \
                  scaled rows: it suits the rational quadratic kernel, and is valid for every kernel with gamma.",
};

impl Gamma {
    /// Parses `"scale"`, `"auto"` or `"standardized"`.
    ///
    /// # Errors
    /// For any other name.
    pub fn named(name: &str) -> Result<Self> {
        let value = Value::Text(name.to_owned());
        Self::from_value(&value).ok_or_else(|| Error::parameter("gamma", GAMMA.valid_values(), value))
    }
}

impl ParameterType for Gamma {
    fn to_value(&self) -> Value {
        match self {
            Self::Scale => Value::Text("scale".into()),
            Self::Auto => Value::Text("auto".into()),
            Self::Standardized => Value::Text("standardized".into()),
            Self::Value(gamma) => Value::Float(*gamma),
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(name) if name == "scale" => Some(Self::Scale),
            Value::Text(name) if name == "auto" => Some(Self::Auto),
            Value::Text(name) if name == "standardized" => Some(Self::Standardized),
            _ => f64::from_value(value).map(Self::Value),
        }
    }
}
