//! The columns of tables: their names, and the features that they become. Tables are matched by column name, in any
//! order.

mod cell;
mod extend;
mod many;
mod rows;
mod save;
mod table;
#[cfg(test)]
mod tests;
mod unseen;

pub use cell::Cell;
pub use many::ManyCategories;
pub use table::{ColumnData, Table};
pub use unseen::UnseenCategories;

use crate::error::{Error, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of column names in a message.
const MAX_NAMES: usize = 5;

/// The columns of the first table that a model has learned from, and the categories of its categorical columns.
///
/// A numeric column is one feature. A categorical column is one-hot encoded: one feature per category, 1 in the rows
/// with that category and 0 in others. The numeric columns of the first table come first, in the order of the table,
/// then the categories in the order of their first rows. New categories and columns are appended as the last features.
///
/// A column without any value so far is one feature, which is NaN. Its first value decides its type: it becomes
/// numeric, or the feature belongs to its first category.
///
/// ```
/// use budgetrs::columns::{ColumnData, Columns, Table};
///
/// let table = Table::new(vec![
///     ("age".into(), ColumnData::F64([31.0, 54.0].as_slice().into())),
///     ("town".into(), ColumnData::categorical(&[1, 0], vec!["Oslo".into(), "Rome".into()])),
/// ])?;
/// let columns = Columns::of(&table).extended_by(&table, None, false)?.expect("two categories are new");
/// assert_eq!(columns.feature_names(), ["age", "town=Rome", "town=Oslo"]);
/// assert_eq!(columns.rows::<f32>(&table)?, [31.0, 1.0, 0.0, 54.0, 0.0, 1.0]);
/// # Ok::<(), budgetrs::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Columns {
    list: Vec<Column>,
    /// The index of each name in the list.
    index: HashMap<Arc<str>, usize>,
    features: Vec<Feature>,
    /// Whether tables may lack columns, which count as 0, and have others, which are ignored in predictions: true from
    /// the first table whose new columns were added.
    accepts_others: bool,
}

/// A column: its name and its features.
#[derive(Debug, Clone, PartialEq)]
struct Column {
    name: Arc<str>,
    kind: Kind,
}

/// A feature: the index of its column, and its category in a categorical column.
#[derive(Debug, Clone, PartialEq)]
struct Feature {
    column: usize,
    category: Option<Arc<str>>,
}

/// The type of a column.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// No value so far, with the feature.
    Unknown(usize),
    /// Numbers, with the feature.
    Numeric(usize),
    /// Categories, with the feature of each.
    Categorical(HashMap<Arc<str>, usize>),
}

impl Kind {
    fn is_categorical(&self) -> bool {
        matches!(self, Self::Categorical(_))
    }

    /// Whether a column of this type can have the other type after more rows.
    fn can_become(&self, other: &Self) -> bool {
        match self {
            Self::Unknown(_) => true,
            Self::Numeric(_) => self == other,
            Self::Categorical(_) => other.is_categorical(),
        }
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
        let mut columns = Self::default();
        for (name, data) in table.columns() {
            columns.add_column(name, data);
        }
        columns
    }

    /// Appends a column, and its feature unless it has categories.
    fn add_column(&mut self, name: &str, data: &ColumnData<'_>) {
        let (column, feature) = (self.list.len(), self.n_features());
        let kind = match data {
            // Without rows the type is the declared one.
            _ if data.len() > 0 && data.is_all_missing() => Kind::Unknown(feature),
            ColumnData::Categorical { .. } => Kind::Categorical(HashMap::new()),
            ColumnData::F32(_) | ColumnData::F64(_) => Kind::Numeric(feature),
        };
        if !kind.is_categorical() {
            self.features.push(Feature { column, category: None });
        }
        let name = Arc::from(name);
        self.index.insert(Arc::clone(&name), column);
        self.list.push(Column { name, kind });
    }

