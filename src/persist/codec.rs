//! [`encode`] and [`decode`]: the unique encoding of tensors and values as bytes.

use super::attribute::Attribute;
use super::errors::model_error;
use super::tensors::{Entry, Tensor, Tensors};
use crate::element::Dtype;
use crate::{Error, Result};
use safetensors::tensor::{Dtype as FileDtype, Metadata, TensorInfo, View};
use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// Version of the format. [`decode`] does not read other versions.
pub const VERSION: u64 = 1;

/// Maximum number of bytes of the header of a model file (names, shapes and values): room for 100,000 class labels of
/// 20 letters.
///
/// Parsing a hostile header takes up to 100 times its size in memory (measured), so its size is bounded.
pub const MAX_HEADER: usize = 4 << 20;

/// The only key of the metadata.
const METADATA_KEY: &str = "budgetrs";
/// Bytes of the length of the header, at the start of the file.
const LENGTH_BYTES: usize = 8;
/// Start of the header, up to the digest: metadata come first, and `digest` is the first of their keys.
const HEADER_START: &[u8] = br#"{"__metadata__":{"budgetrs":"{\"digest\":\""#;
/// Number of hex digits of the digest.
const DIGEST_LEN: usize = 64;
/// Position of the digest in the file.
const DIGEST_RANGE: Range<usize> =
    LENGTH_BYTES + HEADER_START.len()..LENGTH_BYTES + HEADER_START.len() + DIGEST_LEN;

#[cfg(test)]
thread_local! {
    /// Number of digests computed by this thread.
    pub(crate) static N_DIGESTS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Encodes tensors and values as the bytes of a file. The bytes do not depend on the order in which entries were added.
///
/// # Errors
/// [`Error::Model`] if names and values take more than [`MAX_HEADER`] bytes.
pub fn encode(tensors: &Tensors) -> Result<Vec<u8>> {
    let mut bytes = encode_unsigned(tensors)?;
    let digest = hex_digest(&bytes);
    bytes[DIGEST_RANGE].copy_from_slice(&digest);
    Ok(bytes)
}

/// Encodes with zeros in place of the digest.
fn encode_unsigned(tensors: &Tensors) -> Result<Vec<u8>> {
    // In sorted order, so that the text does not depend on the cargo features of serde_json.
    let root: Map<String, Json> = [
        ("digest".to_owned(), Json::from("0".repeat(DIGEST_LEN))),
        ("state".to_owned(), to_json(tensors)),
        ("version".to_owned(), Json::from(VERSION)),
    ]
    .into_iter()
    .collect();
    let metadata = HashMap::from([(METADATA_KEY.to_owned(), Json::Object(root).to_string())]);
    let mut flat = Vec::new();
    flatten(tensors, &mut flat);
    let bytes =
        safetensors::serialize(flat, Some(metadata)).map_err(|error| model_error(error.to_string()))?;
    split_header(&bytes)?;
    Ok(bytes)
}

/// Decodes the bytes of [`encode`].
///
/// # Errors
/// [`Error::Model`] for all other bytes: another kind of file, a file of a newer version, and a file that was
/// truncated, damaged or altered.
pub fn decode(bytes: &[u8]) -> Result<Tensors> {
    let tensors = parse(bytes)?;
    if is_encoding_of(bytes, &tensors)? { Ok(tensors) } else { Err(digest_error()) }
}

/// Parses bytes and checks their digest, but not that the encoding is the unique one. The caller checks that by
/// [`is_encoding_of`], with the entries that it used, so that a file with additional entries is an error.
pub(crate) fn parse(bytes: &[u8]) -> Result<Tensors> {
    let (header, data) = split_header(bytes)?;
    // Not by `SafeTensors::deserialize`, whose sum of sizes may overflow.
    let header = std::str::from_utf8(header)
        .map_err(|_| model_error("another kind of file: its header is not UTF-8"))?;
    let layout: Metadata = serde_json::from_str(header)
        .map_err(|error| model_error(format!("another kind of file: not a safetensors header: {error}")))?;
    let mut tensors = parse_state(&layout)?;
    if layout.data_len() != data.len() {
        let (expected, got) = (layout.data_len(), data.len());
        return Err(model_error(format!("the tensors must have {expected} bytes, got {got}")));
    }
    for (path, info) in layout.tensors() {
        let (start, end) = info.data_offsets;
        let bytes = data
            .get(start..end)
            .ok_or_else(|| model_error(format!("tensor {path} lies outside the file")))?;
        insert_tensor(&mut tensors, &path, info, bytes)?;
    }
    let signed = bytes.get(LENGTH_BYTES..DIGEST_RANGE.start) == Some(HEADER_START)
        && bytes.get(DIGEST_RANGE).is_some_and(|digits| digits == hex_digest(bytes));
    if signed { Ok(tensors) } else { Err(digest_error()) }
}

/// Returns true if `bytes`, whose digest [`parse`] has checked, are the encoding of these tensors and values. Does not
/// compute the digest again.
pub(crate) fn is_encoding_of(bytes: &[u8], tensors: &Tensors) -> Result<bool> {
    let mut file = encode_unsigned(tensors)?;
    file[DIGEST_RANGE].copy_from_slice(&bytes[DIGEST_RANGE]);
    Ok(file == bytes)
}

fn digest_error() -> Error {
    model_error("it was damaged or altered, its digest does not match its content")
}

/// Splits a file into its header and the bytes of the tensors.
fn split_header(bytes: &[u8]) -> Result<(&[u8], &[u8])> {
    let cut_off = || model_error("another kind of file, or cut off: it ends within its header");
    let (length, rest) = bytes.split_first_chunk::<LENGTH_BYTES>().ok_or_else(cut_off)?;
    // The first bytes of a text file are not a length.
    if length.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) {
        return Err(model_error("another kind of file: it begins as text does"));
    }
    match u64::from_le_bytes(*length) {
        large if large > MAX_HEADER as u64 && matches!(length, [0x80, 2..=5, ..]) => {
            Err(model_error("another kind of file: a pickle, which pickle.load or joblib.load reads"))
        }
        length if length > MAX_HEADER as u64 => Err(model_error(format!(
            "another kind of file: its header would have {length} bytes, at most {MAX_HEADER} are allowed"
        ))),
        length => rest.split_at_checked(length as usize).ok_or_else(cut_off),
    }
}

