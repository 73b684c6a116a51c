//! The columns of tables: their names, and the features that they become. Tables are matched by column name, in any
//! order.

mod numerals;
mod rows;
mod table;
#[cfg(test)]
mod tests;

pub use table::{ColumnData, Table};

use crate::error::{Error, Result};
use crate::persist::Tensors;
use std::collections::HashMap;

/// Maximum number of column names in a message.
const MAX_NAMES: usize = 5;

/// The columns of the first table that a model has learned from, and the categories of its categorical columns.
///
/// A numeric column is one feature. A categorical column is one-hot encoded: one feature per category, 1 in the rows
/// with that category and 0 in others. Numeric columns come first, in the order of the table, then the categories in
/// the order of their first rows. A new category is therefore appended as the last feature.
///
/// ```
/// use budgetrs::columns::{ColumnData, Columns, Table};
///
/// let table = Table::new(vec![
///     ("age".into(), ColumnData::F64([31.0, 54.0].as_slice().into())),
///     ("town".into(), ColumnData::categorical(&[1, 0], vec!["Oslo".into(), "Rome".into()])),
/// ])?;
/// let columns = Columns::of(&table).with_categories_of(&table, None)?.expect("two categories are new");
/// assert_eq!(columns.feature_names(), ["age", "town=Rome", "town=Oslo"]);
/// assert_eq!(columns.rows::<f32>(&table)?, [31.0, 1.0, 0.0, 54.0, 0.0, 1.0]);
/// # Ok::<(), budgetrs::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    list: Vec<Column>,
    /// The index of each name in the list.
    index: HashMap<String, usize>,
    /// Number of numeric columns.
    n_numeric: usize,
    /// The column and the category of each one-hot feature.
    categories: Vec<(usize, String)>,
}

/// A column: its name and its features.
#[derive(Debug, Clone, PartialEq)]
struct Column {
    name: String,
    kind: Kind,
}

/// The type of a column.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// Numbers, with the feature.
    Numeric(usize),
    /// Categories, with the feature of each.
    Categorical(HashMap<String, usize>),
}

impl Kind {
    fn is_categorical(&self) -> bool {
        matches!(self, Self::Categorical(_))
    }
}

/// The type of a column, for messages.
fn type_name(is_categorical: bool) -> &'static str {
    if is_categorical { "categories" } else { "numbers" }
}

impl Columns {
    /// The columns of a table, without categories.
    #[must_use]
    pub fn of(table: &Table<'_>) -> Self {
        let columns = table.columns().iter().map(|(name, data)| (name.clone(), data.is_categorical()));
        Self::new(columns)
    }

    fn new(columns: impl Iterator<Item = (String, bool)>) -> Self {
        let (mut list, mut n_numeric) = (Vec::new(), 0);
        for (name, is_categorical) in columns {
            let kind =
                if is_categorical { Kind::Categorical(HashMap::new()) } else { Kind::Numeric(n_numeric) };
            n_numeric += usize::from(!is_categorical);
            list.push(Column { name, kind });
        }
        let index = list.iter().enumerate().map(|(i, column)| (column.name.clone(), i)).collect();
        Self { list, index, n_numeric, categories: Vec::new() }
    }

