//! Saving and loading all models in a directory: an index, and one file with the model files of all keys.

use super::cache::ModelCache;
use super::index::{Index, Keys};
use super::model_file::{Location, ModelFile};
use super::schema::{LABEL_TYPES, Schema};
use super::{DEFAULT_MAX_MEMORY, KeyedModels};
use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::model::Model;
use crate::persist::{self, AtomicFile, DirectoryLock, Tensors, io_error, model_error};
use rayon::prelude::*;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::mem::discriminant;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the index, which is a file of tensors like a model file.
const INDEX: &str = "index.budgetrs";
/// Number of models that are encoded at once.
const SAVE_CHUNK: usize = 256;

impl KeyedModels {
    /// Saves all models in a directory, atomically. Creates the directory if it does not exist. Models that were saved
    /// there before are replaced; other files are kept.
    ///
    /// The file `index.budgetrs` contains, as tensors, the keys, and the offset and length of the model of each key in
    /// the file of models. The bytes of a model are a model file. The name of the file of models is `models-`, 16 hex
    /// digits and `.budgetrs`.
    ///
    /// # Errors
    /// [`Error::Io`] if the files cannot be written or another process saves in the directory for 20 seconds; otherwise
    /// as [`Model::to_bytes`]. Models that were saved before are unchanged then.
    pub fn save(&mut self, directory: impl AsRef<Path>) -> Result<()> {
        let directory = directory.as_ref();
        fs::create_dir_all(directory).map_err(|error| io_error(directory, &error))?;
        // A directory has one lock, through whatever link it is reached.
        let directory = &fs::canonicalize(directory).map_err(|error| io_error(directory, &error))?;
        // Locked because index and models are two files.
        let lock = DirectoryLock::acquire(directory)?;
        let old_files = list_model_files(directory)?;
        // Unique, also on a file system without locks.
        let number = RandomState::new().hash_one(std::process::id());
        let path = directory.join(model_file_name(number));
        let (file, locations) = self.write_models(&path)?;
        let index = persist::encode(&self.encode_index(number, &locations)?)?;
        file.commit()?;
        if let Err(error) = persist::write_atomic(directory.join(INDEX), &index) {
            // The old index is unchanged and does not refer to the new file.
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        for old in old_files {
            // Readers keep the file open. If it cannot be removed, the next save removes it.
            let _ = fs::remove_file(old);
        }
        let file = persist::open(&path)?;
        drop(lock);
        self.cache.set_saved(ModelFile { file: Arc::new(file), path }, &locations);
        Ok(())
    }

    /// Writes the models of all keys to a file, which is not yet committed.
    fn write_models(&self, path: &Path) -> Result<(AtomicFile, Vec<Location>)> {
        let (mut file, mut locations, mut offset) =
            (AtomicFile::new(path)?, Vec::with_capacity(self.len()), 0);
        for start in (0..self.len()).step_by(SAVE_CHUNK) {
            let slots = start..self.len().min(start + SAVE_CHUNK);
            let models: Vec<Option<Vec<u8>>> = if self.parallel {
                slots.into_par_iter().map(|slot| self.cache.encode(slot)).collect::<Result<_>>()
            } else {
                slots.map(|slot| self.cache.encode(slot)).collect::<Result<_>>()
            }?;
            for model in models {
                let bytes = model.unwrap_or_default();
                file.write_all(&bytes).map_err(|error| io_error(path, &error))?;
                let length = u32::try_from(bytes.len())
                    .map_err(|_| Error::State("the model of a key has over 4 GiB".into()))?;
                locations.push(Location { offset, length, is_saved: true });
                offset += u64::from(length);
            }
        }
        Ok((file, locations))
    }

    fn encode_index(&self, number: u64, locations: &[Location]) -> Result<Tensors> {
        let mut out = Tensors::new();
        out.set("models_by_key", number);
        let template = self.template.to_bytes()?;
        out.put("template", &[template.len()], template);
        out.put("from", &[locations.len()], locations.iter().map(|location| location.offset));
        out.put("bytes", &[locations.len()], locations.iter().map(|location| location.length));
        match self.index.keys() {
            None => {}
            Some(Keys::Int(keys)) => out.put("keys", &[keys.len()], keys),
            Some(Keys::Text(keys)) => {
                out.put("key_lengths", &[keys.len()], keys.iter().map(|key| key.len() as u64));
                let letters = keys.concat().into_bytes();
                out.put("keys", &[letters.len()], letters);
            }
        }
        if let Some(columns) = &self.columns {
            columns.save(out.scope_mut("columns"));
        }
        if let Some(schema) = &self.schema {
            out.set("width", schema.n_columns as u64);
            out.set("dtype", schema.dtype);
            if let Some(label_type) = schema.labels {
                let found = LABEL_TYPES.iter().find(|(_, empty)| discriminant(empty) == label_type);
                out.set("labels", found.map_or("", |(name, _)| name));
            }
        }
        Ok(out)
    }

    /// Loads the models of a directory. A model is read when its key is used.
    ///
    /// # Errors
    /// [`Error::Io`] if the files cannot be read, [`Error::ModelFile`] if the index is damaged. A damaged model is an
    /// error of the call that reads it.
    pub fn load(directory: impl AsRef<Path>) -> Result<Self> {
        let directory = directory.as_ref();
        let path = directory.join(INDEX);
        loop {
            let bytes = persist::read(&path)?;
            let index = persist::decode(&bytes).map_err(|error| with_path(&path, error))?;
            let number = index.u64("models_by_key").map_err(|error| with_path(&path, error))?;
            let models_path = directory.join(model_file_name(number));
            match persist::open(&models_path) {
                Ok(file) => {
                    let models = ModelFile { file: Arc::new(file), path: models_path };
                    return Self::decode_index(&index, models).map_err(|error| with_path(&path, error));
                }
                // Another process saved new models and replaced the index meanwhile.
                Err(_) if persist::read(&path)? != bytes => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn decode_index(from: &Tensors, models: ModelFile) -> Result<Self> {
        let [length] = from.shape("template")?;
        let template = Model::from_bytes(&from.get::<u8>("template", &[length])?)?;
        let locations = decode_locations(from, &models)?;
        let index = decode_keys(from, locations.len())?;
        let columns = if from.contains("columns") {
            Some(Arc::new(Columns::load(from.scope("columns")?)?))
        } else {
            None
        };
        let schema = decode_schema(from)?;
        let mut cache = ModelCache::new(DEFAULT_MAX_MEMORY);
        cache.set_saved(models, &locations);
        Ok(Self { template, index, cache, schema, columns, parallel: false })
    }
}

fn decode_locations(from: &Tensors, models: &ModelFile) -> Result<Vec<Location>> {
    let [count] = from.shape("from")?;
    let offsets: Vec<u64> = from.get("from", &[count])?;
    let lengths: Vec<u32> = from.get("bytes", &[count])?;
    let file_size = models.file.metadata().map_err(|error| io_error(&models.path, &error))?.len();
    let is_within = |(offset, length): (&u64, &u32)| {
        offset.checked_add(u64::from(*length)).is_some_and(|end| end <= file_size)
    };
    if !offsets.iter().zip(&lengths).all(is_within) {
        return Err(model_error("models that are beyond the end of their file"));
    }
    let pairs = offsets.into_iter().zip(lengths);
    Ok(pairs.map(|(offset, length)| Location { offset, length, is_saved: true }).collect())
}

fn decode_keys(from: &Tensors, count: usize) -> Result<Index> {
    let mut index = Index::default();
    if count > 0 {
        let keys = if from.contains("key_lengths") {
            let lengths: Vec<u64> = from.get("key_lengths", &[count])?;
            let [n_bytes] = from.shape("keys")?;
            let text = String::from_utf8(from.get("keys", &[n_bytes])?)
                .map_err(|_| model_error("keys are no text"))?;
            Keys::Text(split(&text, &lengths).ok_or_else(|| model_error("keys do not fit their lengths"))?)
        } else {
            Keys::Int(from.get("keys", &[count])?)
        };
        index.find_or_insert(&keys).map_err(|error| Error::Model(error.to_string().into()))?;
    }
    if index.len() != count {
        return Err(model_error("keys that come twice"));
    }
    Ok(index)
}

fn decode_schema(from: &Tensors) -> Result<Option<Schema>> {
    if !from.contains("width") {
        return Ok(None);
    }
    let labels = if from.contains("labels") {
        let name = from.text("labels")?;
        let found = LABEL_TYPES.iter().find(|(known, _)| *known == name);
        Some(found.ok_or_else(|| model_error("labels of an unknown kind"))?)
    } else {
        None
    };
    let dtype = from.text("dtype")?;
    let known = [f32::NAME, f64::NAME].into_iter().find(|known| *known == dtype);
    Ok(Some(Schema {
        n_columns: from.usize("width")?,
        dtype: known.ok_or_else(|| model_error("an unknown float type"))?,
        labels: labels.map(|(_, empty)| discriminant(empty)),
    }))
}

/// Splits a text into parts of these lengths in bytes. Returns `None` if the lengths do not fit the text.
fn split(text: &str, lengths: &[u64]) -> Option<Vec<String>> {
    let mut rest = text;
    let parts = lengths.iter().map(|length| {
        let (part, after) = rest.split_at_checked(usize::try_from(*length).ok()?)?;
        rest = after;
        Some(part.to_owned())
    });
    parts.collect::<Option<Vec<String>>>().filter(|_| rest.is_empty())
}

/// Adds the path to an error about the content of a file.
fn with_path(path: &Path, error: Error) -> Error {
    match error {
        Error::Model(reason) => Error::ModelFile { path: path.to_owned(), reason },
        other => other,
    }
}

/// Name of a file of models.
fn model_file_name(number: u64) -> String {
    format!("models-{number:016x}.budgetrs")
}

/// The files in a directory with the name of a file of models.
fn list_model_files(directory: &Path) -> Result<Vec<PathBuf>> {
    let all = fs::read_dir(directory).map_err(|error| io_error(directory, &error))?;
    let is_model_file = |name: &str| {
        let digits = name.strip_prefix("models-").and_then(|rest| rest.strip_suffix(".budgetrs"));
        digits
            .and_then(|digits| u64::from_str_radix(digits, 16).ok())
            .is_some_and(|n| model_file_name(n) == name)
    };
    let files = all.flatten().filter(|file| file.file_name().to_str().is_some_and(is_model_file));
    Ok(files.map(|file| file.path()).collect())
}
