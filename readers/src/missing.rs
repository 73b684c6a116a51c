//! The texts of missing values.

/// The texts in CSV without the sign of `nan`: the texts of `pandas.read_csv`, `?`, `\N`, and a lone `-` or `.`.
const CSV: [&str; 18] = [
    "", "?", "-", ".", "na", "n/a", "nan", "null", "none", "\\n", "#n/a", "#n/a n/a", "#na", "<na>",
    "1.#ind", "1.#qnan", "-1.#ind", "-1.#qnan",
];

/// Returns true for the texts of a missing value in LIBSVM text: `?`, `NA` and `nan`.
pub(super) fn is_libsvm_text(token: &[u8]) -> bool {
    is_any(token, &["?", "na"]) || is_any(without_sign(token), &["nan"])
}

/// Returns true for the usual texts of a missing value in a CSV column of numbers, in any case of letters.
pub(super) fn is_csv_text(token: &[u8]) -> bool {
    is_any(token, &CSV) || is_any(without_sign(token), &["nan"])
}

fn is_any(token: &[u8], texts: &[&str]) -> bool {
    texts.iter().any(|text| token.eq_ignore_ascii_case(text.as_bytes()))
}

fn without_sign(token: &[u8]) -> &[u8] {
    token.strip_prefix(b"-").or_else(|| token.strip_prefix(b"+")).unwrap_or(token)
}
