//! A folder of models: an index, and one file in which the model file of each key can be read by itself.

use super::common::{KINDS, Shape};
use super::entries::Entries;
use super::index::{Index, Keys};
use super::spill::{Record, Records};
use super::{KeyedModels, MEMORY};
use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::model::Model;
use crate::persist::{self, AtomicFile, DirectoryLock, Tensors, io_error};
use rayon::prelude::*;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::mem::discriminant;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the index: a file of tensors, as a model file is.
const INDEX: &str = "index.budgetrs";
/// Models that are made ready at once.
const CHUNK: usize = 256;

impl KeyedModels {
    /// Saves all models in a folder, which is made if there is none: whole or not at all. What was saved in it before is
    /// replaced; other files stay.
    ///
    /// The file `index.budgetrs` has, as tensors, the keys and where the model of each begins in the file of models, and
    /// how many bytes it has: those are a model file of its own. Its name is `models-`, 16 hex digits and `.budgetrs`.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be written, or another process saves here for over 20 seconds; and as
    /// [`Model::to_bytes`]. What was saved before is still there then.
    pub fn save(&mut self, folder: impl AsRef<Path>) -> Result<()> {
        let folder = folder.as_ref();
        fs::create_dir_all(folder).map_err(|error| io_error(folder, &error))?;
        // Whoever comes by a link waits for the same folder.
        let folder = &fs::canonicalize(folder).map_err(|error| io_error(folder, &error))?;
        // Index and models are two files: another one that saves here waits.
        let held = DirectoryLock::acquire(folder)?;
        let old = files(folder)?;
        // Of its own, also where a folder cannot be held.
        let number = RandomState::new().hash_one(std::process::id());
        let path = folder.join(name_of(number));
        let (mut draft, mut records, mut end) = (AtomicFile::new(&path)?, Vec::with_capacity(self.len()), 0);
        for from in (0..self.len()).step_by(CHUNK) {
            let slots = from..self.len().min(from + CHUNK);
            let files: Vec<Option<Vec<u8>>> = if self.parallel {
                slots.into_par_iter().map(|slot| self.entries.file_of(slot)).collect::<Result<_>>()
            } else {
                slots.map(|slot| self.entries.file_of(slot)).collect::<Result<_>>()
            }?;
            for file in files {
                let file = file.unwrap_or_default();
                draft.write_all(&file).map_err(|error| io_error(&path, &error))?;
                let bytes = u32::try_from(file.len())
                    .map_err(|_| Error::State("the model of a key has over 4 GiB".into()))?;
                records.push(Record { from: end, bytes, saved: true });
                end += u64::from(bytes);
            }
        }
        let index = persist::encode(&self.index_of(number, &records)?)?;
        draft.commit()?;
        if let Err(error) = persist::write_atomic(folder.join(INDEX), &index) {
            // The old index is there still, and does not know this file.
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        for path in old {
            // Who still reads it has it open; what cannot be removed now is removed by the next call.
            let _ = fs::remove_file(path);
        }
        let file = persist::open(&path)?;
        drop(held);
        self.entries.settle(Records { file: Arc::new(file), path }, &records);
        Ok(())
    }

    fn index_of(&self, number: u64, records: &[Record]) -> Result<Tensors> {
        let mut out = Tensors::new();
        out.set("models_by_key", number);
        let begin = self.begin.to_bytes()?;
        out.put("begin", &[begin.len()], begin);
        out.put("from", &[records.len()], records.iter().map(|record| record.from));
        out.put("bytes", &[records.len()], records.iter().map(|record| record.bytes));
        match self.index.keys() {
            None => {}
            Some(Keys::Int(keys)) => out.put("keys", &[keys.len()], keys),
            Some(Keys::Text(keys)) => {
                out.put("letters", &[keys.len()], keys.iter().map(|key| key.len() as u64));
                let letters = keys.concat().into_bytes();
                out.put("keys", &[letters.len()], letters);
            }
        }
        if let Some(columns) = &self.columns {
            columns.save(out.scope_mut("columns"));
        }
        if let Some(shape) = &self.shape {
            out.set("width", shape.width as u64);
            out.set("dtype", shape.dtype);
            if let Some(kind) = shape.labels {
                let name =
                    KINDS.iter().find(|(_, like)| discriminant(like) == kind).map_or("", |(name, _)| name);
                out.set("labels", name);
            }
        }
        Ok(out)
    }

    /// The models of a folder. Each is read when its key comes.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be read, [`Error::ModelFile`] when its index is damaged. A model that is damaged is
    /// found when it is read.
    pub fn load(folder: impl AsRef<Path>) -> Result<Self> {
        let folder = folder.as_ref();
        let path = folder.join(INDEX);
        loop {
            let bytes = persist::read(&path)?;
            let index = persist::decode(&bytes).map_err(|error| of_file(&path, error))?;
            let number = index.u64("models_by_key").map_err(|error| of_file(&path, error))?;
            let models = folder.join(name_of(number));
            match persist::open(&models) {
                Ok(file) => {
                    let records = Records { file: Arc::new(file), path: models };
                    return Self::of_index(&index, records).map_err(|error| of_file(&path, error));
                }
                // Another process has saved meanwhile, and there is another index.
                Err(_) if persist::read(&path)? != bytes => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn of_index(from: &Tensors, models: Records) -> Result<Self> {
        let refused = |reason: &'static str| Error::Model(reason.into());
        let [bytes] = from.shape("begin")?;
        let begin = Model::from_bytes(&from.get::<u8>("begin", &[bytes])?)?;
        let [count] = from.shape("from")?;
        let places: Vec<u64> = from.get("from", &[count])?;
        let lengths: Vec<u32> = from.get("bytes", &[count])?;
        let end = models.file.metadata().map_err(|error| io_error(&models.path, &error))?.len();
        let within =
            |(from, bytes): (&u64, &u32)| from.checked_add(u64::from(*bytes)).is_some_and(|to| to <= end);
        if !places.iter().zip(&lengths).all(within) {
            return Err(refused("models that are beyond the end of their file"));
        }
        let mut index = Index::default();
        if count > 0 {
            let keys = if from.contains("letters") {
                let letters: Vec<u64> = from.get("letters", &[count])?;
                let [all] = from.shape("keys")?;
                let text =
                    String::from_utf8(from.get("keys", &[all])?).map_err(|_| refused("keys are no text"))?;
                Keys::Text(cut(&text, &letters).ok_or_else(|| refused("keys do not fit their lengths"))?)
            } else {
                Keys::Int(from.get("keys", &[count])?)
            };
            index.slots(&keys).map_err(|error| Error::Model(error.to_string().into()))?;
        }
        if index.len() != count {
            return Err(refused("keys that come twice"));
        }
        let columns = if from.contains("columns") {
            Some(Arc::new(Columns::load(from.scope("columns")?)?))
        } else {
            None
        };
        let shape = if from.contains("width") {
            let labels = if from.contains("labels") {
                let name = from.text("labels")?;
                let kind = KINDS.iter().find(|(known, _)| *known == name);
                Some(kind.ok_or_else(|| refused("labels of an unknown kind"))?)
            } else {
                None
            };
            let dtype = from.text("dtype")?;
            let known = [f32::NAME, f64::NAME].into_iter().find(|known| *known == dtype);
            Some(Shape {
                width: from.usize("width")?,
                dtype: known.ok_or_else(|| refused("an unknown float type"))?,
                labels: labels.map(|(_, like)| discriminant(like)),
            })
        } else {
            None
        };
        let records: Vec<Record> = places
            .into_iter()
            .zip(lengths)
            .map(|(from, bytes)| Record { from, bytes, saved: true })
            .collect();
        let mut entries = Entries::new(MEMORY);
        entries.settle(models, &records);
        Ok(Self { begin, index, entries, shape, columns, parallel: false })
    }
}

/// A text cut into parts of these lengths in bytes.
fn cut(text: &str, lengths: &[u64]) -> Option<Vec<String>> {
    let mut rest = text;
    let parts = lengths.iter().map(|length| {
        let (part, after) = rest.split_at_checked(usize::try_from(*length).ok()?)?;
        rest = after;
        Some(part.to_owned())
    });
    parts.collect::<Option<Vec<String>>>().filter(|_| rest.is_empty())
}

fn of_file(path: &Path, error: Error) -> Error {
    match error {
        Error::Model(reason) => Error::ModelFile { path: path.to_owned(), reason },
        other => other,
    }
}

/// The name of a file of models.
fn name_of(number: u64) -> String {
    format!("models-{number:016x}.budgetrs")
}

/// The files of models in a folder: those of such a name, and no others.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let all = fs::read_dir(folder).map_err(|error| io_error(folder, &error))?;
    let is_ours = |name: &str| {
        let digits = name.strip_prefix("models-").and_then(|rest| rest.strip_suffix(".budgetrs"));
        digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()).is_some_and(|n| name_of(n) == name)
    };
    let files = all.flatten().filter(|file| file.file_name().to_str().is_some_and(is_ours));
    Ok(files.map(|file| file.path()).collect())
}
