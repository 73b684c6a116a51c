//! A follower of the slots: the factor of their Gram matrix, always in double precision from the stored vectors.

use super::age::Age;
use super::{Slot, Store};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::linalg::{Factor, Outcome, Solution, State};
use crate::persist::Tensors;
use crate::simd::tile::PANEL;
use fearless_simd::Simd;

/// The Cholesky factor of the stored vectors' Gram matrix, and the vectors that it cannot take.
///
/// A vector in the span of the others, to rounding, waits outside the factor; over budget it is the one that is
/// projected away, so none waits long. Invariant: members and waiting slots together are the live slots.
#[derive(Debug, Clone)]
pub(crate) struct Gram {
    factor: Factor,
    /// Slots outside the factor, the oldest first.
    waiting: Vec<Slot>,
    scratch: Scratch,
}

/// A stored vector, its kernel row by slot and in the factor's order, and what the factor makes of it; never saved.
#[derive(Debug, Clone, Default)]
struct Scratch {
    x: Vec<f64>,
    by_slot: Vec<f64>,
    ordered: Vec<f64>,
    solution: Solution,
    coefficients: Vec<f64>,
}

impl Gram {
    /// For a store of `slots` slots.
    pub(super) fn new(slots: usize) -> Self {
        let waiting = Vec::with_capacity(slots);
        Self { factor: Factor::with_capacity(slots), waiting, scratch: Scratch::default() }
    }

    /// The slots in the factor, in its order.
    pub(super) fn members(&self) -> &[Slot] {
        self.factor.order()
    }

    /// The kernel row of a stored vector against the members, in their order; gives `k(x, x)`.
    #[inline(always)]
    fn row<T: Real, S: Simd>(&mut self, s: S, kernel: AnyKernel, slot: Slot, store: &Store<T>) -> f64 {
        let Scratch { x, by_slot, ordered, .. } = &mut self.scratch;
        x.resize(store.features(), 0.0);
        by_slot.resize(store.vectors().next_multiple_of(PANEL) * T::LANES, 0.0);
        store.row_f64(s, kernel, slot, x, by_slot);
        ordered.clear();
        ordered.extend(self.factor.order().iter().map(|member| by_slot[member.index()]));
        by_slot[slot.index()]
    }

    /// Takes a new slot into the factor, or lets it wait.
    #[inline(always)]
    pub(super) fn insert<T: Real, S: Simd>(&mut self, s: S, kernel: AnyKernel, slot: Slot, store: &Store<T>) {
        let diag = self.row(s, kernel, slot, store);
        if self.factor.len() == self.factor.capacity() {
            self.factor.reserve(self.factor.len() + PANEL * T::LANES);
        }
        if let Outcome::Dependent { .. } = self.factor.append(s, slot, &self.scratch.ordered, diag) {
            self.waiting.push(slot);
        }
    }

    /// Forgets a slot. Over budget the waiting ones leave before any member does, so no deletion frees one of them.
    #[inline(always)]
    pub(super) fn remove<S: Simd>(&mut self, s: S, slot: Slot) {
        match self.waiting.iter().position(|&waiting| waiting == slot) {
            Some(place) => {
                self.waiting.remove(place);
            }
            None => self.factor.delete(s, slot),
        }
    }

    /// Factors anew, after the kernel has changed.
    pub(super) fn refresh<T: Real, S: Simd>(&mut self, s: S, kernel: AnyKernel, store: &Store<T>) {
        self.factor = Factor::with_capacity(self.factor.capacity());
        self.waiting.clear();
        for slot in store.age().iter() {
            self.insert(s, kernel, slot, store);
        }
    }

    /// What projecting `p` on the others takes: coefficients by the factor's order into the scratch (that of `p` itself
    /// is meaningless); gives the squared residual of `phi_p`.
    #[inline(always)]
    fn project<T: Real, S: Simd>(&mut self, s: S, kernel: AnyKernel, p: Slot, store: &Store<T>) -> f64 {
        match self.factor.position(p) {
            Some(place) => {
                let Scratch { solution, coefficients, .. } = &mut self.scratch;
                self.factor.column(s, p, solution);
                let a_pp = solution.get()[place];
                coefficients.clear();
                coefficients.extend(solution.get().iter().map(|a| -a / a_pp));
                1.0 / a_pp
            }
            None => {
                let diag = self.row(s, kernel, p, store);
                let Scratch { ordered, solution, coefficients, .. } = &mut self.scratch;
                self.factor.solve(s, ordered, solution);
                coefficients.clear();
                coefficients.extend_from_slice(solution.get());
                solution.residual(s, diag).max(0.0)
            }
        }
    }

