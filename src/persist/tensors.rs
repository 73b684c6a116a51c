//! [`Tensors`]: the named tensors and values of a model, as a tree of scopes.

use super::attribute::Attribute;
use super::errors::model_error;
use crate::Result;
use crate::element::{Dtype, Element};
use std::collections::BTreeMap;

/// Maximum depth of nested scopes, which bounds the recursion.
pub(super) const MAX_DEPTH: usize = 16;

/// Named tensors and values of a model or of one of its parts: a tree of scopes.
///
/// Each part of a model writes into a separate scope, so names are unique within a part. Errors name the full path,
/// such as `expansion.vectors`. Names consist of ASCII letters, digits and underscores. Equality compares bits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tensors {
    /// The path of this scope, followed by a dot; empty at the root.
    prefix: String,
    pub(super) entries: BTreeMap<String, Entry>,
}

/// An entry of a scope.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Entry {
    Tensor(Tensor),
    Attribute(Attribute),
    Scope(Tensors),
}

/// Numbers with a shape, encoded as in the file: little-endian, last index fastest.
///
/// Invariant: the number of bytes is the product of the shape and the size of the dtype.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tensor {
    pub(super) dtype: Dtype,
    pub(super) shape: Vec<usize>,
    pub(super) bytes: Vec<u8>,
}

impl Tensors {
    /// Creates a root scope without entries.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tensor: `numbers` in order, last index of `shape` fastest.
    ///
    /// # Panics
    /// If the name exists or is invalid, or if the number of `numbers` differs from the product of `shape`.
    pub fn put<T: Element>(&mut self, name: &str, shape: &[usize], numbers: impl IntoIterator<Item = T>) {
        let numbers = numbers.into_iter();
        let mut bytes = Vec::with_capacity(numbers.size_hint().0.saturating_mul(T::DTYPE.size()));
        numbers.for_each(|number| number.append_to(&mut bytes));
        let expected = shape.iter().try_fold(T::DTYPE.size(), |size, &n| size.checked_mul(n));
        assert_eq!(Some(bytes.len()), expected, "bytes of tensor {} with shape {shape:?}", self.path(name));
        self.add(name, Entry::Tensor(Tensor { dtype: T::DTYPE, shape: shape.to_vec(), bytes }));
    }

    /// Adds a value.
    ///
    /// # Panics
    /// If the name exists or is invalid.
    pub fn set(&mut self, name: &str, value: impl Into<Attribute>) {
        self.add(name, Entry::Attribute(value.into()));
    }

    /// Returns the scope of this name for writing. Creates it if it does not exist.
    ///
    /// # Panics
    /// If the name is invalid, if it is the name of a tensor or a value, or if scopes are nested deeper than 16.
    pub fn scope_mut(&mut self, name: &str) -> &mut Self {
        if !matches!(self.entries.get(name), Some(Entry::Scope(_))) {
            let scope = self.new_child(name);
            self.add(name, Entry::Scope(scope));
        }
        match self.entries.get_mut(name) {
            Some(Entry::Scope(scope)) => scope,
            _ => unreachable!("a scope was added unless there was one"),
        }
    }

    /// Reads the numbers of a tensor, which must have type `T` and this shape.
    ///
    /// # Errors
    /// [`Error::Model`](crate::Error::Model) if the tensor is missing or has another type or shape.
    pub fn get<T: Element>(&self, name: &str, shape: &[usize]) -> Result<Vec<T>> {
        let tensor = self.tensor(name)?;
        if tensor.dtype != T::DTYPE {
            let (path, expected, got) = (self.path(name), T::DTYPE, tensor.dtype);
            return Err(model_error(format!("tensor {path} must have dtype {expected}, got {got}")));
        }
        if tensor.shape != shape {
            let (path, got) = (self.path(name), &tensor.shape);
            return Err(model_error(format!("tensor {path} must have shape {shape:?}, got {got:?}")));
        }
        Ok(tensor.bytes.chunks_exact(T::DTYPE.size()).map(T::from_bytes).collect())
    }

