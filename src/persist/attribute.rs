//! [`Attribute`]: scalars, strings and short lists, and their exact encoding in JSON.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

/// A value of a model that is not a tensor.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Attribute {
    /// A boolean.
    Bool(bool),
    /// An unsigned integer of 64 bits.
    U64(u64),
    /// A signed integer.
    I64(i64),
    /// A float, with all its bits.
    F64(f64),
    /// A string.
    Text(String),
    /// A list of integers, such as class labels.
    I64s(Vec<i64>),
    /// A list of floats, with all their bits.
    F64s(Vec<f64>),
    /// A list of strings, such as class labels.
    Texts(Vec<String>),
}

/// Compares bits: a NaN equals itself, and 0 differs from -0.
impl PartialEq for Attribute {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::U64(a), Self::U64(b)) => a == b,
            (Self::I64(a), Self::I64(b)) => a == b,
            (Self::F64(a), Self::F64(b)) => a.to_bits() == b.to_bits(),
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::I64s(a), Self::I64s(b)) => a == b,
            (Self::F64s(a), Self::F64s(b)) => a.iter().map(|a| a.to_bits()).eq(b.iter().map(|b| b.to_bits())),
            (Self::Texts(a), Self::Texts(b)) => a == b,
            _ => false,
        }
    }
}

impl Attribute {
    /// The name of the type in the file.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Bool(_) => "bool",
            Self::U64(_) => "u64",
            Self::I64(_) => "i64",
            Self::F64(_) => "f64",
            Self::Text(_) => "text",
            Self::I64s(_) => "i64s",
            Self::F64s(_) => "f64s",
            Self::Texts(_) => "texts",
        }
    }

    /// Encodes the value as an array of its type and its content.
    pub(super) fn to_json(&self) -> Json {
        let content = match self {
            Self::Bool(x) => json!(u8::from(*x)),
            Self::U64(x) => json!(hex(*x)),
            Self::I64(x) => json!(x),
            Self::F64(x) => json!(hex(x.to_bits())),
            Self::Text(x) => json!(x),
            Self::I64s(x) => json!(x),
            Self::F64s(x) => x.iter().map(|x| hex(x.to_bits())).collect(),
            Self::Texts(x) => json!(x),
        };
        json!([self.type_name(), content])
    }

    /// Decodes the array of [`Attribute::to_json`]. Other spellings that it accepts are found later, by the comparison
    /// of the encoded bytes.
    pub(super) fn from_json(json: Json) -> Option<Self> {
        let Json::Array(pair) = json else { return None };
        let [Json::String(kind), content] = <[Json; 2]>::try_from(pair).ok()? else { return None };
        Some(match (kind.as_str(), content) {
            ("bool", x) => Self::Bool(x.as_u64()? != 0),
            ("u64", x) => Self::U64(parse_hex(&x)?),
            ("i64", x) => Self::I64(x.as_i64()?),
            ("f64", x) => Self::F64(f64::from_bits(parse_hex(&x)?)),
            ("text", Json::String(x)) => Self::Text(x),
            ("i64s", Json::Array(x)) => Self::I64s(x.iter().map(Json::as_i64).collect::<Option<_>>()?),
            ("f64s", Json::Array(x)) => {
                Self::F64s(x.iter().map(|x| parse_hex(x).map(f64::from_bits)).collect::<Option<_>>()?)
            }
            ("texts", Json::Array(x)) => Self::Texts(x.into_iter().map(text).collect::<Option<_>>()?),
            _ => return None,
        })
    }
}

fn hex(bits: u64) -> String {
    format!("{bits:016x}")
}

fn parse_hex(json: &Json) -> Option<u64> {
    u64::from_str_radix(json.as_str()?, 16).ok()
}

fn text(json: Json) -> Option<String> {
    match json {
        Json::String(text) => Some(text),
        _ => None,
    }
}

macro_rules! from {
    ($($type:ty: $x:ident => $attribute:expr;)+) => {$(
        impl From<$type> for Attribute {
            fn from($x: $type) -> Self {
                $attribute
            }
        }
    )+};
}

from! {
    bool: x => Self::Bool(x);
    u64: x => Self::U64(x);
    usize: x => Self::U64(x as u64);
    i64: x => Self::I64(x);
    f64: x => Self::F64(x);
    &str: x => Self::Text(x.to_owned());
    String: x => Self::Text(x);
    Vec<i64>: x => Self::I64s(x);
    Vec<f64>: x => Self::F64s(x);
    Vec<String>: x => Self::Texts(x);
}
