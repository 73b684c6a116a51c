//! A small symmetric system, factored row by row: the Gram matrix of a few vectors that another one is projected on.

/// `L D L'` of a Gram matrix of at most so many vectors, and one right side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProjectionSystem {
    /// Row `i` at `i * size`, the unit diagonal left out.
    l: Vec<f64>,
    d: Vec<f64>,
    /// `L^-1` times the right side.
    z: Vec<f64>,
    size: usize,
    len: usize,
    /// The squared residual so far.
    sq_residual: f64,
}

impl ProjectionSystem {
    pub(crate) fn new(size: usize) -> Self {
        Self {
            l: vec![0.0; size * size],
            d: vec![0.0; size],
            z: vec![0.0; size],
            size,
            len: 0,
            sq_residual: 0.0,
        }
    }

    /// Empties it, for a vector of squared length `length`.
    #[inline(always)]
    pub(crate) fn start(&mut self, length: f64) {
        self.len = 0;
        self.sq_residual = length;
    }

    /// The rest of the squared length outside the span of the vectors so far.
    #[inline(always)]
    pub(crate) fn sq_residual(&self) -> f64 {
        self.sq_residual.max(0.0)
    }

    /// Adds a vector of squared length `diag`: `with(j)` is its product with the j-th one, `right` that with the vector
    /// that is projected. False, and nothing is added, where its own residual is below `least`.
    #[inline(always)]
    pub(crate) fn add(&mut self, diag: f64, right: f64, least: f64, with: impl Fn(usize) -> f64) -> bool {
        let (i, size) = (self.len, self.size);
        let (above, row) = self.l.split_at_mut(i * size);
        let (mut pivot, mut z) = (diag, right);
        for j in 0..i {
            // Row j of L times D, of the new row: first u = D l, then l.
            let mut u = with(j);
            for k in 0..j {
                u -= above[j * size + k] * row[k] * self.d[k];
            }
            row[j] = u / self.d[j];
            pivot -= u * row[j];
            z -= row[j] * self.z[j];
        }
        if pivot < least || pivot <= 0.0 {
            return false;
        }
        self.d[i] = pivot;
        self.z[i] = z;
        self.sq_residual -= z * (z / pivot);
        self.len += 1;
        true
    }

    /// The coefficients of the projection, in the order in which the vectors were added.
    #[inline(always)]
    pub(crate) fn solve(&mut self) -> &[f64] {
        let (len, size) = (self.len, self.size);
        for i in (0..len).rev() {
            let mut x = self.z[i] / self.d[i];
            for j in i + 1..len {
                x -= self.l[j * size + i] * self.z[j];
            }
            self.z[i] = x;
        }
        &self.z[..len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_by_hand() {
        // On (2, 0) and (1, 1) the vector (3, 5) is (-1, 5); (4, 0) is no news.
        let vectors = [[2.0, 0.0], [4.0, 0.0], [1.0, 1.0]];
        let target = [3.0, 5.0];
        let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
        let mut system = ProjectionSystem::new(3);
        system.start(dot(target, target) + 7.0);
        let mut kept: Vec<[f64; 2]> = Vec::new();
        for v in vectors {
            if system.add(dot(v, v), dot(v, target), 1e-12, |j| dot(v, kept[j])) {
                kept.push(v);
            }
        }
        assert_eq!(kept, [vectors[0], vectors[2]]);
        assert!((system.sq_residual() - 7.0).abs() < 1e-12);
        assert_eq!(system.solve(), [-1.0, 5.0]);
    }
}
