//! The Cholesky factor of a Gram matrix over a changing set of slots.

use super::Slot;
use super::diagonal::Diagonal;
use super::solution::Solution;
use crate::ops::Solver;
use crate::ops::triangle::{Lower, Rotations};
use std::mem::take;

/// A vector is rejected if its squared residual on the members is at most this share of its squared norm.
const DEPENDENT_RTOL: f64 = 1e-12;

/// What became of a vector that was to join the factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Outcome {
    /// It is a member now; `delta` was its squared residual on the others.
    Appended {
        /// `k_tt - k_t.A k_t`.
        delta: f64,
    },
    /// It lies in the span of the others to rounding; the factor is unchanged.
    Dependent {
        /// `k_tt - k_t.A k_t`, or what rounding made of it.
        delta: f64,
    },
}

/// `L` with `L L' = K`, the Gram matrix of the members in the order of their joining, and `diag(A)`, `A = K^-1`.
///
/// Every change is O(n^2) and, once the buffers have their size, allocates nothing. Kernel values come, and solutions
/// go, in factor order: [`Factor::order`] says which slot stands where.
///
/// Invariants: `order` names each member once; factor, order and diagonal have one length, at most `capacity`; every
/// pivot is at least 1e-6 of its row's norm when it is made, and no deletion lowers a pivot; `changes < capacity`.
#[derive(Debug, Clone)]
pub(crate) struct Factor {
    ops: Solver,
    pub(super) lower: Lower,
    pub(super) order: Vec<Slot>,
    pub(super) diagonal: Diagonal,
    pub(super) capacity: usize,
    /// Changes since the diagonal was last computed from the factor.
    pub(super) changes: usize,
    buffers: FactorBuffers,
}

#[derive(Debug, Clone, Default)]
struct FactorBuffers {
    image: Solution,
    column: Solution,
    rotations: Rotations,
}

/// Members for which a triangle is made before they come.
pub(crate) const INITIAL_CAPACITY: usize = 512;

impl Factor {
    /// A factor without members and for `capacity` of them. A large triangle is made as members come.
    pub(crate) fn with_capacity(ops: Solver, capacity: usize) -> Self {
        Self {
            ops,
            lower: Lower::with_capacity(capacity.min(INITIAL_CAPACITY)),
            order: Vec::with_capacity(capacity),
            diagonal: Diagonal::with_capacity(capacity),
            capacity,
            changes: 0,
            buffers: FactorBuffers::default(),
        }
    }

