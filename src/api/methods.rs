//! The methods that classifiers and regressors have in common.

/// What classifiers and regressors have in common besides learning and predicting: `$named` has the defaults of a named
/// algorithm.
macro_rules! model_methods {
    ($type:ident, $named:path, $is_regression:expr) => {
        impl Default for $type {
            fn default() -> Self {
                Self::new()
            }
        }

        impl $crate::api::shared::FromSpec for $type {
            fn named(algorithm: &str) -> Result<Spec> {
                $named(algorithm)
            }

            fn from_model(model: Model) -> Self {
                Self { model }
            }
        }

        impl $type {
            /// A model with the default parameters.
            ///
            /// # Panics
            /// Never: the default parameters are valid.
            #[must_use]
            pub fn new() -> Self {
                Self::builder().build().expect("the defaults are valid")
            }

            /// Sets parameters.
            #[must_use]
            pub fn builder() -> $crate::Builder<Self> {
                $crate::Builder::new()
            }

            /// Errors and counters so far.
            #[must_use]
            pub fn progress(&self) -> $crate::Progress {
                $crate::Progress::of(&self.model)
            }

            /// The user's metadata in the model file, a JSON object: `{}` unless they were set or loaded.
            #[must_use]
            pub fn metadata(&self) -> &str {
                self.model.metadata.as_json()
            }

            /// Replaces the metadata, such as the offsets of a log. The next model files have them. Training does not
            /// change them.
            ///
            /// ```
            /// let mut model = budgetrs::Classifier::new();
            /// model.set_metadata(r#"{"offset":17}"#)?;
            /// let loaded = budgetrs::Classifier::from_bytes(&model.to_bytes()?)?;
            /// assert_eq!(loaded.metadata(), r#"{"offset":17}"#);
            /// # Ok::<(), budgetrs::Error>(())
            /// ```
            ///
            /// # Errors
            /// If the text is not a JSON object, or has more than 65,536 bytes. The metadata are unchanged then.
            pub fn set_metadata(&mut self, json: &str) -> Result<()> {
                self.model.metadata = $crate::persist::Metadata::new(json)?;
                Ok(())
            }

            /// Writes a model file, which Python and the command line read too. A crash leaves the previous file or
            /// the new one.
            ///
            /// # Errors
            /// If the file cannot be written, or labels do not fit into its header.
            pub fn save(&self, path: impl AsRef<std::path::Path>) -> Result<()> {
                self.model.save(path)
            }

            /// Reads a model file. A file cannot run code.
            ///
            /// # Errors
            /// If the file cannot be read or is not valid, or its model has another task.
            pub fn load(path: impl AsRef<std::path::Path>) -> Result<Self> {
                Ok(Self { model: shared::of_task(Model::load(path)?, $is_regression)? })
            }

            /// The bytes of a model file.
            ///
            /// # Errors
            /// If labels do not fit into its header.
            pub fn to_bytes(&self) -> Result<Vec<u8>> {
                self.model.to_bytes()
            }

            /// A model from the bytes of a model file.
            ///
            /// # Errors
            /// If the bytes are not valid, or the model has another task.
            pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
                Ok(Self { model: shared::of_task(Model::from_bytes(bytes)?, $is_regression)? })
            }
        }
    };
}
pub(super) use model_methods;
