//! [`Tensors`]: the named tensors and values of a model, as a tree of scopes.

use super::{Attribute, refused};
use crate::Result;
use crate::element::{Dtype, Element};
use std::collections::BTreeMap;

/// How deep scopes may nest: far more than a model needs, few enough for recursion.
pub(super) const MAX_DEPTH: usize = 16;

/// The named tensors and values of a model or of one part of it.
///
/// Each part of a model writes into a scope of its own, so names need to be unique within a part only. Errors give
/// the whole path, for example `store.panels`. Names have ASCII letters, digits and underscores. Two are equal if all
/// bits are.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tensors {
    /// The path of this scope with a dot at the end; empty at the root.
    prefix: String,
    entries: BTreeMap<String, Entry>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Entry {
    Tensor(Tensor),
    Attribute(Attribute),
    Scope(Tensors),
}

/// Numbers with a shape, as the bytes of the file: little-endian, last index fastest.
///
/// Invariant: there are as many bytes as shape and dtype say.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tensor {
    pub(super) dtype: Dtype,
    pub(super) shape: Vec<usize>,
    pub(super) bytes: Vec<u8>,
}

impl Tensors {
    /// Without tensors or values.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tensor: `numbers` in order, last index of `shape` fastest.
    ///
    /// # Panics
    /// When the name is taken or not a legal name, or when there are more or fewer numbers than `shape` says.
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
    /// When the name is taken or not a legal name.
    pub fn set(&mut self, name: &str, value: impl Into<Attribute>) {
        self.add(name, Entry::Attribute(value.into()));
    }

    /// The scope of this name, to write into; created if it does not exist.
    ///
    /// # Panics
    /// If the name is not legal or is that of a tensor or a value, or if scopes nest deeper than 16.
    pub fn scope_mut(&mut self, name: &str) -> &mut Self {
        if !matches!(self.entries.get(name), Some(Entry::Scope(_))) {
            let scope = self.inner(name);
            self.add(name, Entry::Scope(scope));
        }
        match self.entries.get_mut(name) {
            Some(Entry::Scope(scope)) => scope,
            _ => unreachable!("a scope was added unless there was one"),
        }
    }

    /// The numbers of a tensor that must have this shape, and the type that is asked for.
    ///
    /// # Errors
    /// [`Error::Model`](crate::Error::Model) when it is missing or has another type or shape.
    pub fn get<T: Element>(&self, name: &str, shape: &[usize]) -> Result<Vec<T>> {
        let tensor = self.tensor(name)?;
        if tensor.dtype != T::DTYPE {
            let (path, expected, got) = (self.path(name), T::DTYPE, tensor.dtype);
            return Err(refused(format!("tensor {path} must have dtype {expected}, got {got}")));
        }
        if tensor.shape != shape {
            let (path, got) = (self.path(name), &tensor.shape);
            return Err(refused(format!("tensor {path} must have shape {shape:?}, got {got:?}")));
        }
        Ok(tensor.bytes.chunks_exact(T::DTYPE.size()).map(T::from_bytes).collect())
    }

    /// The shape of a tensor with `R` dimensions, whose number of rows only the file knows.
    ///
    /// The tensor has as many bytes as its shape says. If one dimension is 0, the others are not checked by this: do
    /// not allocate memory by them.
    ///
    /// # Errors
    /// [`Error::Model`](crate::Error::Model) when it is missing or has more or fewer dimensions.
    pub fn shape<const R: usize>(&self, name: &str) -> Result<[usize; R]> {
        let shape = &self.tensor(name)?.shape;
        <[usize; R]>::try_from(shape.as_slice()).map_err(|_| {
            refused(format!("tensor {} must have {R} dimensions, got shape {shape:?}", self.path(name)))
        })
    }

    /// A value of any type.
    ///
    /// # Errors
    /// [`Error::Model`](crate::Error::Model) when it is missing.
    pub fn value(&self, name: &str) -> Result<&Attribute> {
        match self.entries.get(name) {
            Some(Entry::Attribute(value)) => Ok(value),
            _ => Err(self.missing("value", name)),
        }
    }

    /// The scope of this name, to read from.
    ///
    /// # Errors
    /// [`Error::Model`](crate::Error::Model) when it is missing. An empty scope is not missing.
    pub fn scope(&self, name: &str) -> Result<&Self> {
        match self.entries.get(name) {
            Some(Entry::Scope(scope)) => Ok(scope),
            _ => Err(self.missing("scope", name)),
        }
    }

