//! Keys, and the index from keys to slots.

use crate::error::{Error, Result};
use std::collections::HashMap;
use std::fmt;

/// A key: the user, device or shop to which a model belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// An integer.
    Int(i64),
    /// A string.
    Text(String),
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(key) => write!(f, "{key}"),
            Self::Text(key) => write!(f, "{key:?}"),
        }
    }
}

/// The key of each row of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keys {
    /// Integers.
    Int(Vec<i64>),
    /// Strings.
    Text(Vec<String>),
}

impl Keys {
    /// Number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Int(keys) => keys.len(),
            Self::Text(keys) => keys.len(),
        }
    }

    /// Returns true if there is no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The key of a row, if there is such a row.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<Key> {
        match self {
            Self::Int(keys) => keys.get(row).map(|key| Key::Int(*key)),
            Self::Text(keys) => keys.get(row).map(|key| Key::Text(key.clone())),
        }
    }
}

/// The slot of keys without a slot.
pub(super) const NO_SLOT: u32 = u32::MAX;

/// The slot of each key. Slots are numbered in the order in which keys appear; the slot of a removed key goes to the
/// last key.
#[derive(Debug, Default)]
pub(super) enum Index {
    #[default]
    Empty,
    Int(HashMap<i64, u32>),
    Text(HashMap<Box<str>, u32>),
}

impl Index {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::Int(slots) => slots.len(),
            Self::Text(slots) => slots.len(),
        }
    }

    /// An error if the type of keys differs from earlier batches.
    pub(super) fn check_type(&self, keys: &Keys) -> Result<()> {
        let (expected, got) = match (self, keys) {
            (Self::Int(_), Keys::Text(_)) => ("integers", "strings"),
            (Self::Text(_), Keys::Int(_)) => ("strings", "integers"),
            _ => return Ok(()),
        };
        // The type of an empty batch of keys is not known.
        if keys.is_empty() {
            return Ok(());
        }
        Err(Error::shape("keys", format!("{expected}, as before"), got))
    }

    pub(super) fn find(&self, key: &Key) -> Option<u32> {
        match (self, key) {
            (Self::Int(slots), Key::Int(key)) => slots.get(key).copied(),
            (Self::Text(slots), Key::Text(key)) => slots.get(key.as_str()).copied(),
            _ => None,
        }
    }

    /// Returns the slot of each key. New keys get new slots.
    pub(super) fn find_or_insert(&mut self, keys: &Keys) -> Result<Vec<u32>> {
        self.check_type(keys)?;
        if self.len().saturating_add(keys.len()) > u32::MAX as usize {
            return Err(Error::shape("keys", format!("at most {} different ones", u32::MAX), "more"));
        }
        if let Keys::Text(keys) = keys
            && let Some(row) = keys.iter().position(|key| key.ends_with('\0'))
        {
            // NumPy drops trailing NULs of strings, so that they would be other keys in Python.
            let got = format!("{:?}", keys[row]);
            return Err(Error::entry("keys", "strings that do not end with NUL", got, row));
        }
        if let Self::Empty = self {
            *self = match keys {
                Keys::Int(_) => Self::Int(HashMap::new()),
                Keys::Text(_) => Self::Text(HashMap::new()),
            };
        }
        Ok(match (self, keys) {
            (Self::Int(slots), Keys::Int(keys)) => {
                let slot = |key: &i64| {
                    let next = slots.len() as u32;
                    *slots.entry(*key).or_insert(next)
                };
                keys.iter().map(slot).collect()
            }
            (Self::Text(slots), Keys::Text(keys)) => {
                let slot = |key: &String| {
                    let next = slots.len() as u32;
                    // Copies a string only for a new key.
                    let known = slots.get(key.as_str()).copied();
                    known.unwrap_or_else(|| *slots.entry(key.as_str().into()).or_insert(next))
                };
                keys.iter().map(slot).collect()
            }
            _ => Vec::new(),
        })
    }

    /// Removes a key and returns its slot, which the key of the last slot gets. A linear search.
    pub(super) fn swap_remove(&mut self, key: &Key) -> Option<u32> {
        let last = self.key_of(self.len().checked_sub(1)? as u32)?;
        let slot = match (&mut *self, key) {
            (Self::Int(slots), Key::Int(key)) => slots.remove(key),
            (Self::Text(slots), Key::Text(key)) => slots.remove(key.as_str()),
            _ => None,
        }?;
        let moved = match (self, &last) {
            (Self::Int(slots), Key::Int(last)) => slots.get_mut(last),
            (Self::Text(slots), Key::Text(last)) => slots.get_mut(last.as_str()),
            _ => None,
        };
        if let Some(moved) = moved {
            *moved = slot;
        }
        Some(slot)
    }

    /// Returns the slot of each key, and [`NO_SLOT`] for unknown keys, which are an error unless `allow_unknown`.
    pub(super) fn find_all(&self, keys: &Keys, allow_unknown: bool) -> Result<Vec<u32>> {
        let slot = |row: usize| {
            let key = keys.get(row).and_then(|key| self.find(&key));
            match key {
                Some(slot) => Ok(slot),
                None if allow_unknown => Ok(NO_SLOT),
                None => {
                    let got = keys.get(row).map_or_else(String::new, |key| key.to_string());
                    let expected = "known (a trained template model also predicts for unknown keys)";
                    Err(Error::entry("keys", expected, got, row))
                }
            }
        };
        (0..keys.len()).map(slot).collect()
    }

    /// The key of a slot, found by a linear search. For errors.
    pub(super) fn key_of(&self, slot: u32) -> Option<Key> {
        match self {
            Self::Empty => None,
            Self::Int(slots) => {
                slots.iter().find(|(_, other)| **other == slot).map(|(key, _)| Key::Int(*key))
            }
            Self::Text(slots) => {
                slots.iter().find(|(_, other)| **other == slot).map(|(key, _)| Key::Text(key.to_string()))
            }
        }
    }

    /// All keys, in the order of their slots. Returns `None` if there is no key.
    pub(super) fn keys(&self) -> Option<Keys> {
        match self {
            Self::Empty => None,
            Self::Int(slots) => Some(Keys::Int(sorted(slots.iter().map(|(key, slot)| (*slot, *key))))),
            Self::Text(slots) => {
                Some(Keys::Text(sorted(slots.iter().map(|(key, slot)| (*slot, key.to_string())))))
            }
        }
    }
}

/// The keys sorted by slot.
fn sorted<K>(keys: impl Iterator<Item = (u32, K)>) -> Vec<K> {
    let mut keys: Vec<(u32, K)> = keys.collect();
    keys.sort_unstable_by_key(|(slot, _)| *slot);
    keys.into_iter().map(|(_, key)| key).collect()
}
