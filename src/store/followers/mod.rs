//! What is kept beside the model and must follow each of its changes.

mod gram;
mod margins;
mod means;
mod neighbours;
mod norm;

pub(crate) use gram::Gram;
pub(super) use margins::Margins;
pub(super) use means::Means;
pub(crate) use neighbours::Neighbours;
pub(super) use norm::Norm;

use super::edits::Edit;
use super::support::SupportSet;
use crate::error::Result;
use crate::float::Real;
use crate::growth::OutputExpansion;
use crate::kernel::AnyKernel;
use crate::persist::Tensors;

/// Something that follows the model: it hears every edit just before and just after it is made.
pub(super) trait DerivedState<T: Real> {
    /// The model is about to change.
    fn before(&mut self, _kernel: AnyKernel, _edit: &Edit<'_, T>, _support: &SupportSet<T>) {}

    /// The model has changed.
    fn after(&mut self, kernel: AnyKernel, edit: &Edit<'_, T>, support: &SupportSet<T>);

    /// Room for `vectors` vectors of lanes.
    fn grow(&mut self, _vectors: usize) {}

    /// The model has got outputs for more classes; nothing to do for what knows no outputs.
    fn add_classes(&mut self, _growth: OutputExpansion) {}

    /// Computes everything anew that follows from the vectors and the kernel.
    fn refresh(&mut self, kernel: AnyKernel, support: &SupportSet<T>);

    /// Writes what cannot be computed anew.
    fn save(&self, _support: &SupportSet<T>, _out: &mut Tensors) {}

    /// Restores it, once the model is there; what is not saved is computed.
    fn load(&mut self, kernel: AnyKernel, from: &Tensors, support: &SupportSet<T>) -> Result<()>;
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

/// The followers that are there, each under its name for those who ask it.
#[derive(Debug, Clone)]
pub(super) struct DerivedStates<T: Real> {
    /// The means of many models, where they are asked for.
    pub(super) means: Option<Means<T>>,
    /// The factor of the Gram matrix.
    pub(super) gram: Option<Gram>,
    /// The nearest neighbours of every slot.
    pub(super) neighbours: Option<Neighbours<T>>,
    /// The scores of every support vector.
    pub(super) margins: Option<Margins<T>>,
    /// `|sum_j alpha_j phi_j|^2`, without the scale.
    pub(super) norm: Option<Norm<T>>,
}

impl<T: Real> DerivedStates<T> {
    pub(super) fn new(support: &SupportSet<T>, keep: Keep) -> Self {
        let outputs = support.outputs();
        Self {
            means: None,
            gram: keep.gram.then(|| Gram::new(support.ops.solver(), support.capacity.unwrap_or(0))),
            neighbours: (keep.neighbours > 0).then(|| Neighbours::new(keep.neighbours)),
            margins: keep.margins.then(|| Margins::new(outputs)),
            norm: keep.norm2.then(|| Norm::new(outputs)),
        }
    }

    /// Whether nobody follows.
    #[inline]
    pub(super) fn are_none(&self) -> bool {
        self.means.is_none()
            && self.gram.is_none()
            && self.neighbours.is_none()
            && self.margins.is_none()
            && self.norm.is_none()
    }

    /// Those but the norm that are there, with the names of their scopes in a model file.
    fn beside_the_norm(&mut self) -> impl Iterator<Item = (&'static str, &mut dyn DerivedState<T>)> {
        let Self { means, gram, neighbours, margins, .. } = self;
        let all = [
            ("means", means.as_mut().map(|follower| follower as &mut dyn DerivedState<T>)),
            ("gram", gram.as_mut().map(|follower| follower as &mut dyn DerivedState<T>)),
            ("neighbours", neighbours.as_mut().map(|follower| follower as &mut dyn DerivedState<T>)),
            ("margins", margins.as_mut().map(|follower| follower as &mut dyn DerivedState<T>)),
        ];
        all.into_iter().filter_map(|(name, follower)| follower.map(|follower| (name, follower)))
    }

    /// Calls a function with each that is there.
    fn each(&mut self, mut call: impl FnMut(&mut dyn DerivedState<T>)) {
        self.beside_the_norm().for_each(|(_, follower)| call(follower));
        if let Some(norm) = &mut self.norm {
            call(norm);
        }
    }

    pub(super) fn before(&mut self, kernel: AnyKernel, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        self.each(|follower| follower.before(kernel, edit, support));
    }

    pub(super) fn after(&mut self, kernel: AnyKernel, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        for (_, follower) in self.beside_the_norm() {
            follower.after(kernel, edit, support);
        }
        let Some(norm) = &mut self.norm else { return };
        if let (Edit::Insert { slot, new }, Some(margins)) = (edit, &self.margins) {
            // The margins have the newcomer's scores of now, itself included: since those were computed that it came
            // with, another vector may have made room for it.
            let k_tt = support.expansion.diags().get(slot.index()).to_f64();
            let f = |output: usize| margins.score(*slot, output).to_f64() - new.row[output].to_f64() * k_tt;
            norm.expect_newcomer(new.row, k_tt, f);
        }
        norm.after(kernel, edit, support);
    }

    pub(super) fn grow(&mut self, vectors: usize) {
        self.each(|follower| follower.grow(vectors));
    }

    pub(super) fn add_classes(&mut self, growth: OutputExpansion) {
        self.each(|follower| follower.add_classes(growth));
    }

    pub(super) fn refresh(&mut self, kernel: AnyKernel, support: &SupportSet<T>) {
        self.each(|follower| follower.refresh(kernel, support));
    }

    /// Writes each into a scope of its own; the norm stands beside the model.
    pub(super) fn save(&self, support: &SupportSet<T>, out: &mut Tensors) {
        let Self { means, gram, margins, norm, .. } = self;
        if let Some(means) = means {
            means.save(support, out.scope_mut("means"));
        }
        if let Some(gram) = gram {
            DerivedState::<T>::save(gram, support, out.scope_mut("gram"));
        }
        if let Some(margins) = margins {
            margins.save(support, out.scope_mut("margins"));
        }
        if let Some(norm) = norm {
            norm.save(support, out);
        }
    }

    pub(super) fn load(&mut self, kernel: AnyKernel, from: &Tensors, support: &SupportSet<T>) -> Result<()> {
        for (name, follower) in self.beside_the_norm() {
            // The neighbours are computed anew and have none.
            let scope = if name == "neighbours" { from } else { from.scope(name)? };
            follower.load(kernel, scope, support)?;
        }
        match &mut self.norm {
            Some(norm) => norm.load(kernel, from, support),
            None => Ok(()),
        }
    }
}
