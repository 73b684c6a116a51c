//! Class labels: how they are spelt in a file, and the table that numbers them in order of appearance.

use super::fault::{Fault, Verdict, shown};
use super::number;
use super::recent::Recent;
use crate::error::OptionError;
use std::collections::HashMap;
use std::fmt;

/// Most distinct labels of one table: more of them are a sign of a regression target.
pub const MAX_LABELS: usize = 65_536;
/// Most bytes of a label that is text, so that the table is bounded too.
pub const MAX_LABEL_BYTES: usize = 256;
/// Known labels that a message lists.
const LISTED: usize = 8;

/// A class label. Each has one spelling only, the canonical one: `+1`, `1`, `1.0` and `1e0` all are `Int(1)`.
///
/// Digits beyond 64 bits are text, because rounding them to a float could make two labels one.
#[derive(Debug, Clone, PartialEq)]
pub enum LabelName {
    /// An integer, however it was written.
    Int(i64),
    /// A finite number that is not an integer of 64 bits.
    Float(f64),
    /// Anything else.
    Text(String),
}

impl fmt::Display for LabelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// A canonical label that borrows its text, so that looking one up allocates nothing.
enum Key<'a> {
    Int(i64),
    Float(f64),
    Text(&'a str),
}

impl<'a> Key<'a> {
    fn of_token(token: &'a [u8]) -> Verdict<Self> {
        let unsigned = token.strip_prefix(b"-").or_else(|| token.strip_prefix(b"+")).unwrap_or(token);
        if !unsigned.is_empty() && unsigned.iter().all(u8::is_ascii_digit) {
            let text = text(token)?;
            return Ok(text.parse().map_or(Self::Text(text), Self::Int));
        }
        match number::whole(token) {
            Some(value) => Self::of_value(value).ok_or_else(|| finite(token)),
            None if number::is_not_finite_word(token) => Err(finite(token)),
            None => text(token).map(Self::Text),
        }
    }

    fn of_value(value: f64) -> Option<Self> {
        // Every float in this range that is a whole number is one of 64 bits, exactly.
        let range = -9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0;
        if value.fract() == 0.0 && range.contains(&value) {
            return Some(Self::Int(value as i64));
        }
        value.is_finite().then_some(Self::Float(value))
    }

    fn of_name(name: &'a LabelName) -> Verdict<Self> {
        match name {
            LabelName::Int(value) => Ok(Self::Int(*value)),
            LabelName::Float(value) => {
                Self::of_value(*value).ok_or_else(|| finite(value.to_string().as_bytes()))
            }
            LabelName::Text(text) => Self::of_token(text.as_bytes()),
        }
    }
}

fn finite(token: &[u8]) -> Fault {
    Fault::new(0, "a label that is finite", shown(token))
}

/// The token as a label of text, if it can be one.
fn text(token: &[u8]) -> Verdict<&str> {
    let refuse = |expected: String| Err(Fault::new(0, expected, shown(token)));
    if token.len() > MAX_LABEL_BYTES {
        return refuse(format!("a label of at most {MAX_LABEL_BYTES} bytes"));
    }
    match std::str::from_utf8(token) {
        Err(_) => refuse("a label in UTF-8".to_owned()),
        Ok(text) if text.chars().any(char::is_control) => {
            refuse("a label without control characters".to_owned())
        }
        Ok(text) if text.trim().is_empty() => refuse("a label".to_owned()),
        Ok(text) => Ok(text),
    }
}

/// The distinct labels seen so far in order of appearance, or a known set that does not grow.
///
/// `names` and the three maps hold the same labels; the maps give a label's place in `names`.
#[derive(Debug, Clone, Default)]
pub(super) struct LabelTable {
    names: Vec<LabelName>,
    ints: HashMap<i64, u32>,
    floats: HashMap<u64, u32>,
    texts: HashMap<String, u32>,
    known: bool,
    recent: Recent,
}

impl LabelTable {
    /// A table of these labels alone.
    pub(super) fn known(labels: &[LabelName]) -> Result<Self, OptionError> {
        let mut table = Self::default();
        if labels.is_empty() || labels.len() > MAX_LABELS {
            let expected = format!("a list of 1 to {MAX_LABELS} labels");
            return Err(OptionError::invalid("labels", expected, labels.len()));
        }
        for label in labels {
            let key = Key::of_name(label).map_err(|fault| {
                OptionError::invalid(
                    "labels",
                    format!("a list of labels, each {}", fault.expected),
                    fault.got,
                )
            })?;
            if table.find(&key).is_some() {
                return Err(OptionError::invalid("labels", "distinct", format!("{label} twice")));
            }
            table.insert(&key);
        }
        table.known = true;
        Ok(table)
    }

    /// The labels, each at its number.
    pub(super) fn names(&self) -> &[LabelName] {
        &self.names
    }

    /// The number of the label that the token spells; a new one is added unless the set is known.
    #[inline]
    pub(super) fn read(&mut self, token: &[u8]) -> Verdict<u32> {
        match self.recent.find(token) {
            Some(found) => Ok(found),
            None => self.look_up(token),
        }
    }

