//! The columns in a model file.

use super::{Column, Columns, Feature, Kind};
use crate::error::{Error, Result};
use crate::persist::Tensors;
use std::collections::HashMap;
use std::sync::Arc;

impl Columns {
    pub(crate) fn save(&self, out: &mut Tensors) {
        out.set("names", self.names().map(str::to_owned).collect::<Vec<_>>());
        if self.has_categorical() {
            let one_hot = || {
                let category =
                    |feature: &Feature| Some((feature.column as i64, feature.category.as_ref()?.to_string()));
                self.features.iter().filter_map(category)
            };
            out.set("categorical", self.columns_of_kind(Kind::is_categorical));
            out.set("categorical_columns", one_hot().map(|(column, _)| column).collect::<Vec<_>>());
            out.set("categories", one_hot().map(|(_, category)| category).collect::<Vec<_>>());
        }
        let unknown = self.columns_of_kind(|kind| matches!(kind, Kind::Unknown(_)));
        if !unknown.is_empty() {
            out.set("unknown", unknown);
        }
        // Numbers come before categories, except in columns whose type or name was not known at first.
        let in_order = |pair: &[Feature]| match (&pair[0].category, &pair[1].category) {
            (None, None) => pair[0].column < pair[1].column,
            (Some(_), None) => false,
            (_, Some(_)) => true,
        };
        if !self.features.windows(2).all(in_order) {
            out.set(
                "features",
                self.features.iter().map(|feature| feature.column as i64).collect::<Vec<_>>(),
            );
        }
        if self.accepts_others {
            out.set("accepts_others", true);
        }
    }

    /// A bound of the bytes that the columns take in a model file, which is quick to compute.
    pub(crate) fn max_saved_bytes(&self) -> usize {
        let categories = self.features.iter().filter_map(|feature| feature.category.as_deref());
        let is_escaped = |byte: &u8| byte.is_ascii_control() || matches!(byte, b'"' | b'\\');
        // With the quotation marks of each text, and up to 4 integers of a feature.
        let size = |text: &str| text.len() + 6 * text.bytes().filter(is_escaped).count() + 60;
        self.names().chain(categories).map(size).sum::<usize>() + 1000
    }

    fn columns_of_kind(&self, is_kind: impl Fn(&Kind) -> bool) -> Vec<i64> {
        let columns = self.list.iter().zip(0..).filter(|(column, _)| is_kind(&column.kind));
        columns.map(|(_, index)| index).collect()
    }

    pub(crate) fn load(from: &Tensors) -> Result<Self> {
        let wrong = || Error::Model("the columns do not fit together".into());
        let names = from.texts("names")?;
        let integers = |name| if from.contains(name) { from.i64s(name) } else { Ok(&[][..]) };
        let mut kinds = vec![None; names.len()];
        for (name, kind) in
            [("categorical", Kind::Categorical(HashMap::new())), ("unknown", Kind::Unknown(0))]
        {
            for &column in integers(name)? {
                let slot = usize::try_from(column).ok().and_then(|column| kinds.get_mut(column));
                *slot.filter(|slot| slot.is_none()).ok_or_else(wrong)? = Some(kind.clone());
            }
        }
        let list: Vec<Column> = names
            .iter()
            .zip(kinds)
            .map(|(name, kind)| Column {
                name: name.as_str().into(),
                kind: kind.unwrap_or(Kind::Numeric(usize::MAX)),
            })
            .collect();
        let index: HashMap<Arc<str>, usize> =
            list.iter().enumerate().map(|(i, column)| (column.name.clone(), i)).collect();
        if index.len() != list.len() {
            return Err(wrong());
        }
        let accepts_others = from.contains("accepts_others") && from.bool("accepts_others")?;
        let mut columns = Self { list, index, features: Vec::new(), accepts_others };
        columns.load_features(from).and_then(|fits| if fits { Ok(columns) } else { Err(wrong()) })
    }

    /// Reads the features of columns whose types are known. False if they do not fit together.
    fn load_features(&mut self, from: &Tensors) -> Result<bool> {
        let has_categorical = self.has_categorical();
        let (of, categories) = if has_categorical {
            (from.i64s("categorical_columns")?, from.texts("categories")?)
        } else {
            (&[][..], &[][..])
        };
        let is_one_hot =
            |column: usize| self.list.get(column).is_some_and(|column| column.kind.is_categorical());
        let order: Vec<i64> = if from.contains("features") {
            from.i64s("features")?.to_vec()
        } else {
            let numbers =
                (0..self.list.len()).filter(|column| !is_one_hot(*column)).map(|column| column as i64);
            numbers.chain(of.iter().copied()).collect()
        };
        let mut one_hot = of.iter().zip(categories);
        for column in order {
            let Some(column) = usize::try_from(column).ok().filter(|&column| column < self.list.len()) else {
                return Ok(false);
            };
            let new = self.features.len();
            match &mut self.list[column].kind {
                Kind::Categorical(_) => match one_hot.next() {
                    Some((&of, category)) if of == column as i64 => {
                        self.add_category(column, category);
                    }
                    _ => return Ok(false),
                },
                Kind::Numeric(feature) | Kind::Unknown(feature) => {
                    *feature = new;
                    self.features.push(Feature { column, category: None });
                }
            }
            if self.features.len() == new {
                return Ok(false);
            }
        }
        let numbers = self.features.iter().filter(|feature| feature.category.is_none());
        let numbers: std::collections::HashSet<usize> = numbers.map(|feature| feature.column).collect();
        let n_numeric = self.list.iter().filter(|column| !column.kind.is_categorical()).count();
        let n_features = n_numeric + categories.len();
        Ok(of.len() == categories.len()
            && one_hot.next().is_none()
            && numbers.len() == n_numeric
            && self.features.len() == n_features)
    }
}
