//! Detection of numeric columns that were read as categorical.

use super::{Columns, Kind};

/// A column with more numeric categories than this is probably not categorical.
const MAX_NUMERIC_CATEGORIES: usize = 1000;

impl Columns {
    /// The first column with more than 1000 categories that are all numbers, and how many it has, unless it had more
    /// than 1000 `before`. Most likely the column is numeric, or a key.
    #[must_use]
    pub fn new_numeric_categories(&self, before: Option<&Self>) -> Option<(&str, usize)> {
        let had_few = |column: usize| match before.map(|before| &before.list[column].kind) {
            Some(Kind::Categorical(categories)) => categories.len() <= MAX_NUMERIC_CATEGORIES,
            _ => true,
        };
        self.list.iter().enumerate().find_map(|(i, column)| match &column.kind {
            Kind::Categorical(categories) if categories.len() > MAX_NUMERIC_CATEGORIES && had_few(i) => {
                let all_numeric = categories.keys().all(|category| is_number(category));
                all_numeric.then_some((column.name.as_str(), categories.len()))
            }
            _ => None,
        })
    }
}

/// Whether a category is a finite number.
fn is_number(category: &str) -> bool {
    category.parse::<f64>().is_ok_and(f64::is_finite)
}