    /// Reads the shape of a tensor with `R` dimensions.
    ///
    /// The file contains the bytes of the whole tensor, which bounds the shape. If one dimension is 0, the others are
    /// not bounded: do not allocate memory by them.
    ///
    /// # Errors
    /// [`Error::Model`](crate::Error::Model) if the tensor is missing or has another number of dimensions.
    pub fn shape<const R: usize>(&self, name: &str) -> Result<[usize; R]> {
        let shape = &self.tensor(name)?.shape;
        <[usize; R]>::try_from(shape.as_slice()).map_err(|_| {
            model_error(format!("tensor {} must have {R} dimensions, got shape {shape:?}", self.path(name)))
        })
    }

    /// Reads a value of any type.
    ///
    /// # Errors
    /// [`Error::Model`](crate::Error::Model) if the value is missing.
    pub fn value(&self, name: &str) -> Result<&Attribute> {
        match self.entries.get(name) {
            Some(Entry::Attribute(value)) => Ok(value),
            _ => Err(self.missing("value", name)),
        }
    }

    /// Returns the scope of this name for reading.
    ///
    /// # Errors
    /// [`Error::Model`](crate::Error::Model) if the scope does not exist. An empty scope exists.
    pub fn scope(&self, name: &str) -> Result<&Self> {
        match self.entries.get(name) {
            Some(Entry::Scope(scope)) => Ok(scope),
            _ => Err(self.missing("scope", name)),
        }
    }

    /// Returns the scope of this name for reading, or `None` if nothing has this name.
    pub(crate) fn optional_scope(&self, name: &str) -> Result<Option<&Self>> {
        if self.contains(name) { self.scope(name).map(Some) } else { Ok(None) }
    }

    /// Returns true if a tensor, value or scope has this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Whether a tensor of this scope or of a scope below has numbers, and a dimension of this size.
    pub(crate) fn has_dimension(&self, size: usize) -> bool {
        self.entries.values().any(|entry| match entry {
            Entry::Tensor(tensor) => !tensor.bytes.is_empty() && tensor.shape.contains(&size),
            Entry::Scope(scope) => scope.has_dimension(size),
            Entry::Attribute(_) => false,
        })
    }

    /// The full path of an entry of this scope.
    pub(super) fn path(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Creates an empty child scope of this name, without inserting it.
    pub(super) fn new_child(&self, name: &str) -> Self {
        Self { prefix: self.path(name) + ".", entries: BTreeMap::new() }
    }

    pub(super) fn entries(&self) -> &BTreeMap<String, Entry> {
        &self.entries
    }

    /// Inserts an entry of a file. An error if the name is invalid or exists.
    pub(super) fn insert(&mut self, name: &str, entry: Entry) -> Result<()> {
        if name.is_empty() || !name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_') {
            return Err(model_error(format!("{:?} is not a valid name", self.path(name))));
        }
        if self.entries.contains_key(name) || (self.prefix.is_empty() && name == "__metadata__") {
            return Err(model_error(format!("the name {} is taken", self.path(name))));
        }
        if matches!(entry, Entry::Scope(_)) && self.prefix.matches('.').count() >= MAX_DEPTH {
            return Err(model_error(format!("scopes nest deeper than {MAX_DEPTH}")));
        }
        self.entries.insert(name.to_owned(), entry);
        Ok(())
    }

    /// Inserts an entry whose name is part of the program, so that an invalid name is a bug.
    fn add(&mut self, name: &str, entry: Entry) {
        self.insert(name, entry).expect("each part saves its entries once, under valid names");
    }

    fn tensor(&self, name: &str) -> Result<&Tensor> {
        match self.entries.get(name) {
            Some(Entry::Tensor(tensor)) => Ok(tensor),
            _ => Err(self.missing("tensor", name)),
        }
    }

    fn missing(&self, what: &str, name: &str) -> crate::Error {
        model_error(format!("{what} {} is missing", self.path(name)))
    }
}
