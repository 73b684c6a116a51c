//! Class labels: their spelling in files, and the table of distinct labels.

use crate::error::OptionError;
use crate::label_cache::LabelCache;
use crate::number;
use crate::parse_error::{ParseError, ParseResult, quote};
use std::collections::HashMap;
use std::fmt;

/// Maximum number of distinct labels. More labels suggest a regression target.
pub const MAX_LABELS: usize = 65_536;
/// Maximum number of bytes of a text label, which bounds the memory of the labels.
pub const MAX_LABEL_BYTES: usize = 256;
/// Maximum number of known labels that a message lists.
const MAX_LISTED: usize = 8;

/// A class label in canonical form: `+1`, `1`, `1.0` and `1e0` all are `Int(1)`.
///
/// Integers beyond 64 bits are text, because rounding them to floats could make distinct labels equal.
#[derive(Debug, Clone, PartialEq)]
pub enum Label {
    /// An integer, in any spelling.
    Int(i64),
    /// A finite number that is not a 64-bit integer.
    Float(f64),
    /// Other text.
    Text(String),
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// A canonical label with borrowed text, so that a lookup does not allocate.
enum LabelKey<'a> {
    Int(i64),
    Float(f64),
    Text(&'a str),
}

impl<'a> LabelKey<'a> {
    fn of_token(token: &'a [u8]) -> ParseResult<Self> {
        let unsigned = token.strip_prefix(b"-").or_else(|| token.strip_prefix(b"+")).unwrap_or(token);
        if !unsigned.is_empty() && unsigned.iter().all(u8::is_ascii_digit) {
            let text = text(token)?;
            return Ok(text.parse().map_or(Self::Text(text), Self::Int));
        }
        match number::parse(token) {
            Some(value) => Self::of_value(value).ok_or_else(|| not_finite(token)),
            None if number::is_not_finite_word(token) => Err(not_finite(token)),
            None => text(token).map(Self::Text),
        }
    }

    fn of_value(value: f64) -> Option<Self> {
        // Every integral float in this range is exactly a 64-bit integer.
        let range = -9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0;
        if value.fract() == 0.0 && range.contains(&value) {
            return Some(Self::Int(value as i64));
        }
        value.is_finite().then_some(Self::Float(value))
    }

    fn of_label(label: &'a Label) -> ParseResult<Self> {
        match label {
            Label::Int(value) => Ok(Self::Int(*value)),
            Label::Float(value) => {
                Self::of_value(*value).ok_or_else(|| not_finite(value.to_string().as_bytes()))
            }
            Label::Text(text) => Self::of_token(text.as_bytes()),
        }
    }
}

fn not_finite(token: &[u8]) -> ParseError {
    ParseError::new(0, "a label that is finite", quote(token))
}

/// Checks that a token is valid as a text label.
fn text(token: &[u8]) -> ParseResult<&str> {
    let error = |expected: String| Err(ParseError::new(0, expected, quote(token)));
    if token.len() > MAX_LABEL_BYTES {
        return error(format!("a label of at most {MAX_LABEL_BYTES} bytes"));
    }
    match std::str::from_utf8(token) {
        Err(_) => error("a label in UTF-8".to_owned()),
        Ok(text) if text.chars().any(char::is_control) => {
            error("a label without control characters".to_owned())
        }
        Ok(text) if text.trim().is_empty() => error("a label".to_owned()),
        Ok(text) => Ok(text),
    }
}

/// The distinct labels: those seen so far, in order of appearance, or a fixed list.
///
/// Invariant: `labels` and the three maps together hold the same labels; a map yields the index in `labels`.
#[derive(Debug, Clone, Default)]
pub(super) struct LabelTable {
    labels: Vec<Label>,
    ints: HashMap<i64, u32>,
    floats: HashMap<u64, u32>,
    texts: HashMap<String, u32>,
    is_fixed: bool,
    cache: LabelCache,
}

impl LabelTable {
    /// Creates a table with a fixed list of labels.
    pub(super) fn fixed(labels: &[Label]) -> Result<Self, OptionError> {
        let mut table = Self::default();
        if labels.is_empty() || labels.len() > MAX_LABELS {
            let expected = format!("a list of 1 to {MAX_LABELS} labels");
            return Err(OptionError::invalid("labels", expected, labels.len()));
        }
        for label in labels {
            let key = LabelKey::of_label(label).map_err(|error| {
                OptionError::invalid(
                    "labels",
                    format!("a list of labels, each {}", error.expected),
                    error.got,
                )
            })?;
            if table.find(&key).is_some() {
                return Err(OptionError::invalid("labels", "distinct", format!("{label} twice")));
            }
            table.insert(&key);
        }
        table.is_fixed = true;
        Ok(table)
    }

