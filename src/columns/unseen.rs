//! Tables whose categories a model has hardly learned.

use super::{ColumnData, Columns, Kind, Table};
use crate::error::nearest;

/// The most known categories that are compared with an unseen one.
const MAX_COMPARED: usize = 1000;

/// A categorical column of a table with mostly unseen categories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnseenCategories<'a> {
    /// The name of the column.
    pub name: &'a str,
    /// The first unseen category.
    pub unseen: &'a str,
    /// The known category that is most similar to it, if one is similar.
    pub nearest: Option<&'a str>,
    /// The first known category.
    pub known: &'a str,
    /// The number of rows with an unseen category.
    pub rows: usize,
}

impl Columns {
    /// The categorical columns with known categories, of which more than 90% of a table's rows have other categories.
    /// Columns whose name is `ignored` are left out.
    pub fn unseen_categories<'a>(
        &'a self,
        table: &'a Table<'_>,
        ignored: impl Fn(&str) -> bool,
    ) -> Vec<UnseenCategories<'a>> {
        let of_column = |(name, data): &'a (String, ColumnData<'_>)| {
            let ColumnData::Categorical { codes, categories } = data else { return None };
            let index = *self.index.get(name.as_str())?;
            let Kind::Categorical(known) = &self.list[index].kind else { return None };
            if known.is_empty() || ignored(name) {
                return None;
            }
            let is_known: Vec<bool> =
                categories.iter().map(|each| known.contains_key(each.as_str())).collect();
            let unseen =
                || codes.iter().filter_map(|&code| usize::try_from(code).ok()).filter(|&c| !is_known[c]);
            let (first, rows) = (unseen().next()?, unseen().count());
            if 10 * rows <= 9 * table.n_rows() {
                return None;
            }
            let in_order = || {
                let features = self.features.iter().filter(|feature| feature.column == index);
                features.filter_map(|feature| feature.category.as_deref())
            };
            let unseen = categories[first].as_str();
            let nearest = nearest(unseen, in_order().take(MAX_COMPARED));
            Some(UnseenCategories { name, unseen, nearest, known: in_order().next()?, rows })
        };
        table.columns().iter().filter_map(of_column).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::columns::{ColumnData, Columns, Table};

    fn table(codes: &[i64]) -> Table<'_> {
        let towns = ["Oslo", "Rome", "oslo", "Ulm"].map(str::to_owned).to_vec();
        Table::new(vec![("town".into(), ColumnData::categorical(codes, towns))]).unwrap()
    }

    #[test]
    fn a_column_counts_from_more_than_nine_tenths_of_the_rows() {
        let known = table(&[1, 0]);
        let columns = Columns::of(&known).extended_by(&known, None, false).unwrap().unwrap();
        let found = |codes: &[i64]| {
            let table = table(codes);
            let found = columns.unseen_categories(&table, |_| false);
            found.first().map(|each| (each.unseen.to_owned(), each.nearest.map(str::to_owned), each.rows))
        };
        let mostly = |other: i64| [&[2; 9][..], &[3, other]].concat();
        assert_eq!(found(&mostly(3)), Some(("oslo".into(), Some("Oslo".into()), 11)));
        assert_eq!(found(&mostly(0)), Some(("oslo".into(), Some("Oslo".into()), 10)));
        assert_eq!(found(&mostly(0)[1..]), None);
        assert_eq!(found(&mostly(-1)[1..]), None);
        assert_eq!(found(&[3]), Some(("Ulm".into(), None, 1)));
        assert_eq!(found(&[]), None);
        assert!(columns.unseen_categories(&table(&[3]), |name| name == "town").is_empty());
        assert!(Columns::of(&known).unseen_categories(&known, |_| false).is_empty());
    }
}