    /// Makes room for `capacity` members in all; it never shrinks.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        if capacity > self.capacity {
            self.capacity = capacity;
            self.order.reserve(capacity - self.order.len());
            self.diagonal.reserve(capacity);
        }
    }

    /// The number of members.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// The members; position `i` here is row `i` of the factor, and place `i` of every vector in factor order.
    pub(crate) fn order(&self) -> &[Slot] {
        &self.order
    }

    /// Where a slot stands, if it is a member.
    pub(crate) fn position(&self, slot: Slot) -> Option<usize> {
        self.order.iter().position(|&member| member == slot)
    }

    /// `A_ii` in factor order: `1/A_ii` is the squared residual of member `i` on the others.
    pub(crate) fn diag(&self) -> &[f64] {
        &self.diagonal.values
    }

    /// Solves `K x = b`. With `b = k_t`, the kernel values of a new vector, `x = A k_t` are the coefficients of its
    /// projection on the members.
    pub(crate) fn solve(&self, b: &[f64], out: &mut Solution) {
        out.reset(self.len());
        out.half[..b.len()].copy_from_slice(b);
        self.solve_from(0, out);
    }

    /// The column `A e_p` of a member.
    pub(crate) fn column(&self, slot: Slot, out: &mut Solution) {
        let p = self.member(slot);
        out.reset(self.len());
        out.half[p] = 1.0;
        self.solve_from(p, out);
    }

    fn solve_from(&self, from: usize, out: &mut Solution) {
        self.ops.forward(&self.lower, from, &mut out.half);
        out.whole.copy_from_slice(&out.half);
        self.ops.backward(&self.lower, &mut out.whole);
    }

    fn member(&self, slot: Slot) -> usize {
        self.position(slot).expect("callers pass slots of members")
    }

    /// Appends a vector with kernel values `k` against the members, in factor order, and `k_tt` with itself.
    #[cfg(test)]
    pub(crate) fn append(&mut self, slot: Slot, k: &[f64], k_tt: f64) -> Outcome {
        let mut image = take(&mut self.buffers.image);
        self.solve(k, &mut image);
        let outcome = self.append_with(slot, &image, k_tt);
        self.buffers.image = image;
        outcome
    }

    /// The same with `image`, the solution for `k`, at hand.
    ///
    /// Bordering: the new row of `L` is `L^-1 k`, its pivot `sqrt(delta)`.
    pub(crate) fn append_with(&mut self, slot: Slot, image: &Solution, k_tt: f64) -> Outcome {
        debug_assert_eq!(image.len(), self.len(), "a solution of this factor");
        let delta = image.residual(self.ops, k_tt);
        if delta > DEPENDENT_RTOL * k_tt {
            self.reserve(self.len() + 1);
            self.lower.reserve(self.len() + 1);
            self.lower.push(image.half().iter().copied(), delta.sqrt());
            self.diagonal.append(image.get().iter().copied(), delta);
            self.order.push(slot);
            self.changed();
            Outcome::Appended { delta }
        } else {
            Outcome::Dependent { delta }
        }
    }

    /// Deletes a member; the others keep their order.
    pub(crate) fn delete(&mut self, slot: Slot) {
        let mut column = take(&mut self.buffers.column);
        self.column(slot, &mut column);
        self.delete_with(slot, &column);
        self.buffers.column = column;
    }

    /// The same with `column`, the member's column of `A`, at hand.
    pub(crate) fn delete_with(&mut self, slot: Slot, column: &Solution) {
        debug_assert_eq!(column.len(), self.len(), "a solution of this factor");
        let p = self.member(slot);
        self.ops.prepare_rotations(&mut self.buffers.rotations, column.half(), p);
        self.ops.delete_row(&mut self.lower, p, &self.buffers.rotations);
        self.order.remove(p);
        self.diagonal.delete(p, column.get());
        self.diagonal.restore(self.ops, &self.lower);
        self.changed();
    }

    /// Puts a vector in the place of the member `out`, with `k` against all the members, `out` among them.
    ///
    /// Equal to deleting and then appending; rejected without any change if appending would be.
    #[cfg(test)]
    pub(crate) fn replace(&mut self, out: Slot, slot: Slot, k: &[f64], k_tt: f64) -> Outcome {
        let (mut column, mut image) = (take(&mut self.buffers.column), take(&mut self.buffers.image));
        self.column(out, &mut column);
        self.solve(k, &mut image);
        let outcome = self.replace_with(out, slot, &column, &image, k_tt);
        (self.buffers.column, self.buffers.image) = (column, image);
        outcome
    }

    /// The same with the column of `out` and the solution for `k` at hand.
    ///
    /// The rank-2 update of the inverse (Le et al., Theorem 14) in one pass over the factor: the row `L^-1 k` takes
    /// part in the rotations that delete `p`, which turn it into the row that appending would have solved for. What
    /// they take out of it, `a_p/sqrt(A_pp)`, goes to its pivot: `delta' = delta + a_p^2/A_pp`.
    pub(crate) fn replace_with(
        &mut self,
        out: Slot,
        slot: Slot,
        column: &Solution,
        image: &Solution,
        k_tt: f64,
    ) -> Outcome {
        debug_assert_eq!((column.len(), image.len()), (self.len(), self.len()), "solutions of this factor");
        let p = self.member(out);
        let (a_p, a_pp) = (self.ops.dot(&column.half, &image.half), self.ops.dot(&column.half, &column.half));
        let delta = image.residual(self.ops, k_tt).max(0.0) + a_p * (a_p / a_pp);
        if delta > DEPENDENT_RTOL * k_tt {
            self.ops.prepare_rotations(&mut self.buffers.rotations, column.half(), p);
            self.lower.push(image.half().iter().copied(), 1.0);
            self.ops.delete_row(&mut self.lower, p, &self.buffers.rotations);
            self.lower.set_pivot(self.lower.len - 1, delta.sqrt());
            self.order.remove(p);
            self.order.push(slot);
            // Without p the solution for k is a_i - A_ip a_p/A_pp.
            let share = a_p / a_pp;
            let pairs = image.get().iter().zip(column.get()).enumerate().filter(|&(i, _)| i != p);
            self.diagonal.delete(p, column.get());
            self.diagonal.append(pairs.map(|(_, (a, column))| a - share * column), delta);
            self.diagonal.restore(self.ops, &self.lower);
            self.changed();
            Outcome::Appended { delta }
        } else {
            Outcome::Dependent { delta }
        }
    }

    /// The diagonal is computed anew every `capacity` changes, so that nothing accumulates.
    fn changed(&mut self) {
        self.changes += 1;
        if self.changes >= self.capacity {
            self.changes = 0;
            self.diagonal.refresh(self.ops, &self.lower);
        }
    }

    /// Factors anew from the kernel values of the members; returns those that are dependent on members before them, or
    /// have a squared length below `shortest`: they are members no more.
    pub(crate) fn refresh(&mut self, shortest: f64, gram: impl Fn(Slot, Slot) -> f64) -> Vec<Slot> {
        let mut image = take(&mut self.buffers.image);
        self.lower.clear();
        let mut dependent = Vec::new();
        let mut kept = 0;
        for i in 0..self.order.len() {
            let slot = self.order[i];
            image.reset(kept);
            for (k, &member) in image.half.iter_mut().zip(&self.order[..kept]) {
                *k = gram(slot, member);
            }
            self.ops.forward(&self.lower, 0, &mut image.half);
            let k_tt = gram(slot, slot);
            let delta = image.residual(self.ops, k_tt);
            if delta > DEPENDENT_RTOL * k_tt && k_tt >= shortest {
                self.lower.push(image.half().iter().copied(), delta.sqrt());
                self.order[kept] = slot;
                kept += 1;
            } else {
                dependent.push(slot);
            }
        }
        self.order.truncate(kept);
        self.diagonal.refresh(self.ops, &self.lower);
        self.changes = 0;
        self.buffers.image = image;
        dependent
    }
}
