//! The columns of tables by name: which features of a row they are, so that a model knows them again in any order.

mod numerals;
mod rows;
mod table;
#[cfg(test)]
mod tests;

pub use table::{Cells, Table};

use crate::error::{Error, Result};
use crate::persist::Tensors;
use std::collections::HashMap;

/// How many names a message tells.
const SHOWN: usize = 5;

/// The columns of the first table that a model has learned from, and the words of those that hold words.
///
/// A column of numbers is one feature. A column of words is as many as it has words: each is 1 where the word stands
/// and 0 elsewhere (an indicator). Features are numbered: first the columns of numbers, in their order, then the words
/// in the order in which they came, row by row. So new words are new features, behind all others.
///
/// ```
/// use budgetrs::columns::{Cells, Columns, Table};
///
/// let table = Table::new(vec![
///     ("age".into(), Cells::F64([31.0, 54.0].as_slice().into())),
///     ("town".into(), Cells::words(&[1, 0], vec!["Oslo".into(), "Rome".into()])),
/// ])?;
/// let columns = Columns::of(&table).with_words_of(&table, None)?.expect("two words are new");
/// assert_eq!(columns.feature_names(), ["age", "town=Rome", "town=Oslo"]);
/// assert_eq!(columns.rows::<f32>(&table)?, [31.0, 1.0, 0.0, 54.0, 0.0, 1.0]);
/// # Ok::<(), budgetrs::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    list: Vec<Column>,
    /// Where in the list a name stands.
    places: HashMap<String, usize>,
    /// How many of them hold numbers.
    numbers: usize,
    /// The column and the word of each feature behind the numbers.
    words: Vec<(usize, String)>,
}

#[derive(Debug, Clone, PartialEq)]
struct Column {
    name: String,
    kind: Kind,
}

/// What a column holds.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// Numbers, which are this feature.
    Numbers(usize),
    /// Words, and the feature of each.
    Words(HashMap<String, usize>),
}

impl Kind {
    fn is_words(&self) -> bool {
        matches!(self, Self::Words(_))
    }
}

/// What a column holds, in a message.
fn content(is_words: bool) -> &'static str {
    if is_words { "words" } else { "numbers" }
}

impl Columns {
    /// The columns of a table, none of whose words is known yet.
    #[must_use]
    pub fn of(table: &Table<'_>) -> Self {
        let columns = table.columns().iter().map(|(name, cells)| (name.clone(), cells.is_words()));
        Self::new(columns)
    }

    fn new(columns: impl Iterator<Item = (String, bool)>) -> Self {
        let (mut list, mut numbers) = (Vec::new(), 0);
        for (name, is_words) in columns {
            let kind = if is_words { Kind::Words(HashMap::new()) } else { Kind::Numbers(numbers) };
            numbers += usize::from(!is_words);
            list.push(Column { name, kind });
        }
        let places = list.iter().enumerate().map(|(place, column)| (column.name.clone(), place)).collect();
        Self { list, places, numbers, words: Vec::new() }
    }