    /// Whether there is a tensor, value or scope of this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// The whole name of an entry of this scope.
    pub(super) fn path(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// An empty scope of this name, not yet in the tree.
    pub(super) fn inner(&self, name: &str) -> Self {
        Self { prefix: self.path(name) + ".", entries: BTreeMap::new() }
    }

    pub(super) fn entries(&self) -> &BTreeMap<String, Entry> {
        &self.entries
    }

    /// Adds an entry from a file.
    pub(super) fn insert(&mut self, name: &str, entry: Entry) -> Result<()> {
        if name.is_empty() || !name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_') {
            return Err(refused(format!("{:?} is not a legal name", self.path(name))));
        }
        if self.entries.contains_key(name) || (self.prefix.is_empty() && name == "__metadata__") {
            return Err(refused(format!("the name {} is taken", self.path(name))));
        }
        if matches!(entry, Entry::Scope(_)) && self.prefix.matches('.').count() >= MAX_DEPTH {
            return Err(refused(format!("scopes nest deeper than {MAX_DEPTH}")));
        }
        self.entries.insert(name.to_owned(), entry);
        Ok(())
    }

    /// Adds an entry whose name stands in a program, where a wrong one is a bug.
    fn add(&mut self, name: &str, entry: Entry) {
        self.insert(name, entry).expect("each part saves its entries once, under legal names");
    }

    fn tensor(&self, name: &str) -> Result<&Tensor> {
        match self.entries.get(name) {
            Some(Entry::Tensor(tensor)) => Ok(tensor),
            _ => Err(self.missing("tensor", name)),
        }
    }

    fn missing(&self, what: &str, name: &str) -> crate::Error {
        refused(format!("{what} {} is missing", self.path(name)))
    }
}

/// What damage does, for tests.
#[cfg(test)]
impl Tensors {
    /// Puts another tensor in the place of one.
    pub(crate) fn replace<T: Element>(&mut self, name: &str, shape: &[usize], numbers: Vec<T>) {
        self.drop_entry(name);
        self.put(name, shape, numbers);
    }

    /// Puts another value in the place of one.
    pub(crate) fn reset(&mut self, name: &str, value: impl Into<Attribute>) {
        self.drop_entry(name);
        self.set(name, value);
    }

    /// Drops an entry, which must be there.
    pub(crate) fn drop_entry(&mut self, name: &str) {
        assert!(self.entries.remove(name).is_some(), "no entry {}", self.path(name));
    }

    /// Every unsigned integer among the values, also of the scopes in this one.
    pub(crate) fn integers(&mut self) -> Vec<&mut u64> {
        let all = self.entries.values_mut().flat_map(|entry| match entry {
            Entry::Attribute(Attribute::U64(x)) => vec![x],
            Entry::Scope(scope) => scope.integers(),
            _ => Vec::new(),
        });
        all.collect()
    }

    /// Changes, drops or doubles one entry somewhere.
    pub(crate) fn damage(&mut self, rng: &mut crate::rng::Rng) {
        let Some(name) = self.entries.keys().nth(rng.index(self.entries.len().max(1))).cloned() else {
            return;
        };
        let Some(entry) = self.entries.get_mut(&name) else { return };
        match entry {
            Entry::Scope(scope) if rng.index(20) > 0 => scope.damage(rng),
            Entry::Tensor(tensor) if rng.index(20) > 0 => tensor.damage(rng),
            Entry::Attribute(value) if rng.index(20) > 0 => value.damage(rng),
            // The entries of a scope know their path: it has no copy under another name.
            entry if rng.index(2) == 0 && !matches!(entry, Entry::Scope(_)) => {
                let copy = entry.clone();
                self.entries.insert(format!("{name}_copy"), copy);
            }
            _ => self.drop_entry(&name),
        }
    }
}

#[cfg(test)]
impl Tensor {
    /// Another number, another shape, or fewer rows.
    fn damage(&mut self, rng: &mut crate::rng::Rng) {
        let size = self.dtype.size();
        match (rng.index(8), self.bytes.len() / size) {
            (0, _) => self.shape.reverse(),
            (1, count) if count > 0 && !self.shape.is_empty() => {
                let row = self.bytes.len() / self.shape[0].max(1);
                self.shape[0] -= 1;
                self.bytes.truncate(self.bytes.len() - row);
            }
            (_, count) if count > 0 => {
                let at = rng.index(count) * size;
                let nasty =
                    [0, 1, rng.bits(), u64::MAX, f64::to_bits(-1.0), f64::to_bits(1e300), 0x7f80_0000];
                let bytes = nasty[rng.index(nasty.len())].to_le_bytes();
                self.bytes[at..at + size].copy_from_slice(&bytes[..size]);
            }
            _ => self.shape.push(1),
        }
    }
}