    /// Deletes a member whose column [`Gram::project`] has just left in the scratch, or a waiting slot.
    #[inline(always)]
    fn remove_projected<S: Simd>(&mut self, s: S, p: Slot) {
        if self.factor.position(p).is_some() {
            self.factor.delete_with(s, p, &self.scratch.solution);
        } else {
            self.remove(s, p);
        }
    }

    pub(super) fn save(&self, out: &mut Tensors) {
        let State { lower, order, diag, changes } = self.factor.state();
        out.put("lower", &[lower.len()], lower);
        out.put("order", &[order.len()], order.into_iter().map(|slot| slot.0));
        out.put("diag", &[diag.len()], diag);
        out.set("changes", changes);
        out.set("capacity", self.factor.capacity());
        out.put("waiting", &[self.waiting.len()], self.waiting.iter().map(|slot| slot.0));
    }

    /// Restores into a fresh follower, once the store's slots are known.
    pub(super) fn load(&mut self, from: &Tensors, age: &Age, slots: usize) -> Result<()> {
        let refused = |reason: &'static str| Error::Model(reason.into());
        let [members] = from.shape("order")?;
        let [waiting] = from.shape("waiting")?;
        let [entries] = from.shape("lower")?;
        let capacity = from.usize("capacity")?;
        if members + waiting != age.len() || capacity < members || capacity > slots {
            return Err(refused("the factor must hold the live slots"));
        }
        let order: Vec<u32> = from.get("order", &[members])?;
        let waiting: Vec<u32> = from.get("waiting", &[waiting])?;
        let mut seen = vec![false; slots];
        for &slot in order.iter().chain(&waiting) {
            let live = (slot as usize) < slots && age.is_live(Slot(slot));
            if !live || std::mem::replace(&mut seen[slot as usize], true) {
                return Err(refused("the factor must hold each live slot once"));
            }
        }
        let state = State {
            lower: from.get("lower", &[entries])?,
            order: order.into_iter().map(Slot).collect(),
            diag: from.get("diag", &[members])?,
            changes: from.usize("changes")?,
        };
        self.factor = Factor::from_state(capacity, &state)?;
        self.waiting = waiting.into_iter().map(Slot).collect();
        Ok(())
    }
}

impl<T: Real> Store<T> {
    /// The oldest support vector that the factor could not take.
    pub(crate) fn waiting(&self) -> Option<Slot> {
        self.gram.as_ref().and_then(|gram| gram.waiting.first().copied())
    }

    /// `argmin |alpha_p|^2 / A_pp` over the factor's members, ties to the oldest.
    pub(crate) fn cheapest(&self) -> Slot {
        let gram = self.gram.as_ref().expect("the strategy that asks has asked to keep it");
        let cost = |(slot, a_pp): (&Slot, &f64)| (*slot, self.squared_row(*slot) / a_pp);
        let costs = gram.members().iter().zip(gram.factor.diag()).map(cost);
        let least = costs.clone().fold(f64::INFINITY, |least, (_, cost)| least.min(cost));
        let bound = least + least * T::TIE.to_f64();
        let ties = costs.filter(|(_, cost)| *cost <= bound).map(|(slot, _)| slot);
        ties.reduce(|a, b| if self.age.older(b, a) { b } else { a }).expect("a store over budget has members")
    }

    /// `|alpha_j|^2`
    fn squared_row(&self, slot: Slot) -> f64 {
        (0..self.outputs()).map(|output| self.expansion.get(slot, output).to_f64().powi(2)).sum()
    }

    /// Projects `p` on the factor's other members and drops it: `alpha_S += alpha_p d`. Gives `|alpha_p|^2` times the
    /// squared residual of `phi_p`, which is what the model loses.
    #[inline(always)]
    pub(crate) fn project<S: Simd>(&mut self, s: S, kernel: AnyKernel, p: Slot) -> f64 {
        let mut gram = self.gram.take().expect("the strategy that projects has asked to keep it");
        let degradation = gram.project(s, kernel, p, self) * self.squared_row(p);
        self.spread(s, p, gram.members(), &gram.scratch.coefficients);
        gram.remove_projected(s, p);
        self.gram = Some(gram);
        self.vacate(p);
        self.change_norm(s, kernel, -degradation);
        degradation
    }
}