    /// The names, in the order of the first table.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|column| column.name.as_str())
    }

    /// Features of a row.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.numbers + self.words.len()
    }

    /// Whether there are columns of words.
    #[must_use]
    pub fn has_words(&self) -> bool {
        self.numbers < self.list.len()
    }

    /// The name of each feature: that of its column, or `column=word`.
    #[must_use]
    pub fn feature_names(&self) -> Vec<String> {
        let numbers = self.list.iter().filter(|column| matches!(column.kind, Kind::Numbers(_)));
        let words = self.words.iter().map(|(column, word)| format!("{}={word}", self.list[*column].name));
        numbers.map(|column| column.name.clone()).chain(words).collect()
    }

    /// The name of the column that a feature is of.
    #[must_use]
    pub fn column_of(&self, feature: usize) -> Option<&str> {
        let column = match feature.checked_sub(self.numbers) {
            Some(word) => &self.list[self.words.get(word)?.0],
            None => self.list.iter().find(|column| column.kind == Kind::Numbers(feature))?,
        };
        Some(&column.name)
    }

    /// Whether the others are these, and perhaps more words.
    #[must_use]
    pub fn is_prefix_of(&self, others: &Self) -> bool {
        let columns = |columns: &Self| {
            let all = columns.list.iter().map(|column| (column.name.clone(), column.kind.is_words()));
            all.collect::<Vec<_>>()
        };
        others.words.starts_with(&self.words) && columns(self) == columns(others)
    }

    /// These with the words of a table that are new, in the order in which they come; None if no word is new. Rows of
    /// weight 0 add nothing.
    ///
    /// # Errors
    /// As [`Columns::rows`].
    pub fn with_words_of(&self, table: &Table<'_>, weights: Option<&[f64]>) -> Result<Option<Self>> {
        let counts = |row: usize| weights.is_none_or(|weights| weights.get(row) != Some(&0.0));
        let mut new = Vec::new();
        for (place, cells) in self.placed(table)?.into_iter().enumerate() {
            if let (Cells::Words { codes, words }, Kind::Words(known)) = (cells, &self.list[place].kind) {
                // A word may stand twice in the list that the codes are of.
                let mut seen: Vec<bool> = words.iter().map(|word| known.contains_key(word)).collect();
                for (row, &code) in codes.iter().enumerate() {
                    if let Some(code) = usize::try_from(code).ok().filter(|&code| !seen[code] && counts(row))
                    {
                        seen[code] = true;
                        new.push((row, place, &words[code]));
                    }
                }
            }
        }
        if new.is_empty() {
            return Ok(None);
        }
        new.sort_by_key(|&(row, place, _)| (row, place));
        let mut grown = self.clone();
        for (_, place, word) in new {
            grown.add(place, word.clone());
        }
        Ok(Some(grown))
    }

    /// Makes a word of a column the next feature, unless it is one.
    fn add(&mut self, column: usize, word: String) {
        let feature = self.n_features();
        if let Kind::Words(known) = &mut self.list[column].kind
            && !known.contains_key(&word)
        {
            known.insert(word.clone(), feature);
            self.words.push((column, word));
        }
    }

    /// The columns of a table in the order of these.
    fn placed<'t, 'a>(&self, table: &'t Table<'a>) -> Result<Vec<&'t Cells<'a>>> {
        let mut found: Vec<Option<&Cells<'_>>> = vec![None; self.list.len()];
        let mut new = Vec::new();
        for (name, cells) in table.columns() {
            match self.places.get(name) {
                Some(&place) => found[place] = Some(cells),
                None => new.push(name.as_str()),
            }
        }
        let missing: Vec<&str> =
            self.names().zip(&found).filter(|(_, cells)| cells.is_none()).map(|(name, _)| name).collect();
        if !missing.is_empty() || !new.is_empty() {
            return Err(others(&missing, &new));
        }
        let placed: Vec<&Cells<'_>> = found.into_iter().flatten().collect();
        for (cells, column) in placed.iter().zip(&self.list) {
            // A column that holds nothing at all may have any type.
            if cells.is_words() != column.kind.is_words() && !cells.is_blank() {
                let expected = content(column.kind.is_words());
                let expected =
                    format!("{expected} in the column {:?}, as in the rows learned before", column.name);
                return Err(Error::shape("X", expected, content(cells.is_words())));
            }
        }
        Ok(placed)
    }

    /// An error with the name of the column that it speaks of.
    #[must_use]
    pub fn named_in(&self, mut error: Error) -> Error {
        if let Error::NotFinite { column, named, .. } = &mut error {
            *named = self.column_of(*column).map(str::to_owned);
        }
        error
    }

    pub(crate) fn save(&self, out: &mut Tensors) {
        out.set("names", self.names().map(str::to_owned).collect::<Vec<_>>());
        if self.has_words() {
            let places = self.list.iter().zip(0..).filter(|(column, _)| column.kind.is_words());
            out.set("of_words", places.map(|(_, place)| place).collect::<Vec<i64>>());
            out.set("word_columns", self.words.iter().map(|(column, _)| *column as i64).collect::<Vec<_>>());
            out.set("words", self.words.iter().map(|(_, word)| word.clone()).collect::<Vec<_>>());
        }
    }

    pub(crate) fn load(from: &Tensors) -> Result<Self> {
        let wrong = || Error::Model("the columns do not fit together".into());
        let names = from.texts("names")?;
        let of_words: &[i64] = if from.contains("of_words") { from.i64s("of_words")? } else { &[] };
        let is_words = |place: usize| of_words.contains(&(place as i64));
        let mut columns =
            Self::new(names.iter().enumerate().map(|(place, name)| (name.clone(), is_words(place))));
        if columns.places.len() != names.len() {
            return Err(wrong());
        }
        if columns.has_words() {
            let (of, words) = (from.i64s("word_columns")?, from.texts("words")?);
            for (&column, word) in of.iter().zip(words) {
                let column = usize::try_from(column).ok().filter(|&place| place < names.len());
                columns.add(column.ok_or_else(wrong)?, word.clone());
            }
            if columns.words.len() != words.len() || of.len() != words.len() {
                return Err(wrong());
            }
        }
        Ok(columns)
    }
}

/// The refusal of a table some of whose columns are others.
fn others(missing: &[&str], new: &[&str]) -> Error {
    let list = |names: &[&str]| {
        let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
        match names.len().checked_sub(SHOWN) {
            Some(more @ 1..) => format!("{} and {more} more", shown.join(", ")),
            _ => shown.join(", "),
        }
    };
    let (missing, new) = (list(missing), list(new));
    let got = match (missing.is_empty(), new.is_empty()) {
        (false, true) => format!("none named {missing}"),
        (true, _) => format!("others: {new}"),
        (false, false) => format!("none named {missing}, and others: {new}"),
    };
    Error::shape("X", "the columns of the rows learned before, in any order", got)
}
