//! Detection of columns that should not be categorical: numbers and dates as text, identifiers.

use super::{Columns, Kind};
use std::collections::BTreeSet;

/// The number of categories from which a column is examined.
const MIN_CATEGORIES: usize = 30;
/// A column with more categories than this that are plain numbers is probably not categorical.
const MAX_NUMERALS: usize = 1000;
/// The number of categories that are read.
const SAMPLE: usize = 200;
const CURRENCIES: [char; 6] = ['$', '€', '£', '¥', '₹', '₽'];

/// What a category looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Number,
    DecimalComma,
    Thousands,
    Percent,
    Currency,
    Fortran,
    Date,
}

const LOOKS: [Look; 7] = [
    Look::Number,
    Look::DecimalComma,
    Look::Thousands,
    Look::Percent,
    Look::Currency,
    Look::Fortran,
    Look::Date,
];

impl Look {
    /// What most categories look like, with the advice.
    fn advice(self) -> &'static str {
        match self {
            Self::Number => "the values look like numbers: convert the column to numbers (astype(float))",
            Self::DecimalComma => {
                "the values look like numbers with a decimal comma: replace the comma by a point (decimal=\",\" in pandas) and \
                 convert the column to numbers"
            }
            Self::Thousands => {
                "the values look like numbers with thousands separators: remove the separators (thousands=\",\" in pandas) \
                 and convert the column to numbers"
            }
            Self::Percent => {
                "the values look like percentages: remove the percent sign and convert the column to numbers"
            }
            Self::Currency => {
                "the values look like amounts of money: remove the currency sign and convert the column to numbers"
            }
            Self::Fortran => {
                "the values look like numbers with the exponent D: replace D by E and convert the column to numbers"
            }
            Self::Date => {
                "the values look like dates: convert the column to numbers, such as days since a date, month and weekday"
            }
        }
    }

    /// What a category looks like; None for other text.
    fn of(category: &str) -> Option<Self> {
        let text = category.trim().trim_matches(['"', '\'']).trim();
        if text.parse::<f64>().is_ok_and(f64::is_finite) {
            return Some(Self::Number);
        }
        if is_date(text) {
            return Some(Self::Date);
        }
        let is_negative = text.starts_with('(') && text.ends_with(')');
        let text = if is_negative { &text[1..text.len() - 1] } else { text };
        let text = text.trim_start_matches(['+', '-', '\u{2212}']).trim();
        if let Some(percent) = text.strip_suffix(['%', '‰']) {
            return Self::of_digits(percent.trim()).map(|_| Self::Percent);
        }
        let amount = text.trim_matches(CURRENCIES).trim();
        let code = |code: &str| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase());
        let amount = match amount.split_once(' ') {
            Some((first, rest)) if code(first) => rest.trim(),
            _ => match amount.rsplit_once(' ') {
                Some((rest, last)) if code(last) => rest.trim(),
                _ => amount,
            },
        };
        let look = Self::of_digits(amount.trim_start_matches(['+', '-']))?;
        Some(if amount.len() < text.len() || is_negative { Self::Currency } else { look })
    }

    /// What an unsigned number looks like.
    fn of_digits(text: &str) -> Option<Self> {
        if !text.starts_with(|first: char| first.is_ascii_digit() || ".,".contains(first)) {
            return None;
        }
        if text.parse::<f64>().is_ok() {
            return Some(Self::Number);
        }
        if text.contains(['d', 'D']) && text.replace(['d', 'D'], "e").parse::<f64>().is_ok() {
            return Some(Self::Fortran);
        }
        let separators: BTreeSet<char> = text.chars().filter(|c| !c.is_ascii_digit()).collect();
        let is_group = |c: char| matches!(c, '.' | ',' | ' ' | '\'' | '’' | '_' | '\u{a0}' | '\u{202f}');
        let last = text.rsplit(|c: char| !c.is_ascii_digit()).next()?;
        match separators.len() {
            1 if text.matches(',').count() == 1 => {
                // 1,234 may be either; a leading zero or another number of digits is decimal.
                let is_thousands = last.len() == 3 && !text.starts_with(['0', ',']);
                Some(if is_thousands { Self::Thousands } else { Self::DecimalComma })
            }
            1 | 2 if separators.iter().all(|c| is_group(*c)) => {
                let groups: Vec<&str> = text.split(|c: char| is_group(c)).collect();
                let inner = &groups[1..groups.len() - usize::from(separators.len() == 2)];
                let is_grouped = inner.iter().all(|group| group.len() == 3);
                let has_decimals = separators.len() == 2 && text.rfind(',') > text.rfind('.');
                is_grouped.then_some(if has_decimals { Self::DecimalComma } else { Self::Thousands })
            }
            _ => None,
        }
    }
}

