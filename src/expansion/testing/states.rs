//! Every kind of derived state at once.

use crate::added_outputs::AddedOutputs;
use crate::error::Result;
use crate::expansion::{Edit, KernelExpansion, OnEdit, SupportSet};
use crate::float::Real;
use crate::persist::Tensors;
use crate::state::{DerivedState, Gram, Margins, Neighbours, Norm, WithNorm};

/// The derived state of an observed expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Keep {
    pub(crate) norm2: bool,
    pub(crate) gram: bool,
    /// The number of nearest neighbours; 0: none.
    pub(crate) neighbours: usize,
    pub(crate) margins: bool,
}

/// Every kind of derived state at once.
#[derive(Debug, Clone)]
pub(crate) struct States<T: Real> {
    pub(crate) gram: Option<Gram>,
    pub(crate) neighbours: Option<Neighbours<T>>,
    pub(crate) margins: Option<Margins<T>>,
    pub(crate) norm: Option<Norm<T>>,
}

impl<T: Real> OnEdit<T> for States<T> {
    fn before_edit(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        self.gram.before_edit(edit, support);
        self.neighbours.before_edit(edit, support);
        self.margins.before_edit(edit, support);
        self.norm.before_edit(edit, support);
    }

    fn after_edit(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        self.gram.after_edit(edit, support);
        self.neighbours.after_edit(edit, support);
        match &mut self.margins {
            Some(margins) => WithNorm(margins, &mut self.norm).after_edit(edit, support),
            None => self.norm.after_edit(edit, support),
        }
    }

    fn reserve(&mut self, n_simd: usize) {
        OnEdit::<T>::reserve(&mut self.gram, n_simd);
        self.neighbours.reserve(n_simd);
        self.margins.reserve(n_simd);
        self.norm.reserve(n_simd);
    }

    fn refresh(&mut self, support: &SupportSet<T>) {
        self.gram.refresh(support);
        self.neighbours.refresh(support);
        self.margins.refresh(support);
        self.norm.refresh(support);
    }
}

impl<T: Real> States<T> {
    /// The derived state of an empty expansion.
    pub(super) fn new(expansion: &KernelExpansion<T>, capacity: Option<usize>, keep: Keep) -> Self {
        Self {
            gram: keep.gram.then(|| Gram::new(expansion.ops().solver(), capacity.unwrap_or(0))),
            neighbours: (keep.neighbours > 0).then(|| Neighbours::new(keep.neighbours)),
            margins: keep.margins.then(|| Margins::new(expansion.outputs())),
            norm: keep.norm2.then(|| Norm::new(expansion.outputs())),
        }
    }

    pub(super) fn add_outputs(&mut self, added: AddedOutputs) {
        let Self { gram: _, neighbours: _, margins, norm } = self;
        if let Some(margins) = margins {
            margins.add_outputs(added);
        }
        if let Some(norm) = norm {
            norm.add_outputs(added);
        }
    }

    pub(super) fn save(&self, support: &SupportSet<T>, out: &mut Tensors) {
        let Self { gram, margins, norm, .. } = self;
        if let Some(gram) = gram {
            DerivedState::<T>::save(gram, support, out);
        }
        if let Some(margins) = margins {
            margins.save(support, out);
        }
        if let Some(norm) = norm {
            norm.save(support, out);
        }
    }

    pub(super) fn load(&mut self, from: &Tensors, support: &SupportSet<T>) -> Result<()> {
        let Self { gram, neighbours, margins, norm } = self;
        if let Some(gram) = gram {
            gram.load(from, support)?;
        }
        if let Some(neighbours) = neighbours {
            neighbours.load(from, support)?;
        }
        if let Some(margins) = margins {
            margins.load(from, support)?;
        }
        norm.as_mut().map_or(Ok(()), |norm| norm.load(from, support))
    }
}