    /// The labels, in the order of their indices.
    pub(super) fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// Returns the index of the label spelled by a token. Adds a new label unless the list is fixed.
    #[inline]
    pub(super) fn read(&mut self, token: &[u8]) -> ParseResult<u32> {
        match self.cache.get(token) {
            Some(found) => Ok(found),
            None => self.look_up(token),
        }
    }

    fn look_up(&mut self, token: &[u8]) -> ParseResult<u32> {
        let key = LabelKey::of_token(token)?;
        let label = match self.find(&key) {
            Some(found) => Ok(found),
            None if self.is_fixed => Err(ParseError::new(0, self.expected(), quote(token))),
            None if self.labels.len() == MAX_LABELS => {
                let expected = format!("at most {MAX_LABELS} distinct labels (is this a regression target?)");
                Err(ParseError::new(0, expected, format!("one more, {}", quote(token))))
            }
            None => Ok(self.insert(&key)),
        }?;
        self.cache.insert(token, label);
        Ok(label)
    }

    /// Removes the labels from index `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        if len == self.labels.len() {
            return;
        }
        self.cache = LabelCache::default();
        for label in self.labels.drain(len..) {
            match label {
                Label::Int(value) => self.ints.remove(&value),
                Label::Float(value) => self.floats.remove(&value.to_bits()),
                Label::Text(text) => self.texts.remove(&text),
            };
        }
    }

    fn find(&self, key: &LabelKey) -> Option<u32> {
        match key {
            LabelKey::Int(value) => self.ints.get(value).copied(),
            LabelKey::Float(value) => self.floats.get(&value.to_bits()).copied(),
            LabelKey::Text(text) => self.texts.get(*text).copied(),
        }
    }

    fn insert(&mut self, key: &LabelKey) -> u32 {
        let index = self.labels.len() as u32;
        let label = match *key {
            LabelKey::Int(value) => {
                self.ints.insert(value, index);
                Label::Int(value)
            }
            LabelKey::Float(value) => {
                self.floats.insert(value.to_bits(), index);
                Label::Float(value)
            }
            LabelKey::Text(text) => {
                self.texts.insert(text.to_owned(), index);
                Label::Text(text.to_owned())
            }
        };
        self.labels.push(label);
        index
    }

    /// The list of known labels for a message.
    fn expected(&self) -> String {
        let listed: Vec<String> =
            self.labels.iter().take(MAX_LISTED).map(|label| quote(label.to_string().as_bytes())).collect();
        let rest = if self.labels.len() > MAX_LISTED {
            format!(", ... ({} labels in all)", self.labels.len())
        } else {
            String::new()
        };
        format!("one of the known labels {}{rest}", listed.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::Label::{self, Float, Int, Text};
    use super::{LabelTable, MAX_LABELS};

    fn read(token: &str) -> Result<Label, String> {
        let mut table = LabelTable::default();
        table.read(token.as_bytes()).map_err(|error| error.expected.into_owned())?;
        Ok(table.labels()[0].clone())
    }

    #[test]
    fn spellings_of_a_label_are_equal() {
        let text = |text: &str| Text(text.to_owned());
        for (token, expected) in [
            ("+1", Int(1)),
            ("1", Int(1)),
            ("1.0", Int(1)),
            ("1e0", Int(1)),
            ("01", Int(1)),
            ("-1", Int(-1)),
            ("-0.0", Int(0)),
            ("-0", Int(0)),
            ("0.5", Float(0.5)),
            ("50e-2", Float(0.5)),
            ("9223372036854775807", Int(i64::MAX)),
            ("-9223372036854775808", Int(i64::MIN)),
            ("9223372036854775808", text("9223372036854775808")),
            ("9223372036854775808.0", Float(9_223_372_036_854_775_808.0)),
            ("1e20", Float(1e20)),
            ("spam", text("spam")),
            ("1st", text("1st")),
            ("-", text("-")),
            ("NA", text("NA")),
            ("né", text("né")),
        ] {
            assert_eq!(read(token), Ok(expected), "{token}");
        }
        for (token, expected) in [
            ("nan", "a label that is finite"),
            ("-Infinity", "a label that is finite"),
            ("1e999", "a label that is finite"),
            ("  ", "a label"),
            ("a\u{0}", "a label without control characters"),
            (&"x".repeat(257), "a label of at most 256 bytes"),
            (&"9".repeat(257), "a label of at most 256 bytes"),
        ] {
            assert_eq!(read(token), Err(expected.to_owned()), "{token}");
        }
    }

    #[test]
    fn indices_follow_the_order_of_appearance_and_truncate_removes_labels() {
        let mut table = LabelTable::default();
        let mut read = |token: &str| table.read(token.as_bytes()).expect("a label");
        assert_eq!(
            [read("b"), read("2"), read("0.5"), read("2.0"), read("b"), read("a")],
            [0, 1, 2, 1, 0, 3]
        );
        table.truncate(1);
        assert_eq!(table.labels(), [Text("b".into())]);
        let mut read = |token: &str| table.read(token.as_bytes()).expect("a label");
        assert_eq!([read("a"), read("0.5"), read("2"), read("b")], [1, 2, 3, 0]);
    }

    #[test]
    fn too_many_labels_are_an_error() {
        let mut table = LabelTable::default();
        for label in 0..MAX_LABELS {
            assert_eq!(table.read(label.to_string().as_bytes()), Ok(label as u32));
        }
        let error = table.read(b"0.25").unwrap_err();
        assert_eq!(error.expected, "at most 65536 distinct labels (is this a regression target?)");
        assert_eq!(error.got, "one more, `0.25`");
        assert_eq!(table.read(b"65535"), Ok(65_535));
    }

    #[test]
    fn a_fixed_list_is_canonical_and_closed() {
        let known = [Text("1".into()), Float(2.0), Text("c".into())];
        let mut table = LabelTable::fixed(&known).expect("three labels");
        assert_eq!(table.labels(), [Int(1), Int(2), Text("c".into())]);
        assert_eq!([table.read(b"c"), table.read(b"+1"), table.read(b"2e0")], [Ok(2), Ok(0), Ok(1)]);
        let error = table.read(b"d").unwrap_err();
        assert_eq!((&*error.expected, &*error.got), ("one of the known labels `1`, `2`, `c`", "`d`"));
        let many: Vec<Label> = (0..26).map(Int).collect();
        let error = LabelTable::fixed(&many).expect("26 labels").read(b"26").unwrap_err();
        assert!(error.expected.ends_with("`6`, `7`, ... (26 labels in all)"), "{}", error.expected);

        for (labels, message) in [
            (vec![], "labels must be a list of 1 to 65536 labels, got 0"),
            (vec![Int(1), Text("1.0".into())], "labels must be distinct, got 1.0 twice"),
            (
                vec![Float(f64::NAN)],
                "labels must be a list of labels, each a label that is finite, got `NaN`",
            ),
        ] {
            assert_eq!(LabelTable::fixed(&labels).unwrap_err().to_string(), message);
        }
    }
}
