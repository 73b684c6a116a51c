//! [`Metadata`]: the user's JSON object in a model file.

use crate::error::{Error, Result};
use serde_json::{Map, Value};

/// Maximum number of bytes of the metadata of a model file, as JSON.
pub const MAX_METADATA: usize = 1 << 16;

/// Metadata of a model file: a JSON object of the user, such as the offsets of a log. Training does not change it.
///
/// ```
/// use budgetrs::persist::Metadata;
///
/// let metadata = Metadata::new(r#"{"offset":17}"#)?;
/// assert_eq!(metadata.as_json(), r#"{"offset":17}"#);
/// assert_eq!(Metadata::default().as_json(), "{}");
/// # Ok::<(), budgetrs::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata(
    /// The text, so that reading and writing keep all digits of numbers. Empty for an empty object.
    String,
);

impl Metadata {
    /// Metadata from the text of a JSON object.
    ///
    /// # Errors
    /// If the text has more than [`MAX_METADATA`] bytes, or is not a JSON object.
    pub fn new(json: &str) -> Result<Self> {
        let invalid = |got: String| {
            Error::parameter("metadata", format!("a JSON object of at most {MAX_METADATA} bytes"), got)
        };
        if json.len() > MAX_METADATA {
            return Err(invalid(format!("{} bytes", json.len())));
        }
        let object: Map<String, Value> =
            serde_json::from_str(json).map_err(|error| invalid(format!("other text: {error}")))?;
        Ok(Self(if object.is_empty() { String::new() } else { json.to_owned() }))
    }

    /// The text of the JSON object.
    #[must_use]
    pub fn as_json(&self) -> &str {
        if self.0.is_empty() { "{}" } else { &self.0 }
    }

    /// Returns true if the object is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
