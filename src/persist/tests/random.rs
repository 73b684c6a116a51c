//! Random contents round-trip with equal bits.

use crate::element::Element;
use crate::persist::{Attribute, Tensors, decode, encode};
use crate::testing::fixed_cases;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Random contents by scopes and name. Scopes are capital letters and entries start with a small letter, so names are
/// unique.
pub(super) type Contents = BTreeMap<(Vec<String>, String), Content>;

/// A random entry. Floats of tensors are bits, so that NaN compares; values compare bits themselves.
#[derive(Debug, Clone)]
pub(super) enum Content {
    Value(Attribute),
    Singles(Vec<u32>),
    Doubles(Vec<u64>),
    Bytes(Vec<u8>),
    Words(Vec<u32>),
    Longs(Vec<u64>),
    Integers(Vec<i64>),
}

fn content() -> impl Strategy<Value = Content> {
    fn list<T: Arbitrary>() -> impl Strategy<Value = Vec<T>> {
        prop::collection::vec(any::<T>(), 0..6)
    }
    let value = prop_oneof![
        any::<bool>().prop_map(Attribute::Bool),
        any::<u64>().prop_map(Attribute::U64),
        any::<i64>().prop_map(Attribute::I64),
        any::<u64>().prop_map(|bits| Attribute::F64(f64::from_bits(bits))),
        any::<String>().prop_map(Attribute::Text),
        list().prop_map(Attribute::Texts),
        list().prop_map(Attribute::I64s),
        list::<u64>().prop_map(|bits| Attribute::F64s(bits.into_iter().map(f64::from_bits).collect())),
    ];
    prop_oneof![
        8 => value.prop_map(Content::Value),
        1 => list().prop_map(Content::Singles),
        1 => list().prop_map(Content::Doubles),
        1 => list().prop_map(Content::Bytes),
        1 => list().prop_map(Content::Words),
        1 => list().prop_map(Content::Longs),
        1 => list().prop_map(Content::Integers),
    ]
}

pub(super) fn contents() -> impl Strategy<Value = Contents> {
    let name = (prop::collection::vec("[A-C]", 0..4), "[a-z_][a-zA-Z0-9_]{0,3}");
    prop::collection::btree_map(name, content(), 0..12)
}

pub(super) fn build(contents: &Contents) -> Tensors {
    let mut tensors = Tensors::new();
    for ((scopes, name), content) in contents {
        let scope = scopes.iter().fold(&mut tensors, |scope, part| scope.scope_mut(part));
        match content.clone() {
            Content::Value(x) => scope.set(name, x),
            Content::Singles(x) => scope.put(name, &[1, x.len()], x.into_iter().map(f32::from_bits)),
            Content::Doubles(x) => scope.put(name, &[x.len(), 1], x.into_iter().map(f64::from_bits)),
            Content::Bytes(x) => scope.put(name, &[x.len()], x),
            Content::Words(x) => scope.put(name, &[x.len()], x),
            Content::Longs(x) => scope.put(name, &[x.len()], x),
            Content::Integers(x) => scope.put(name, &[x.len()], x),
        }
    }
    tensors
}

/// The numbers of a tensor, converted to bits.
fn numbers<T: Element, B>(scope: &Tensors, name: &str, shape: &[usize], bits: impl Fn(T) -> B) -> Vec<B> {
    scope.get::<T>(name, shape).unwrap().into_iter().map(bits).collect()
}

fn check(tensors: &Tensors, contents: &Contents) {
    for ((scopes, name), content) in contents {
        let scope = scopes.iter().fold(tensors, |scope, part| scope.scope(part).unwrap());
        match content {
            Content::Value(x) => assert_eq!(scope.value(name).unwrap(), x),
            Content::Singles(x) => assert_eq!(numbers(scope, name, &[1, x.len()], f32::to_bits), *x),
            Content::Doubles(x) => assert_eq!(numbers(scope, name, &[x.len(), 1], f64::to_bits), *x),
            Content::Bytes(x) => assert_eq!(numbers(scope, name, &[x.len()], |x: u8| x), *x),
            Content::Words(x) => assert_eq!(numbers(scope, name, &[x.len()], |x: u32| x), *x),
            Content::Longs(x) => assert_eq!(numbers(scope, name, &[x.len()], |x: u64| x), *x),
            Content::Integers(x) => assert_eq!(numbers(scope, name, &[x.len()], |x: i64| x), *x),
        }
    }
}

proptest! {
    #![proptest_config(fixed_cases(256))]

    #[test]
    fn contents_round_trip(contents in contents()) {
        let tensors = build(&contents);
        check(&tensors, &contents);
        let bytes = encode(&tensors).unwrap();
        let back = decode(&bytes).unwrap();
        check(&back, &contents);
        prop_assert_eq!(encode(&back).unwrap(), bytes);
    }
}
