//! New columns, types and categories of a table.

use super::{ColumnData, Columns, Feature, Kind, Table, column_mismatch};
use crate::error::Result;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

impl Columns {
    /// These columns with what a table adds to them: types of columns that had no value, new categories in
    /// the order of their first rows, and with `add_columns` new columns in the order of their names. `None`
    /// if the table adds nothing. Values and categories in rows of weight 0 add nothing.
    ///
    /// # Errors
    /// As [`Columns::rows`].
    pub fn extended_by(
        &self,
        table: &Table<'_>,
        weights: Option<&[f64]>,
        add_columns: bool,
    ) -> Result<Option<Self>> {
        let mut extended = Cow::Borrowed(self);
        if add_columns || self.accepts_others {
            let mut new: Vec<_> = table.columns().iter().filter(|(name, _)| !self.contains(name)).collect();
            if !(add_columns || new.is_empty()) {
                // Only predictions ignore unknown columns.
                let names: Vec<&str> = new.into_iter().map(|(name, _)| name.as_str()).collect();
                return Err(column_mismatch(&[], &names));
            }
            if !self.accepts_others {
                extended.to_mut().accepts_others = true;
            }
            new.sort_by_key(|(name, _)| name);
            for (name, data) in new {
                extended.to_mut().add_column(name, data);
            }
        }
        let is_learned = |row: usize| weights.is_none_or(|weights| weights.get(row) != Some(&0.0));
        let (mut new, mut numeric) = (Vec::new(), Vec::new());
        for (column, data) in extended.aligned(table)?.into_iter().enumerate() {
            let Some(data) = data else { continue };
            match (data, &extended.list[column].kind) {
                (ColumnData::Categorical { codes, categories }, kind) => {
                    // The table's list of categories may contain duplicates.
                    let mut seen: Vec<bool> = match kind {
                        Kind::Categorical(known) => {
                            categories.iter().map(|category| known.contains_key(category.as_str())).collect()
                        }
                        Kind::Unknown(_) => vec![false; categories.len()],
                        Kind::Numeric(_) => continue,
                    };
                    for (row, &code) in codes.iter().enumerate() {
                        if let Some(code) =
                            usize::try_from(code).ok().filter(|&code| !seen[code] && is_learned(row))
                        {
                            seen[code] = true;
                            new.push((row, column, &categories[code]));
                        }
                    }
                }
                (_, &Kind::Unknown(feature)) if data.has_value(is_learned) => {
                    numeric.push((column, feature));
                }
                _ => {}
            }
        }
        for (column, feature) in numeric {
            extended.to_mut().list[column].kind = Kind::Numeric(feature);
        }
        new.sort_by_key(|&(row, column, _)| (row, column));
        for (_, column, category) in new {
            extended.to_mut().add_category(column, category);
        }
        Ok(if let Cow::Owned(extended) = extended { Some(extended) } else { None })
    }

    /// Appends a feature for a category of a column, unless there is one. The first category of a column without
    /// values so far gets the feature of the column.
    pub(super) fn add_category(&mut self, column: usize, category: &str) {
        let (new, category) = (self.n_features(), Arc::from(category));
        match &mut self.list[column].kind {
            Kind::Unknown(feature) => {
                self.features[*feature].category = Some(Arc::clone(&category));
                self.list[column].kind = Kind::Categorical(HashMap::from([(category, *feature)]));
            }
            Kind::Categorical(known) if !known.contains_key(&category) => {
                known.insert(Arc::clone(&category), new);
                self.features.push(Feature { column, category: Some(category) });
            }
            Kind::Categorical(_) | Kind::Numeric(_) => {}
        }
    }
}
