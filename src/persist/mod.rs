//! The container of a model file: named tensors and values, their bytes, and the file that holds them.
//!
//! A model file is a [safetensors](https://github.com/huggingface/safetensors) file, so that anyone can read its
//! tensors without this library. Its metadata has one key, `budgetrs`, with canonical JSON:
//!
//! ```json
//! {"digest":"<64 hex digits>","state":{"seen":["u64","00000000000003e8"],"store":{}},"version":1}
//! ```
//!
//! In `state` a scope is an object and a value is an array of its type and its content; `u64` and `f64` are 16 hex
//! digits (of their bits), because JSON numbers are not exact. A tensor is named by its path, `store.panels`. The
//! digest is the SHA-256 of the whole file with 64 zeros in the digest's place, which is always the same one.
//!
//! There is one file for one content: [`decode`] encodes what it read and refuses the file unless the bytes are
//! equal. So every flipped bit, every missing or added byte is found. Reading runs no code from the file, does not
//! panic, and allocates no more than a multiple of the bytes that are really there.
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

mod attribute;
mod codec;
mod draft;
mod fault;
mod file;
mod lock;
mod tensors;
mod typed;

#[cfg(test)]
mod tests;

pub use attribute::Attribute;
#[cfg(test)]
pub(crate) use codec::DIGESTS;
pub use codec::{MAX_HEADER, VERSION, decode, encode};
pub(crate) use codec::{is_file_of, parse};
pub use draft::Draft;
pub(crate) use fault::failed;
pub(crate) use file::open;
pub use file::{read, write_atomic};
pub(crate) use lock::HeldFolder;
pub use tensors::Tensors;

use crate::{Error, Result};
use std::borrow::Cow;

/// A part of a model that can be saved and restored.
///
/// What `load` reads is what `save` wrote, under the same names; the caller gives each part a scope of its own.
pub trait Persist {
    /// Writes everything that later behaviour depends on and that cannot be rebuilt from the rest; nothing, where a
    /// part does not say otherwise.
    fn save(&self, _out: &mut Tensors) {}

    /// Restores what `save` wrote.
    ///
    /// # Errors
    /// [`Error::Model`] when something is missing, has another type or shape, or makes no sense together. What was
    /// read before stays in `self`, so callers load into a fresh part.
    fn load(&mut self, _from: &Tensors) -> Result<()> {
        Ok(())
    }
}

fn refused(reason: impl Into<Cow<'static, str>>) -> Error {
    Error::Model(reason.into())
}
