//! Categorical columns with many categories.

use super::{Columns, Kind};

/// A categorical column, and some of its categories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManyCategories<'a> {
    /// The name of the column.
    pub name: &'a str,
    /// The number of categories.
    pub count: usize,
    /// The first categories.
    pub sample: Vec<&'a str>,
}

impl Columns {
    /// The categorical columns with at least `least` categories, each with at most `shown` categories.
    #[must_use]
    pub fn many_categories(&self, least: usize, shown: usize) -> Vec<ManyCategories<'_>> {
        let columns = self.list.iter().enumerate().filter_map(|(index, column)| match &column.kind {
            Kind::Categorical(known) if known.len() >= least => Some((index, &*column.name, known.len())),
            _ => None,
        });
        let sample = |index: usize| {
            let of_column = self.features.iter().filter(move |feature| feature.column == index);
            of_column.filter_map(|feature| feature.category.as_deref()).take(shown).collect()
        };
        columns.map(|(index, name, count)| ManyCategories { name, count, sample: sample(index) }).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::columns::{ColumnData, Columns, Table};

    #[test]
    fn columns_of_many_categories_are_found() {
        let towns = ["Oslo", "Rome", "Ulm"].map(str::to_owned).to_vec();
        let few = ColumnData::categorical(&[0, 0, 0], vec!["one".into()]);
        let table = Table::new(vec![
            ("few".into(), few),
            ("town".into(), ColumnData::categorical(&[2, 0, 1], towns)),
            ("age".into(), ColumnData::F64([1.0, 2.0, 3.0].as_slice().into())),
        ])
        .unwrap();
        let columns = Columns::of(&table).extended_by(&table, None, false).unwrap().unwrap();
        let found = columns.many_categories(2, 2);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].name, found[0].count), ("town", 3));
        assert_eq!(found[0].sample, ["Ulm", "Oslo"]);
        assert!(columns.many_categories(4, 2).is_empty());
    }
}
