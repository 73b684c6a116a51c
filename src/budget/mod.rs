//! Budget maintenance: what leaves when the budget is exceeded, and what is done about it.

#[allow(dead_code)]
pub(crate) mod merge;
