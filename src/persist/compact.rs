//! [`to_compact`] and [`from_compact`]: a short binary encoding, for collections of many small models.

use super::attribute::Attribute;
use super::errors::model_error;
use super::tensors::{Entry, MAX_DEPTH, Tensor, Tensors};
use crate::Result;
use crate::element::Dtype;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The entries of a tree of scopes, in the order of their names. A list, so that a hostile file cannot nest deeply.
#[derive(Serialize, Deserialize)]
enum Item<'a> {
    /// The entries up to the matching `EndScope` are in this scope.
    Scope(&'a str),
    EndScope,
    Attribute(&'a str, Cow<'a, Attribute>),
    Tensor(&'a str, Dtype, Cow<'a, [usize]>, #[serde(with = "serde_bytes")] &'a [u8]),
}

/// Encodes tensors and values, without a digest.
pub(crate) fn to_compact(tensors: &Tensors) -> Result<Vec<u8>> {
    let mut items = Vec::new();
    collect(tensors, &mut items);
    to_postcard(&items)
}

/// Encodes a value in the format of postcard.
pub(crate) fn to_postcard(value: &impl Serialize) -> Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(|error| model_error(error.to_string()))
}

/// Decodes the bytes of [`to_postcard`].
pub(crate) fn from_postcard<'a, V: Deserialize<'a>>(bytes: &'a [u8]) -> Result<V> {
    postcard::from_bytes(bytes).map_err(|error| model_error(error.to_string()))
}

fn collect<'a>(scope: &'a Tensors, items: &mut Vec<Item<'a>>) {
    for (name, entry) in scope.entries() {
        match entry {
            Entry::Tensor(Tensor { dtype, shape, bytes }) => {
                items.push(Item::Tensor(name, *dtype, Cow::Borrowed(shape), bytes));
            }
            Entry::Attribute(value) => items.push(Item::Attribute(name, Cow::Borrowed(value))),
            Entry::Scope(inner) => {
                items.push(Item::Scope(name));
                collect(inner, items);
                items.push(Item::EndScope);
            }
        }
    }
}

/// Decodes the bytes of [`to_compact`].
///
/// # Errors
/// [`Error::Model`](crate::Error::Model) for other bytes.
pub(crate) fn from_compact(bytes: &[u8]) -> Result<Tensors> {
    let items: Vec<Item<'_>> = from_postcard(bytes)?;
    let mut scopes = vec![(String::new(), Tensors::new())];
    for item in items {
        let (name, entry) = match item {
            Item::Scope(_) if scopes.len() > MAX_DEPTH => {
                return Err(model_error(format!("scopes nest deeper than {MAX_DEPTH}")));
            }
            Item::Scope(name) => {
                let child = scopes.last().map_or_else(Tensors::new, |(_, parent)| parent.new_child(name));
                scopes.push((name.to_owned(), child));
                continue;
            }
            Item::EndScope => {
                let (name, scope) = scopes.pop().ok_or_else(unbalanced)?;
                (Cow::Owned(name), Entry::Scope(scope))
            }
            Item::Attribute(name, value) => (Cow::Borrowed(name), Entry::Attribute(value.into_owned())),
            Item::Tensor(name, dtype, shape, bytes) => {
                let size = shape.iter().try_fold(dtype.size(), |size, n| size.checked_mul(*n));
                if size != Some(bytes.len()) {
                    return Err(model_error(format!("tensor {name} does not have the size of its shape")));
                }
                let tensor = Tensor { dtype, shape: shape.into_owned(), bytes: bytes.to_vec() };
                (Cow::Borrowed(name), Entry::Tensor(tensor))
            }
        };
        scopes.last_mut().ok_or_else(unbalanced)?.1.insert(&name, entry)?;
    }
    match scopes.pop() {
        Some((_, root)) if scopes.is_empty() => Ok(root),
        _ => Err(unbalanced()),
    }
}

fn unbalanced() -> crate::Error {
    model_error("its scopes do not end")
}