    /// The column names, in the order of the first table.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|column| column.name.as_str())
    }

    /// Number of features.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.n_numeric + self.categories.len()
    }

    /// Whether there are categorical columns.
    #[must_use]
    pub fn has_categorical(&self) -> bool {
        self.n_numeric < self.list.len()
    }

    /// The name of each feature: the name of its column, or `column=category`.
    #[must_use]
    pub fn feature_names(&self) -> Vec<String> {
        let numeric = self.list.iter().filter(|column| matches!(column.kind, Kind::Numeric(_)));
        let one_hot = self
            .categories
            .iter()
            .map(|(column, category)| format!("{}={category}", self.list[*column].name));
        numeric.map(|column| column.name.clone()).chain(one_hot).collect()
    }

    /// The number of the categorical column of each feature; None for numeric features.
    #[must_use]
    pub fn categorical_columns(&self) -> Vec<Option<u32>> {
        let one_hot = self.categories.iter().map(|(column, _)| Some(*column as u32));
        std::iter::repeat_n(None, self.n_numeric).chain(one_hot).collect()
    }

    /// The name of the column of a feature.
    #[must_use]
    pub fn column_of(&self, feature: usize) -> Option<&str> {
        let column = match feature.checked_sub(self.n_numeric) {
            Some(category) => &self.list[self.categories.get(category)?.0],
            None => self.list.iter().find(|column| column.kind == Kind::Numeric(feature))?,
        };
        Some(&column.name)
    }

    /// Whether `others` are these columns with the same categories or more.
    #[must_use]
    pub fn is_prefix_of(&self, others: &Self) -> bool {
        let columns = |columns: &Self| {
            let all = columns.list.iter().map(|column| (column.name.clone(), column.kind.is_categorical()));
            all.collect::<Vec<_>>()
        };
        others.categories.starts_with(&self.categories) && columns(self) == columns(others)
    }

    /// These columns with the new categories of a table, in the order of their rows; `None` if there are no new
    /// categories. Rows of weight 0 add no categories.
    ///
    /// # Errors
    /// As [`Columns::rows`].
    pub fn with_categories_of(&self, table: &Table<'_>, weights: Option<&[f64]>) -> Result<Option<Self>> {
        let is_learned = |row: usize| weights.is_none_or(|weights| weights.get(row) != Some(&0.0));
        let mut new = Vec::new();
        for (column, data) in self.aligned(table)?.into_iter().enumerate() {
            if let (ColumnData::Categorical { codes, categories }, Kind::Categorical(known)) =
                (data, &self.list[column].kind)
            {
                // The table's list of categories may contain duplicates.
                let mut seen: Vec<bool> =
                    categories.iter().map(|category| known.contains_key(category)).collect();
                for (row, &code) in codes.iter().enumerate() {
                    if let Some(code) =
                        usize::try_from(code).ok().filter(|&code| !seen[code] && is_learned(row))
                    {
                        seen[code] = true;
                        new.push((row, column, &categories[code]));
                    }
                }
            }
        }
        if new.is_empty() {
            return Ok(None);
        }
        new.sort_by_key(|&(row, column, _)| (row, column));
        let mut extended = self.clone();
        for (_, column, category) in new {
            extended.add_category(column, category.clone());
        }
        Ok(Some(extended))
    }

    /// Appends a feature for a category of a column, unless there is one.
    fn add_category(&mut self, column: usize, category: String) {
        let feature = self.n_features();
        if let Kind::Categorical(known) = &mut self.list[column].kind
            && !known.contains_key(&category)
        {
            known.insert(category.clone(), feature);
            self.categories.push((column, category));
        }
    }

    /// The data of a table in the order of these columns.
    fn aligned<'t, 'a>(&self, table: &'t Table<'a>) -> Result<Vec<&'t ColumnData<'a>>> {
        let mut found: Vec<Option<&ColumnData<'_>>> = vec![None; self.list.len()];
        let mut new = Vec::new();
        for (name, data) in table.columns() {
            match self.index.get(name) {
                Some(&column) => found[column] = Some(data),
                None => new.push(name.as_str()),
            }
        }
        let missing: Vec<&str> =
            self.names().zip(&found).filter(|(_, data)| data.is_none()).map(|(name, _)| name).collect();
        if !missing.is_empty() || !new.is_empty() {
            return Err(column_mismatch(&missing, &new));
        }
        let aligned: Vec<&ColumnData<'_>> = found.into_iter().flatten().collect();
        for (data, column) in aligned.iter().zip(&self.list) {
            // A column without values may have any type.
            if data.is_categorical() != column.kind.is_categorical() && !data.is_all_missing() {
                let expected = type_name(column.kind.is_categorical());
                let expected =
                    format!("{expected} in the column {:?}, as in the rows learned before", column.name);
                return Err(Error::shape("X", expected, type_name(data.is_categorical())));
            }
        }
        Ok(aligned)
    }

    /// Adds the name of the column to an error about a feature.
    #[must_use]
    pub fn with_column_name(&self, mut error: Error) -> Error {
        if let Error::NotFinite { column, named, .. } = &mut error {
            *named = self.column_of(*column).map(str::to_owned);
        }
        error
    }

    pub(crate) fn save(&self, out: &mut Tensors) {
        out.set("names", self.names().map(str::to_owned).collect::<Vec<_>>());
        if self.has_categorical() {
            let categorical = self.list.iter().zip(0..).filter(|(column, _)| column.kind.is_categorical());
            out.set("of_words", categorical.map(|(_, index)| index).collect::<Vec<i64>>());
            out.set(
                "categorical_columns",
                self.categories.iter().map(|(column, _)| *column as i64).collect::<Vec<_>>(),
            );
            out.set(
                "categories",
                self.categories.iter().map(|(_, category)| category.clone()).collect::<Vec<_>>(),
            );
        }
    }

    pub(crate) fn load(from: &Tensors) -> Result<Self> {
        let wrong = || Error::Model("the columns do not fit together".into());
        let names = from.texts("names")?;
        let categorical: &[i64] = if from.contains("of_words") { from.i64s("of_words")? } else { &[] };
        let is_categorical = |column: usize| categorical.contains(&(column as i64));
        let mut columns =
            Self::new(names.iter().enumerate().map(|(column, name)| (name.clone(), is_categorical(column))));
        if columns.index.len() != names.len() {
            return Err(wrong());
        }
        if columns.has_categorical() {
            let (of, categories) = (from.i64s("categorical_columns")?, from.texts("categories")?);
            for (&column, category) in of.iter().zip(categories) {
                let column = usize::try_from(column).ok().filter(|&column| column < names.len());
                columns.add_category(column.ok_or_else(wrong)?, category.clone());
            }
            if columns.categories.len() != categories.len() || of.len() != categories.len() {
                return Err(wrong());
            }
        }
        Ok(columns)
    }
}

/// The error about a table whose columns differ.
fn column_mismatch(missing: &[&str], new: &[&str]) -> Error {
    let list = |names: &[&str]| {
        let shown: Vec<String> = names.iter().take(MAX_NAMES).map(|name| format!("{name:?}")).collect();
        match names.len().checked_sub(MAX_NAMES) {
            Some(more @ 1..) => format!("{} and {more} more", shown.join(", ")),
            _ => shown.join(", "),
        }
    };
    let (missing, new) = (list(missing), list(new));
    let got = match (missing.is_empty(), new.is_empty()) {
        (false, true) => format!("no column {missing}"),
        (true, _) => format!("the new columns {new}"),
        (false, false) => format!("no column {missing}, and the new columns {new}"),
    };
    Error::shape("X", "the columns of the rows learned before, in any order", got)
}
