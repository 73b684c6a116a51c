//! Keys, and the index from keys to slots.

use crate::error::{Error, Result};
use indexmap::IndexSet;
use serde::{Deserialize, Serialize};
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

    /// The key of a row, for errors.
    fn shown(&self, row: usize) -> String {
        match self {
            Self::Int(keys) => keys[row].to_string(),
            Self::Text(keys) => format!("{:?}", keys[row]),
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
    Int(IndexSet<i64>),
    Text(IndexSet<Box<str>>),
}

impl Index {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::Int(keys) => keys.len(),
            Self::Text(keys) => keys.len(),
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
            (Self::Int(keys), Key::Int(key)) => keys.get_index_of(key),
            (Self::Text(keys), Key::Text(key)) => keys.get_index_of(key.as_str()),
            _ => None,
        }
        .map(|slot| slot as u32)
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
                Keys::Int(_) => Self::Int(IndexSet::new()),
                Keys::Text(_) => Self::Text(IndexSet::new()),
            };
        }
        Ok(match (self, keys) {
            (Self::Int(known), Keys::Int(keys)) => {
                keys.iter().map(|key| known.insert_full(*key).0 as u32).collect()
            }
            (Self::Text(known), Keys::Text(keys)) => {
                let slot = |key: &String| {
                    // Copies a string only for a new key.
                    known
                        .get_index_of(key.as_str())
                        .unwrap_or_else(|| known.insert_full(key.as_str().into()).0)
                };
                keys.iter().map(slot).map(|slot| slot as u32).collect()
            }
            _ => Vec::new(),
        })
    }

    /// Removes a key and returns its slot, which the key of the last slot gets.
    pub(super) fn swap_remove(&mut self, key: &Key) -> Option<u32> {
        let removed = match (self, key) {
            (Self::Int(keys), Key::Int(key)) => keys.swap_remove_full(key).map(|(slot, _)| slot),
            (Self::Text(keys), Key::Text(key)) => keys.swap_remove_full(key.as_str()).map(|(slot, _)| slot),
            _ => None,
        };
        removed.map(|slot| slot as u32)
    }

    /// Keeps the keys of the slots that are true, in their order.
    pub(super) fn retain(&mut self, slots: &[bool]) {
        fn retain<K>(keys: &mut IndexSet<K>, slots: &[bool]) {
            let mut slots = slots.iter();
            keys.retain(|_| slots.next() == Some(&true));
            keys.shrink_to_fit();
        }
        match self {
            Self::Empty => {}
            Self::Int(keys) => retain(keys, slots),
            Self::Text(keys) => retain(keys, slots),
        }
    }

    /// The slot of each key, and [`NO_SLOT`] for unknown keys.
    fn slots(&self, keys: &Keys) -> Vec<u32> {
        let slot = |found: Option<usize>| found.map_or(NO_SLOT, |slot| slot as u32);
        match (self, keys) {
            (Self::Int(known), Keys::Int(keys)) => {
                keys.iter().map(|key| slot(known.get_index_of(key))).collect()
            }
            (Self::Text(known), Keys::Text(keys)) => {
                keys.iter().map(|key| slot(known.get_index_of(key.as_str()))).collect()
            }
            _ => vec![NO_SLOT; keys.len()],
        }
    }

    /// Returns the slot of each key, and [`NO_SLOT`] for unknown keys, which are an error unless `allow_unknown`.
    pub(super) fn find_all(&self, keys: &Keys, allow_unknown: bool) -> Result<Vec<u32>> {
        let slots = self.slots(keys);
        match slots.iter().position(|slot| *slot == NO_SLOT) {
            Some(row) if !allow_unknown => {
                let expected = "known (a trained template model also predicts for unknown keys)";
                Err(Error::entry("keys", expected, keys.shown(row), row))
            }
            _ => Ok(slots),
        }
    }

    /// An error if a key is known.
    pub(super) fn check_new(&self, keys: &Keys) -> Result<()> {
        match self.slots(keys).iter().position(|slot| *slot != NO_SLOT) {
            Some(row) => {
                Err(Error::entry("keys", "new for fit (learn continues known keys)", keys.shown(row), row))
            }
            None => Ok(()),
        }
    }

    /// The key of a slot.
    pub(super) fn key_of(&self, slot: u32) -> Option<Key> {
        match self {
            Self::Empty => None,
            Self::Int(keys) => keys.get_index(slot as usize).map(|key| Key::Int(*key)),
            Self::Text(keys) => keys.get_index(slot as usize).map(|key| Key::Text(key.to_string())),
        }
    }

    /// The keys from a slot on, in the order of their slots. Returns `None` if there is no key.
    pub(super) fn keys_from(&self, slot: usize) -> Option<Keys> {
        match self {
            Self::Empty => None,
            Self::Int(keys) => Some(Keys::Int(keys.iter().skip(slot).copied().collect())),
            Self::Text(keys) => Some(Keys::Text(keys.iter().skip(slot).map(ToString::to_string).collect())),
        }
    }
}
