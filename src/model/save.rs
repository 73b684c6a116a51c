//! Parameters and class labels in a model file.

use crate::classes::{Classes, LabelWeights, Labels};
use crate::error::{Error, Result};
use crate::params::{Spec, Value, table};
use crate::persist::{Attribute as Saved, Tensors};

pub(super) fn save_spec(spec: &Spec, out: &mut Tensors) {
    out.set("algorithm", spec.algorithm);
    let scope = out.scope_mut("parameters");
    for parameter in table().filter(|parameter| parameter.is_saved(spec)) {
        let name = parameter.info().name;
        match parameter.get(spec) {
            Value::None => {}
            Value::Bool(x) => scope.set(name, x),
            Value::Int(x) => scope.set(name, x),
            Value::Float(x) => scope.set(name, x),
            Value::Text(x) => scope.set(name, x),
            Value::Floats(x) => scope.set(name, x),
            Value::LabelWeights(x) => save_label_weights(&x, scope.scope_mut(name)),
        }
    }
}

pub(super) fn load_spec(from: &Tensors) -> Result<Spec> {
    let mut spec = Spec::named(from.text("algorithm")?)?;
    let scope = from.scope("parameters")?;
    for parameter in table() {
        if !parameter.is_saved(&spec) {
            continue;
        }
        let name = parameter.info().name;
        if let Ok(weights) = scope.scope(name) {
            parameter.set(&mut spec, &Value::LabelWeights(load_label_weights(weights)?))?;
            continue;
        }
        let value = if scope.contains(name) { Some(scope.value(name)?) } else { None };
        let value = match value {
            None => Value::None,
            Some(Saved::Bool(x)) => Value::Bool(*x),
            Some(Saved::I64(x)) => Value::Int(*x),
            Some(Saved::F64(x)) => Value::Float(*x),
            Some(Saved::Text(x)) => Value::Text(x.clone()),
            Some(Saved::F64s(x)) => Value::Floats(x.clone()),
            Some(_) => return Err(Error::Model(format!("{name} has a type that no parameter has").into())),
        };
        parameter.set(&mut spec, &value)?;
    }
    Ok(spec)
}

fn save_label_weights(weights: &LabelWeights, out: &mut Tensors) {
    match weights.labels() {
        Labels::Bool(labels) => {
            out.set("are_bools", true);
            out.set("labels", labels.clone());
        }
        Labels::Int(labels) => out.set("labels", labels.clone()),
        Labels::Float(labels) => out.set("labels", labels.clone()),
        Labels::Text(labels) => out.set("labels", labels.clone()),
    }
    out.set("weights", weights.weights().to_vec());
}

fn load_label_weights(from: &Tensors) -> Result<LabelWeights> {
    let labels = match from.value("labels")? {
        Saved::I64s(labels) if from.contains("are_bools") => Labels::Bool(labels.clone()),
        Saved::I64s(labels) => Labels::Int(labels.clone()),
        Saved::F64s(labels) => Labels::Float(labels.clone()),
        Saved::Texts(labels) => Labels::Text(labels.clone()),
        _ => return Err(Error::Model("the class weights have labels of a type that no labels have".into())),
    };
    match from.value("weights")? {
        Saved::F64s(weights) => LabelWeights::new(&labels, weights),
        _ => Err(Error::Model("the class weights must be numbers".into())),
    }
}

pub(super) fn save_classes(classes: &Classes, out: &mut Tensors) {
    match classes {
        Classes::Bool => out.set("classes", true),
        Classes::Int(c) => out.set("classes", c.clone()),
        Classes::Float(c) => out.set("classes", c.clone()),
        Classes::Text(c) => out.set("classes", c.clone()),
    }
}

pub(super) fn load_classes(from: &Tensors, open_classes: bool) -> Result<Classes> {
    let classes = match from.value("classes")? {
        Saved::Bool(true) if !open_classes => Classes::Bool,
        Saved::I64s(c) => Classes::Int(c.clone()),
        Saved::F64s(c) => Classes::Float(c.clone()),
        Saved::Texts(c) => Classes::Text(c.clone()),
        _ => return Err(Error::Model("the classes have a type that no labels have".into())),
    };
    let mut ordered = classes.clone();
    if open_classes {
        // Classes of an open set are in the order of their first rows.
        ordered.sort();
    }
    let increasing = match &ordered {
        Classes::Bool => true,
        Classes::Int(c) => c.is_sorted_by(|a, b| a < b),
        Classes::Float(c) => c.iter().all(|c| c.is_finite()) && c.is_sorted_by(|a, b| a < b),
        Classes::Text(c) => c.is_sorted_by(|a, b| a < b),
    };
    if increasing && !(open_classes && classes.is_empty()) {
        Ok(classes)
    } else {
        Err(Error::Model("the classes must be distinct, and sorted unless the set of classes is open".into()))
    }
}