/// Checks the version, and parses scopes and values from the header.
fn parse_state(layout: &Metadata) -> Result<Tensors> {
    let text = layout
        .metadata()
        .as_ref()
        .and_then(|metadata| metadata.get(METADATA_KEY))
        .ok_or_else(|| model_error("another kind of file: of safetensors, but not of budgetrs"))?;
    let mut root: Json = serde_json::from_str(text)
        .map_err(|error| model_error(format!("its metadata are not JSON: {error}")))?;
    match root.get("version").and_then(Json::as_u64) {
        Some(VERSION) => {}
        Some(version) if version > VERSION => {
            return Err(model_error(format!(
                "written by a newer version of budgetrs (format {version}, this one reads format {VERSION})"
            )));
        }
        _ => return Err(model_error("its metadata have no known format version")),
    }
    let mut tensors = Tensors::new();
    match root.get_mut("state").map(Json::take) {
        Some(Json::Object(state)) => insert_values(&mut tensors, state)?,
        _ => return Err(model_error("its metadata have no state")),
    }
    Ok(tensors)
}

fn insert_values(scope: &mut Tensors, state: Map<String, Json>) -> Result<()> {
    for (name, json) in state {
        if let Json::Object(inner) = json {
            scope.insert(&name, Entry::Scope(scope.new_child(&name)))?;
            insert_values(scope.scope_mut(&name), inner)?;
        } else {
            let value = Attribute::from_json(json)
                .ok_or_else(|| model_error(format!("value {} is not readable", scope.path(&name))))?;
            scope.insert(&name, Entry::Attribute(value))?;
        }
    }
    Ok(())
}

/// Inserts a tensor at its path. Its scopes must exist, so that a path does not make the tree deeper than the JSON did.
fn insert_tensor(root: &mut Tensors, path: &str, info: &TensorInfo, bytes: &[u8]) -> Result<()> {
    let (scopes, name) = path.rsplit_once('.').map_or((None, path), |(scopes, name)| (Some(scopes), name));
    let mut scope = root;
    for part in scopes.into_iter().flat_map(|scopes| scopes.split('.')) {
        scope.scope(part)?;
        scope = scope.scope_mut(part);
    }
    let dtype = from_file_dtype(info.dtype).ok_or_else(|| {
        model_error(format!("tensor {path} has dtype {}, which no model of budgetrs has", info.dtype))
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

/// SHA-256 of a file with zeros in place of the digest, in hex digits.
fn hex_digest(bytes: &[u8]) -> Vec<u8> {
    #[cfg(test)]
    N_DIGESTS.set(N_DIGESTS.get() + 1);
    let zeros = [b'0'; DIGEST_LEN];
    let (head, rest) = (&bytes[..DIGEST_RANGE.start], &bytes[DIGEST_RANGE.end..]);
    let hash = Sha256::new().chain_update(head).chain_update(zeros).chain_update(rest).finalize();
    hash.iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| b"0123456789abcdef"[usize::from(digit)])
        .collect()
}

fn to_file_dtype(dtype: Dtype) -> FileDtype {
    match dtype {
        Dtype::F32 => FileDtype::F32,
        Dtype::F64 => FileDtype::F64,
        Dtype::U8 => FileDtype::U8,
        Dtype::U32 => FileDtype::U32,
        Dtype::U64 => FileDtype::U64,
        Dtype::I64 => FileDtype::I64,
    }
}

fn from_file_dtype(dtype: FileDtype) -> Option<Dtype> {
    [Dtype::F32, Dtype::F64, Dtype::U8, Dtype::U32, Dtype::U64, Dtype::I64]
        .into_iter()
        .find(|&known| to_file_dtype(known) == dtype)
}

impl View for &Tensor {
    fn dtype(&self) -> FileDtype {
        to_file_dtype(self.dtype)
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
