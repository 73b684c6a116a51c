//! The options of CSV.

use super::Csv;
use crate::error::OptionError;
use crate::float::Float;
use crate::format::DEFAULT_MAX_FEATURES;
use crate::parse_error::quote;

impl<T: Float> Csv<T> {
    /// Creates a format with default options: commas, the label in the last field, the header detected.
    #[must_use]
    pub fn new() -> Self {
        Self {
            delimiter: b',',
            header: None,
            label_column: None,
            n_features: None,
            max_features: DEFAULT_MAX_FEATURES,
            missing: false,
            missing_words: Vec::new(),
            decimal: b'.',
            layout: None,
            names: None,
            values: Vec::new(),
            rows: 0,
        }
    }

    /// Sets the byte between fields.
    ///
    /// # Errors
    /// [`OptionError`] if the byte can be part of a number, a quote or a line end.
    pub fn with_delimiter(mut self, delimiter: u8) -> Result<Self, OptionError> {
        if delimiter.is_ascii_alphanumeric() || b"+-.\"\r\n".contains(&delimiter) {
            let expected = "a byte that is no letter, digit, sign, point, quote or line end";
            return Err(OptionError::invalid("delimiter", expected, quote(&[delimiter])));
        }
        self.delimiter = delimiter;
        Ok(self)
    }

    /// Specifies whether the first line that is not blank contains the column names.
    #[must_use]
    pub fn with_header(mut self, header: bool) -> Self {
        self.header = Some(header);
        self
    }

    /// Specifies the field of the label: 0 is the first, -1 the last.
    #[must_use]
    pub fn with_label_column(mut self, position: i64) -> Self {
        self.label_column = Some(position);
        self
    }

    /// Specifies the number of features, without the label. Lines with another number are errors.
    ///
    /// # Errors
    /// [`OptionError`] if it is 0.
    pub fn with_n_features(mut self, n_features: usize) -> Result<Self, OptionError> {
        if n_features == 0 {
            return Err(OptionError::invalid("n_features", "at least 1", n_features));
        }
        self.n_features = Some(n_features);
        Ok(self)
    }

    /// Limits the number of features if it is not specified, by default to [`DEFAULT_MAX_FEATURES`].
    ///
    /// # Errors
    /// [`OptionError`] if it is 0.
    pub fn with_max_features(mut self, max_features: usize) -> Result<Self, OptionError> {
        if max_features == 0 {
            return Err(OptionError::invalid("max_features", "at least 1", max_features));
        }
        self.max_features = max_features;
        Ok(self)
    }

    /// Specifies the decimal sign: a point, or a comma. With a comma a point in a number is an error.
    ///
    /// # Errors
    /// [`OptionError`] for another sign.
    pub fn with_decimal(mut self, decimal: u8) -> Result<Self, OptionError> {
        if !matches!(decimal, b'.' | b',') {
            return Err(OptionError::invalid("decimal", "a point or a comma", quote(&[decimal])));
        }
        self.decimal = decimal;
        Ok(self)
    }

    /// Specifies texts that are missing values in addition to the usual ones.
    #[must_use]
    pub fn with_missing_words(mut self, words: Vec<String>) -> Self {
        self.missing_words = words;
        self
    }

    /// Specifies whether missing values are allowed. They become NaN.
    #[must_use]
    pub fn with_missing(mut self, missing: bool) -> Self {
        self.missing = missing;
        self
    }
}
