//! [`encode`] and [`decode`]: the one sequence of bytes that stands for a set of tensors and values.

use super::tensors::{Entry, Tensor};
use super::{Attribute, Tensors, refused};
use crate::element::Dtype;
use crate::{Error, Result};
use safetensors::tensor::{Dtype as FileDtype, Metadata, TensorInfo, View};
use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// The version of the format that [`encode`] writes; [`decode`] reads no other.
pub const VERSION: u64 = 1;

/// The longest header (names, shapes, values) of a model file in bytes: room for 100,000 class labels of 20 letters.
///
/// A hostile header makes its reader take up to 100 times its size for a moment (measured), so there must be a bound.
pub const MAX_HEADER: usize = 4 << 20;

/// The only key of the file's metadata.
const KEY: &str = "budgetrs";
/// Bytes of the header's length, with which the file starts.
const LENGTH: usize = 8;
/// The header up to the digest: metadata come first, and `digest` is the first of their keys.
const HEAD: &[u8] = br#"{"__metadata__":{"budgetrs":"{\"digest\":\""#;
/// Hex digits of the digest.
const DIGITS: usize = 64;
/// Where they stand in the file.
const DIGEST: Range<usize> = LENGTH + HEAD.len()..LENGTH + HEAD.len() + DIGITS;

#[cfg(test)]
thread_local! {
    /// How often this thread has computed a digest.
    pub(crate) static DIGESTS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The file for these tensors and values, the same for every order in which they were added.
///
/// # Errors
/// [`Error::Model`](crate::Error::Model) when names and values take more than [`MAX_HEADER`] bytes.
pub fn encode(tensors: &Tensors) -> Result<Vec<u8>> {
    let mut bytes = unsigned(tensors)?;
    let digest = digest(&bytes);
    bytes[DIGEST].copy_from_slice(&digest);
    Ok(bytes)
}

/// The file with zeros in the digest's place.
fn unsigned(tensors: &Tensors) -> Result<Vec<u8>> {
    // Added in sorted order, so that the text does not depend on how `Map` was configured.
    let root: Map<String, Json> = [
        ("digest".to_owned(), Json::from("0".repeat(DIGITS))),
        ("state".to_owned(), to_json(tensors)),
        ("version".to_owned(), Json::from(VERSION)),
    ]
    .into_iter()
    .collect();
    let metadata = HashMap::from([(KEY.to_owned(), Json::Object(root).to_string())]);
    let mut flat = Vec::new();
    flatten(tensors, &mut flat);
    let bytes = safetensors::serialize(flat, Some(metadata)).map_err(|error| refused(error.to_string()))?;
    header(&bytes)?;
    Ok(bytes)
}

/// The tensors and values of a file that [`encode`] wrote.
///
/// # Errors
/// [`Error::Model`](crate::Error::Model) for all other bytes: another kind of file, a newer version, or a file that
/// was cut off, damaged or altered.
pub fn decode(bytes: &[u8]) -> Result<Tensors> {
    let tensors = parse(bytes)?;
    if is_file_of(bytes, &tensors)? { Ok(tensors) } else { Err(altered()) }
}

/// The tensors and values of a file whose digest is right. The caller finds out by [`is_file_of`] whether they are all
/// that is in it, once it knows which of them it has read.
pub(crate) fn parse(bytes: &[u8]) -> Result<Tensors> {
    let (header, data) = header(bytes)?;
    // Parsed without `SafeTensors::deserialize`, which adds up sizes that may overflow.
    let header =
        std::str::from_utf8(header).map_err(|_| refused("another kind of file: its header is not UTF-8"))?;
    let layout: Metadata = serde_json::from_str(header)
        .map_err(|error| refused(format!("another kind of file: not a safetensors header: {error}")))?;
    let mut tensors = state(&layout)?;
    if layout.data_len() != data.len() {
        let (expected, got) = (layout.data_len(), data.len());
        return Err(refused(format!("the tensors must have {expected} bytes, got {got}")));
    }
    for (path, info) in layout.tensors() {
        let (start, end) = info.data_offsets;
        let bytes =
            data.get(start..end).ok_or_else(|| refused(format!("tensor {path} lies outside the file")))?;
        add_tensor(&mut tensors, &path, info, bytes)?;
    }
    let signed = bytes.get(LENGTH..DIGEST.start) == Some(HEAD)
        && bytes.get(DIGEST).is_some_and(|digits| digits == digest(bytes));
    if signed { Ok(tensors) } else { Err(altered()) }
}

/// Whether a file that [`parse`] has read is, to the last bit, the one of these tensors and values. Its digest, which
/// was found right, is not computed again.
pub(crate) fn is_file_of(bytes: &[u8], tensors: &Tensors) -> Result<bool> {
    let mut file = unsigned(tensors)?;
    file[DIGEST].copy_from_slice(&bytes[DIGEST]);
    Ok(file == bytes)
}

fn altered() -> Error {
    refused("it was damaged or altered, its digest does not match its content")
}

/// Splits a file into its header and the bytes of its tensors.
fn header(bytes: &[u8]) -> Result<(&[u8], &[u8])> {
    let cut_off = || refused("another kind of file, or cut off: it ends within its header");
    let (length, rest) = bytes.split_first_chunk::<LENGTH>().ok_or_else(cut_off)?;
    // Text of any kind, whose first bytes are no length.
    if length.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) {
        return Err(refused("another kind of file: it begins as text does"));
    }
    match u64::from_le_bytes(*length) {
        length if length > MAX_HEADER as u64 => Err(refused(format!(
            "another kind of file: its header would have {length} bytes, at most {MAX_HEADER} are allowed"
        ))),
        length => rest.split_at_checked(length as usize).ok_or_else(cut_off),
    }
}

