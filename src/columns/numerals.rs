//! Columns of numbers that came as words.

use super::{Columns, Kind};

/// More numerals than this are hardly the words of a column.
const MOST: usize = 1000;

impl Columns {
    /// The first column with more than 1000 words that are all numerals, and how many it has, if it had no more than
    /// 1000 `before`: most likely it holds numbers, or keys.
    #[must_use]
    pub fn new_numerals(&self, before: Option<&Self>) -> Option<(&str, usize)> {
        let few = |place: usize| match before.map(|before| &before.list[place].kind) {
            Some(Kind::Words(words)) => words.len() <= MOST,
            _ => true,
        };
        self.list.iter().enumerate().find_map(|(place, column)| match &column.kind {
            Kind::Words(words) if words.len() > MOST && few(place) => {
                words.keys().all(|word| is_numeral(word)).then_some((column.name.as_str(), words.len()))
            }
            _ => None,
        })
    }
}

/// Whether a word is a number in digits.
fn is_numeral(word: &str) -> bool {
    word.parse::<f64>().is_ok_and(f64::is_finite)
}