/// Whether a text looks like a date, or a date and a time.
fn is_date(text: &str) -> bool {
    let date = text.split([' ', 'T']).next().unwrap_or("");
    ['-', '/', '.'].into_iter().any(|separator| {
        let parts: Vec<&str> = date.split(separator).collect();
        let is_numeric =
            parts.iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        is_numeric && matches!(lengths[..], [4, 1..=2, 1..=2] | [1..=2, 1..=2, 2 | 4])
    })
}

impl Columns {
    /// The columns that should probably not be categorical, each with a message: columns with at least 30 categories
    /// that are more than half of `rows`, or look like numbers that could not be read, and columns with more than 1000
    /// numbers. Columns in `except` are left out.
    #[must_use]
    pub fn suspicious(&self, rows: u64, except: &BTreeSet<String>) -> Vec<(&str, String)> {
        let columns = self.list.iter().enumerate().filter_map(|(index, column)| match &column.kind {
            Kind::Categorical(known) if known.len() >= MIN_CATEGORIES && !except.contains(&column.name) => {
                Some((index, column.name.as_str(), known.len()))
            }
            _ => None,
        });
        columns.filter_map(|(index, name, count)| Some((name, self.suspicion(index, count, rows)?))).collect()
    }

    fn suspicion(&self, column: usize, count: usize, rows: u64) -> Option<String> {
        let of_column = self.features.iter().filter(|feature| feature.column == column);
        let sample: Vec<&String> =
            of_column.filter_map(|feature| feature.category.as_ref()).take(SAMPLE).collect();
        let looks: Vec<Option<Look>> = sample.iter().map(|category| Look::of(category)).collect();
        let is_most = |is_one: &dyn Fn(Look) -> bool| {
            2 * looks.iter().filter(|look| look.is_some_and(is_one)).count() > looks.len()
        };
        let are_numbers = is_most(&|look| look != Look::Date);
        // The style of the rarer values tells how to read them all: "1,5" among integers is a decimal comma.
        let style = |look: &Look| looks.iter().filter(|one| **one == Some(*look)).count();
        let main = if is_most(&|look| look == Look::Date) {
            Some(Look::Date)
        } else if are_numbers {
            let styled = LOOKS[1..6].iter().copied().max_by_key(style).filter(|look| style(look) > 0);
            styled.filter(|look| 10 * style(look) >= looks.len()).or(Some(Look::Number))
        } else {
            None
        };
        let are_distinct = 2 * count as u64 > rows;
        let is_suspicious = match main {
            Some(Look::Number) => are_distinct || count > MAX_NUMERALS,
            Some(Look::Date) | None => are_distinct,
            Some(_) => true,
        };
        if !is_suspicious {
            return None;
        }
        let example = looks.iter().position(|look| *look == main && main.is_some()).unwrap_or(0);
        let example = sample.get(example).map_or("", |category| category.as_str());
        let advice = main.map_or("drop the column if it identifies the rows", Look::advice);
        let name = &self.list[column].name;
        Some(format!(
            "column {name:?} of X is categorical with {count} categories after {rows} rows, such as {example:?}, and each \
             category is a feature: {advice}, or set hash_features"
        ))
    }
}