/// The scopes and values in the header, where the version is checked first.
fn state(layout: &Metadata) -> Result<Tensors> {
    let text = layout
        .metadata()
        .as_ref()
        .and_then(|metadata| metadata.get(KEY))
        .ok_or_else(|| refused("another kind of file: of safetensors, but not of budgetrs"))?;
    let mut root: Json =
        serde_json::from_str(text).map_err(|error| refused(format!("its metadata are not JSON: {error}")))?;
    match root.get("version").and_then(Json::as_u64) {
        Some(VERSION) => {}
        Some(version) if version > VERSION => {
            return Err(refused(format!(
                "written by a newer version of budgetrs (format {version}, this one reads format {VERSION})"
            )));
        }
        _ => return Err(refused("its metadata have no known format version")),
    }
    let mut tensors = Tensors::new();
    match root.get_mut("state").map(Json::take) {
        Some(Json::Object(state)) => add_values(&mut tensors, state)?,
        _ => return Err(refused("its metadata have no state")),
    }
    Ok(tensors)
}

fn add_values(scope: &mut Tensors, state: Map<String, Json>) -> Result<()> {
    for (name, json) in state {
        if let Json::Object(inner) = json {
            scope.insert(&name, Entry::Scope(scope.inner(&name)))?;
            add_values(scope.scope_mut(&name), inner)?;
        } else {
            let value = Attribute::from_json(json)
                .ok_or_else(|| refused(format!("value {} is not readable", scope.path(&name))))?;
            scope.insert(&name, Entry::Attribute(value))?;
        }
    }
    Ok(())
}

/// Adds a tensor where its path says. Its scopes must be there: a path cannot make the tree deeper than the JSON did.
fn add_tensor(root: &mut Tensors, path: &str, info: &TensorInfo, bytes: &[u8]) -> Result<()> {
    let (scopes, name) = path.rsplit_once('.').map_or((None, path), |(scopes, name)| (Some(scopes), name));
    let mut scope = root;
    for part in scopes.into_iter().flat_map(|scopes| scopes.split('.')) {
        scope.scope(part)?;
        scope = scope.scope_mut(part);
    }
    let dtype = from_file(info.dtype).ok_or_else(|| {
        refused(format!("tensor {path} has dtype {}, which no model of budgetrs has", info.dtype))
    })?;
    scope.insert(name, Entry::Tensor(Tensor { dtype, shape: info.shape.clone(), bytes: bytes.to_vec() }))
}

fn to_json(scope: &Tensors) -> Json {
    let pairs = scope.entries().iter().filter_map(|(name, entry)| match entry {
        Entry::Tensor(_) => None,
        Entry::Attribute(value) => Some((name.clone(), value.to_json())),
        Entry::Scope(inner) => Some((name.clone(), to_json(inner))),
    });
    Json::Object(pairs.collect())
}

fn flatten<'a>(scope: &'a Tensors, out: &mut Vec<(String, &'a Tensor)>) {
    for (name, entry) in scope.entries() {
        match entry {
            Entry::Tensor(tensor) => out.push((scope.path(name), tensor)),
            Entry::Attribute(_) => {}
            Entry::Scope(inner) => flatten(inner, out),
        }
    }
}

/// SHA-256 of a file with zeros in the digest's place, in hex digits.
fn digest(bytes: &[u8]) -> Vec<u8> {
    #[cfg(test)]
    DIGESTS.set(DIGESTS.get() + 1);
    let zeros = [b'0'; DIGITS];
    let (head, rest) = (&bytes[..DIGEST.start], &bytes[DIGEST.end..]);
    let hash = Sha256::new().chain_update(head).chain_update(zeros).chain_update(rest).finalize();
    hash.iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| b"0123456789abcdef"[usize::from(digit)])
        .collect()
}

fn to_file(dtype: Dtype) -> FileDtype {
    match dtype {
        Dtype::F32 => FileDtype::F32,
        Dtype::F64 => FileDtype::F64,
        Dtype::U8 => FileDtype::U8,
        Dtype::U32 => FileDtype::U32,
        Dtype::U64 => FileDtype::U64,
        Dtype::I64 => FileDtype::I64,
    }
}

fn from_file(dtype: FileDtype) -> Option<Dtype> {
    [Dtype::F32, Dtype::F64, Dtype::U8, Dtype::U32, Dtype::U64, Dtype::I64]
        .into_iter()
        .find(|&known| to_file(known) == dtype)
}

impl View for &Tensor {
    fn dtype(&self) -> FileDtype {
        to_file(self.dtype)
    }
    fn shape(&self) -> &[usize] {
        &self.shape
    }
    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.bytes)
    }
    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}
