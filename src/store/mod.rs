//! Support vectors in slots that do not move, and everything that must move with them.

mod age;
mod averages;
mod edits;
mod expansion;
mod few;
mod gram;
mod joint;
mod margins;
mod neighbours;
mod norm;
mod panels;
mod save;
mod scores;
mod served;
mod span;
mod square;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub(crate) use crate::linalg::Slot;
pub(crate) use edits::{Merger, Newcomer};
pub(crate) use expansion::Expansion;
pub(crate) use few::Few;
pub(crate) use gram::Gram;
pub(crate) use neighbours::{NOBODY, Neighbours};
pub(crate) use panels::vectors_for;

use crate::float::Real;
use crate::label::Label;
use crate::ops::Lanes;
use age::Age;
use averages::Averages;
use margins::Margins;
use panels::Panels;

/// The model `f(x) = scale * sum_j alpha_j k(x_j, x)`: vectors, coefficients and their followers.
///
/// Invariants, asserted by `check_invariants` in tests: a slot is live in `age`, or free, or beyond the high-water
/// mark; free lanes are zero in every buffer; `expansion.weights` equals `|alpha_j|^2 k_jj`; the followers hold exactly
/// the live slots. Only the edits of this module change any of it, and each tells every follower.
#[derive(Debug, Clone)]
pub(crate) struct Store<T: Real> {
    panels: Panels<T>,
    /// Each stored vector's norm, as the kernel takes it.
    norms: Lanes<T>,
    expansion: Expansion<T>,
    /// Each slot's label; a merged vector has that of its larger partner.
    labels: Vec<Label>,
    age: Age,
    /// Freed slots, the next to be taken last.
    free: Vec<Slot>,
    /// Slots ever taken: those from here on are fresh.
    high: usize,
    /// The most slots; a panel is added whenever it is full.
    capacity: Option<usize>,
    /// The multiplier of every coefficient.
    scale: f64,
    /// `|sum_j alpha_j phi_j|^2`, without the scale, where an update rule asks for it.
    norm2: Option<Norm2>,
    /// The factor of the Gram matrix, where the maintenance asks for it.
    gram: Option<Gram>,
    /// The nearest neighbours of every slot, where the maintenance asks for them.
    neighbours: Option<Neighbours<T>>,
    /// The scores of every support vector, where the maintenance asks for its margin.
    margins: Option<Margins<T>>,
    /// The sums of many models, where their mean is asked for.
    averages: Option<Averages>,
    scratch: Scratch<T>,
}

/// An incrementally kept squared norm.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Norm2 {
    value: f64,
    /// Changes since it was last computed from scratch.
    changes: u64,
}

/// Buffers that edits need; never saved.
#[derive(Debug, Clone, Default)]
struct Scratch<T: Real> {
    x: Vec<T>,
    k: Lanes<T>,
    by_slot: Lanes<T>,
    f: Vec<T>,
    row: Vec<T>,
}

/// What the parts above ask the store to keep beside the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Keep {
    /// `|w|^2`.
    pub(crate) norm2: bool,
    /// The factor of the Gram matrix.
    pub(crate) gram: bool,
    /// So many nearest neighbours of every support vector; 0 is none.
    pub(crate) neighbours: usize,
    /// The margin of every support vector.
    pub(crate) margins: bool,
}

impl<T: Real> Store<T> {
    /// An empty store of `outputs` coefficient columns over `features` features.
    pub(crate) fn new(capacity: Option<usize>, features: usize, outputs: usize, keep: Keep) -> Self {
        Self {
            norms: Lanes::default(),
            expansion: Expansion::new(outputs),
            labels: Vec::new(),
            age: Age::default(),
            free: Vec::new(),
            high: 0,
            capacity,
            scale: 1.0,
            norm2: keep.norm2.then_some(Norm2 { value: 0.0, changes: 0 }),
            gram: keep.gram.then(|| Gram::new(capacity.unwrap_or(0))),
            neighbours: (keep.neighbours > 0).then(|| Neighbours::new(keep.neighbours)),
            margins: keep.margins.then(|| Margins::new(outputs)),
            averages: None,
            scratch: Scratch {
                x: vec![T::ZERO; features],
                f: vec![T::ZERO; outputs],
                row: vec![T::ZERO; outputs],
                ..Scratch::default()
            },
            panels: Panels::new(capacity, features),
        }
    }

    /// Support vectors.
    pub(crate) fn len(&self) -> usize {
        self.age.len()
    }

    pub(crate) fn features(&self) -> usize {
        self.panels.features()
    }

    pub(crate) fn outputs(&self) -> usize {
        self.expansion.outputs()
    }

    /// Vectors of lanes that hold support vectors.
    #[inline(always)]
    pub(crate) fn used(&self) -> usize {
        self.high.div_ceil(T::LANES)
    }

    /// Vectors of lanes in every buffer.
    pub(crate) fn vectors(&self) -> usize {
        self.panels.vectors()
    }

    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    pub(crate) fn age(&self) -> &Age {
        &self.age
    }

    /// The `index`-th oldest support vector, `index < len()`.
    pub(crate) fn nth(&self, index: usize) -> Slot {
        self.age.nth(index).expect("the index of a live slot")
    }

    /// The support vector that was inserted last.
    pub(crate) fn youngest(&self) -> Slot {
        self.age.iter().next_back().expect("what asks has just inserted one")
    }

    /// The label of a slot.
    #[cfg(test)]
    pub(crate) fn label(&self, slot: Slot) -> Label {
        self.labels[slot.index()]
    }

    pub(crate) fn expansion(&self) -> &Expansion<T> {
        &self.expansion
    }

    /// `|sum_j alpha_j phi_j|^2` without the scale; zero where nobody asked for it.
    pub(crate) fn norm2(&self) -> f64 {
        self.norm2.map_or(0.0, |n| n.value)
    }

    /// Reads the vector in a slot.
    pub(crate) fn read(&self, slot: Slot, x: &mut [T]) {
        self.panels.read(slot, x);
    }
}
