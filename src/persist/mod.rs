//! Model files: named tensors and values, their encoding as bytes, and atomic writes.
//!
//! A model file is a [safetensors](https://github.com/huggingface/safetensors) file, so its tensors can be read without
//! this library. Its metadata has one key, `budgetrs`, with canonical JSON:
//!
//! ```json
//! {"digest":"<64 hex digits>","state":{"expansion":{},"seen":["u64","00000000000003e8"]},"version":1}
//! ```
//!
//! In `state`, a scope is an object, and a value is an array of its type and its content. `u64` and `f64` are
//! 16 hex digits of their bits, because JSON numbers are not exact. The name of a tensor is its path, such as
//! `expansion.vectors`. The digest is the SHA-256 of the file with 64 zeros in place of the digest, at a
//! fixed position.
//!
//! The encoding is unique: [`decode`] encodes the decoded tensors and values again, and returns an error unless the
//! bytes are equal. So every flipped bit and every missing or added byte is found. Reading does not run code from the
//! file, does not panic, and allocates at most a multiple of the bytes in the file.
//!
//! | what | where |
//! |---|---|
//! | a part of a model with state | [`Persist`] |
//! | its tensors and values | [`Tensors`], [`Attribute`] |
//! | tensors and values as bytes | [`encode`], [`decode`] |
//! | a JSON object of the user | [`Metadata`] |
//! | bytes in files | [`write_atomic`], [`AtomicFile`], [`read`] |
//!
//! ```
//! use budgetrs::persist::{Persist, Tensors, decode, encode};
//!
//! struct Counter {
//!     seen: u64,
//!     sums: Vec<f32>,
//! }
//!
//! impl Persist for Counter {
//!     fn save(&self, out: &mut Tensors) {
//!         out.set("seen", self.seen);
//!         out.put("sums", &[self.sums.len()], self.sums.iter().copied());
//!     }
//!     fn load(&mut self, from: &Tensors) -> budgetrs::Result<()> {
//!         let sums = from.get("sums", &[self.sums.len()])?;
//!         *self = Self { seen: from.u64("seen")?, sums };
//!         Ok(())
//!     }
//! }
//!
//! let mut tensors = Tensors::new();
//! Counter { seen: 7, sums: vec![1.5, 2.5] }.save(tensors.scope_mut("counter"));
//! let bytes = encode(&tensors)?;
//!
//! let mut counter = Counter { seen: 0, sums: vec![0.0; 2] };
//! counter.load(decode(&bytes)?.scope("counter")?)?;
//! assert_eq!((counter.seen, counter.sums), (7, vec![1.5, 2.5]));
//! # Ok::<(), budgetrs::Error>(())
//! ```

mod atomic_file;
mod attribute;
mod codec;
mod compact;
mod errors;
mod file;
mod lock;
mod metadata;
mod tensors;
#[cfg(test)]
mod testing;
mod typed;

#[cfg(test)]
mod tests;

pub use atomic_file::AtomicFile;
pub use attribute::Attribute;
#[cfg(test)]
pub(crate) use codec::N_DIGESTS;
pub use codec::{MAX_HEADER, VERSION, decode, encode};
pub(crate) use codec::{is_encoding_of, parse};
pub(crate) use compact::{from_compact, from_postcard, to_compact, to_postcard};
pub(crate) use errors::{io_error, model_error};
pub(crate) use file::open;
pub use file::{read, write_atomic};
pub(crate) use lock::FileLock;
pub use metadata::{MAX_METADATA, Metadata};
pub use tensors::Tensors;

use crate::Result;

/// A part of a model with state that is saved and restored.
///
/// `load` reads the names that `save` wrote. The caller passes a separate scope for each part. The default bodies are
/// for parts without state.
pub trait Persist {
    /// Saves all state that later behaviour depends on and that cannot be computed from other saved state.
    fn save(&self, _out: &mut Tensors) {}

    /// Restores the saved state.
    ///
    /// # Errors
    /// [`Error::Model`](crate::Error::Model) if an entry is missing, has another type or shape, or contradicts another
    /// entry. `self` may be partly restored then, so callers load into a new part.
    fn load(&mut self, _from: &Tensors) -> Result<()> {
        Ok(())
    }
}