    /// The column names, in the order of the first table.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|column| &*column.name)
    }

    /// Number of columns.
    #[must_use]
    pub fn n_columns(&self) -> usize {
        self.list.len()
    }

    /// Number of features.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.features.len()
    }

    /// Whether there are categorical columns.
    #[must_use]
    pub fn has_categorical(&self) -> bool {
        self.list.iter().any(|column| column.kind.is_categorical())
    }

    /// Whether tables may lack columns, which count as 0, and have others, which are ignored in predictions.
    #[must_use]
    pub fn accepts_others(&self) -> bool {
        self.accepts_others
    }

    /// Whether there is a column of this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.index.contains_key(name)
    }

    /// Whether a column of this name is categorical.
    pub(crate) fn has_categories(&self, name: &str) -> bool {
        self.index.get(name).is_some_and(|column| self.list[*column].kind.is_categorical())
    }

    /// Whether all columns are numeric.
    #[must_use]
    pub fn is_numeric(&self) -> bool {
        self.list.iter().all(|column| matches!(column.kind, Kind::Numeric(_)))
    }

    /// The name of each feature: the name of its column, or `column=category`.
    #[must_use]
    pub fn feature_names(&self) -> Vec<String> {
        let name = |feature: &Feature| match (&self.list[feature.column].name, &feature.category) {
            (column, Some(category)) => format!("{column}={category}"),
            (column, None) => column.to_string(),
        };
        self.features.iter().map(name).collect()
    }

    /// The number of the categorical column of each feature; None for numeric features.
    #[must_use]
    pub fn categorical_columns(&self) -> Vec<Option<u32>> {
        self.features.iter().map(|feature| feature.category.as_ref().map(|_| feature.column as u32)).collect()
    }

    /// The name of the column of a feature.
    #[must_use]
    pub fn column_of(&self, feature: usize) -> Option<&str> {
        self.features.get(feature).map(|feature| &*self.list[feature.column].name)
    }

    /// Whether `others` are these columns after more rows: with the same columns and categories or more.
    #[must_use]
    pub fn is_prefix_of(&self, others: &Self) -> bool {
        let stays =
            |(own, other): (&Column, &Column)| own.name == other.name && own.kind.can_become(&other.kind);
        let remains = |(own, other): (&Feature, &Feature)| {
            own.column == other.column && (own.category.is_none() || own.category == other.category)
        };
        self.list.len() <= others.list.len()
            && self.features.len() <= others.features.len()
            && self.accepts_others <= others.accepts_others
            && self.list.iter().zip(&others.list).all(stays)
            && self.features.iter().zip(&others.features).all(remains)
    }

    /// The data of a table in the order of these columns; None for a column that the table lacks.
    fn aligned<'t, 'a>(&self, table: &'t Table<'a>) -> Result<Vec<Option<&'t ColumnData<'a>>>> {
        let mut found: Vec<Option<&ColumnData<'_>>> = vec![None; self.list.len()];
        let mut new = Vec::new();
        for (name, data) in table.columns() {
            match self.index.get(name.as_str()) {
                Some(&column) => found[column] = Some(data),
                None => new.push(name.as_str()),
            }
        }
        let missing: Vec<&str> =
            self.names().zip(&found).filter(|(_, data)| data.is_none()).map(|(name, _)| name).collect();
        if !(self.accepts_others || missing.is_empty() && new.is_empty()) {
            return Err(column_mismatch(&missing, &new));
        }
        for (data, column) in found.iter().zip(&self.list) {
            let Some(data) = data else { continue };
            let fits = match &column.kind {
                Kind::Unknown(_) => true,
                kind => data.is_categorical() == kind.is_categorical(),
            };
            // A column without values may have any type.
            if !fits && !data.is_all_missing() {
                let expected = type_name(column.kind.is_categorical());
                let expected =
                    format!("{expected} in the column {:?}, as in the rows learned before", column.name);
                return Err(Error::shape("X", expected, type_name(data.is_categorical())));
            }
        }
        Ok(found)
    }

    /// The sums over the features of each column, of `width` terms per feature.
    #[must_use]
    pub fn sums_by_column(&self, terms: &[f64], width: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.n_columns() * width];
        for (feature, terms) in self.features.iter().zip(terms.chunks_exact(width)) {
            let sums = &mut sums[feature.column * width..][..width];
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        }
        sums
    }

    /// Adds the name of the column to an error about a feature.
    #[must_use]
    pub fn with_column_name(&self, mut error: Error) -> Error {
        if let Error::NotFinite { column, named, .. } = &mut error {
            *named = self.column_of(*column).map(str::to_owned);
        }
        error
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
    Error::Columns { got, lacks: !missing.is_empty() }
}