    fn look_up(&mut self, token: &[u8]) -> Verdict<u32> {
        let key = Key::of_token(token)?;
        let label = match self.find(&key) {
            Some(found) => Ok(found),
            None if self.known => Err(Fault::new(0, self.listed(), shown(token))),
            None if self.names.len() == MAX_LABELS => {
                let expected = format!("at most {MAX_LABELS} distinct labels (is this a regression target?)");
                Err(Fault::new(0, expected, format!("one more, {}", shown(token))))
            }
            None => Ok(self.insert(&key)),
        }?;
        self.recent.add(token, label);
        Ok(label)
    }

    /// Forgets the labels from number `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        if len == self.names.len() {
            return;
        }
        self.recent = Recent::default();
        for name in self.names.drain(len..) {
            match name {
                LabelName::Int(value) => self.ints.remove(&value),
                LabelName::Float(value) => self.floats.remove(&value.to_bits()),
                LabelName::Text(text) => self.texts.remove(&text),
            };
        }
    }

    fn find(&self, key: &Key) -> Option<u32> {
        match key {
            Key::Int(value) => self.ints.get(value).copied(),
            Key::Float(value) => self.floats.get(&value.to_bits()).copied(),
            Key::Text(text) => self.texts.get(*text).copied(),
        }
    }

    fn insert(&mut self, key: &Key) -> u32 {
        let number = self.names.len() as u32;
        let name = match *key {
            Key::Int(value) => {
                self.ints.insert(value, number);
                LabelName::Int(value)
            }
            Key::Float(value) => {
                self.floats.insert(value.to_bits(), number);
                LabelName::Float(value)
            }
            Key::Text(text) => {
                self.texts.insert(text.to_owned(), number);
                LabelName::Text(text.to_owned())
            }
        };
        self.names.push(name);
        number
    }

    fn listed(&self) -> String {
        let some: Vec<String> =
            self.names.iter().take(LISTED).map(|name| shown(name.to_string().as_bytes())).collect();
        let rest = if self.names.len() > LISTED {
            format!(", ... ({} labels in all)", self.names.len())
        } else {
            String::new()
        };
        format!("one of the known labels {}{rest}", some.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::LabelName::{self, Float, Int, Text};
    use super::{LabelTable, MAX_LABELS};

    fn read(token: &str) -> Result<LabelName, String> {
        let mut table = LabelTable::default();
        table.read(token.as_bytes()).map_err(|fault| fault.expected.into_owned())?;
        Ok(table.names()[0].clone())
    }

    #[test]
    fn spellings_of_one_label_are_one() {
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
    fn numbers_follow_appearance_and_truncate_forgets() {
        let mut table = LabelTable::default();
        let mut read = |token: &str| table.read(token.as_bytes()).expect("a label");
        assert_eq!(
            [read("b"), read("2"), read("0.5"), read("2.0"), read("b"), read("a")],
            [0, 1, 2, 1, 0, 3]
        );
        table.truncate(1);
        assert_eq!(table.names(), [Text("b".into())]);
        let mut read = |token: &str| table.read(token.as_bytes()).expect("a label");
        assert_eq!([read("a"), read("0.5"), read("2"), read("b")], [1, 2, 3, 0]);
    }

    #[test]
    fn one_label_too_many_is_refused() {
        let mut table = LabelTable::default();
        for label in 0..MAX_LABELS {
            assert_eq!(table.read(label.to_string().as_bytes()), Ok(label as u32));
        }
        let fault = table.read(b"0.25").unwrap_err();
        assert_eq!(fault.expected, "at most 65536 distinct labels (is this a regression target?)");
        assert_eq!(fault.got, "one more, `0.25`");
        assert_eq!(table.read(b"65535"), Ok(65_535));
    }

    #[test]
    fn a_known_set_is_canonical_and_closed() {
        let known = [Text("1".into()), Float(2.0), Text("c".into())];
        let mut table = LabelTable::known(&known).expect("three labels");
        assert_eq!(table.names(), [Int(1), Int(2), Text("c".into())]);
        assert_eq!([table.read(b"c"), table.read(b"+1"), table.read(b"2e0")], [Ok(2), Ok(0), Ok(1)]);
        let fault = table.read(b"d").unwrap_err();
        assert_eq!((&*fault.expected, &*fault.got), ("one of the known labels `1`, `2`, `c`", "`d`"));
        let many: Vec<LabelName> = (0..26).map(Int).collect();
        let fault = LabelTable::known(&many).expect("26 labels").read(b"26").unwrap_err();
        assert!(fault.expected.ends_with("`6`, `7`, ... (26 labels in all)"), "{}", fault.expected);

        for (labels, message) in [
            (vec![], "labels must be a list of 1 to 65536 labels, got 0"),
            (vec![Int(1), Text("1.0".into())], "labels must be distinct, got 1.0 twice"),
            (
                vec![Float(f64::NAN)],
                "labels must be a list of labels, each a label that is finite, got `NaN`",
            ),
        ] {
            assert_eq!(LabelTable::known(&labels).unwrap_err().to_string(), message);
        }
    }
}
