//! What parts save, and damage to it, for tests.

use super::attribute::Attribute;
use super::tensors::{Entry, Tensor, Tensors};
use crate::element::Element;
use crate::rng::Rng;

impl Tensors {
    /// What a part saves.
    pub(crate) fn of(save: impl FnOnce(&mut Self)) -> Self {
        let mut saved = Self::new();
        save(&mut saved);
        saved
    }

    /// A copy with a change.
    pub(crate) fn changed(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut changed = self.clone();
        change(&mut changed);
        changed
    }

    /// Replaces a tensor.
    pub(crate) fn replace<T: Element>(&mut self, name: &str, shape: &[usize], numbers: Vec<T>) {
        self.drop_entry(name);
        self.put(name, shape, numbers);
    }

    /// Replaces a value.
    pub(crate) fn reset(&mut self, name: &str, value: impl Into<Attribute>) {
        self.drop_entry(name);
        self.set(name, value);
    }

    /// Removes an entry, which must exist.
    pub(crate) fn drop_entry(&mut self, name: &str) {
        assert!(self.entries.remove(name).is_some(), "no entry {}", self.path(name));
    }

    /// All values that are unsigned integers, in this scope and the scopes below.
    pub(crate) fn integers(&mut self) -> Vec<&mut u64> {
        let all = self.entries.values_mut().flat_map(|entry| match entry {
            Entry::Attribute(Attribute::U64(x)) => vec![x],
            Entry::Scope(scope) => scope.integers(),
            _ => Vec::new(),
        });
        all.collect()
    }

    /// Changes, removes or copies one random entry.
    pub(crate) fn damage(&mut self, rng: &mut Rng) {
        let Some(name) = self.entries.keys().nth(rng.index(self.entries.len().max(1))).cloned() else {
            return;
        };
        let Some(entry) = self.entries.get_mut(&name) else { return };
        match entry {
            Entry::Scope(scope) if rng.index(20) > 0 => scope.damage(rng),
            Entry::Tensor(tensor) if rng.index(20) > 0 => tensor.damage(rng),
            Entry::Attribute(value) if rng.index(20) > 0 => value.damage(rng),
            // A scope is not copied, since its entries contain its path.
            entry if rng.index(2) == 0 && !matches!(entry, Entry::Scope(_)) => {
                let copy = entry.clone();
                self.entries.insert(format!("{name}_copy"), copy);
            }
            _ => self.drop_entry(&name),
        }
    }
}

impl Tensor {
    /// Changes a number or the shape, or removes a row.
    fn damage(&mut self, rng: &mut Rng) {
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

impl Attribute {
    /// Replaces the value by another value of its type that is likely to cause errors.
    pub(super) fn damage(&mut self, rng: &mut Rng) {
        let which = rng.index(8);
        match self {
            Self::Bool(x) => *x = !*x,
            Self::U64(x) => {
                let near = [0, 1, x.wrapping_add(1), x.wrapping_sub(1)];
                *x = [near, [1 << 24, 1 << 32, rng.bits(), u64::MAX]].concat()[which];
            }
            Self::I64(x) => {
                let near = [0, 1, x.wrapping_add(1), -1];
                *x = [near, [1 << 24, i64::MIN, rng.bits() as i64, i64::MAX]].concat()[which];
            }
            Self::F64(x) => *x = [0.0, 1.0, -*x, f64::NAN, f64::INFINITY, 1e300, 5e-324, *x * 2.0][which],
            Self::Text(x) => {
                let names = ["", "rbf", "linear", "poly", "merge", "project", "float32", "none"];
                names[which].clone_into(x);
            }
            Self::I64s(x) => x.push(i64::MAX),
            Self::F64s(x) => x.push(f64::NAN),
            Self::Texts(x) => x.push(String::new()),
        }
    }
}
