//! Reading arbitrary bytes returns an error, or the tensors and values of which they are the encoding.

use super::random::{build, contents};
use super::{DIGEST, craft, sign, small};
use crate::persist::{MAX_HEADER, decode, encode};
use crate::testing::fixed_cases;
use proptest::prelude::*;

/// The parts of the header before and after the state.
const BEFORE: &str = r#"{"__metadata__":{"budgetrs":"{\"digest\":\"DIGEST\",\"state\":"#;
const AFTER: &str = r#",\"version\":1}"}"#;

/// A signed file with this state and these tensors, each after a comma.
fn signed(state: &str, tensors: &str, data: &[u8]) -> Vec<u8> {
    craft(&format!("{BEFORE}{}{AFTER}{tensors}}}", state.replace('"', r#"\""#)), data)
}

#[test]
fn every_flipped_bit_is_an_error() {
    let file = encode(&small()).unwrap();
    for at in 0..file.len() * 8 {
        let mut flipped = file.clone();
        flipped[at / 8] ^= 1 << (at % 8);
        assert!(decode(&flipped).is_err(), "bit {at}");
    }
    assert!(decode(&file).is_ok());
}

#[test]
fn every_other_length_is_an_error() {
    let file = encode(&small()).unwrap();
    for length in 0..file.len() {
        assert!(decode(&file[..length]).is_err(), "first {length} bytes");
    }
    for more in 1..20 {
        for byte in [0, b' ', b'}', 255] {
            let longer = [&file[..], &vec![byte; more]].concat();
            assert!(decode(&longer).is_err(), "{more} times {byte} appended");
        }
    }
    assert!(decode(&[&file[..], &file[..]].concat()).is_err());
}

#[test]
fn a_file_written_by_hand_is_read() {
    let tensors = r#","a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#;
    let read = decode(&signed(r#"{"b":["u64","000000000000000a"]}"#, tensors, &[0; 8])).unwrap();
    assert_eq!(read.u64("b").unwrap(), 10);
    assert_eq!(read.get::<f32>("a", &[2]).unwrap(), [0.0; 2]);
    let vast = r#","a":{"dtype":"F32","shape":[0,18446744073709551615],"data_offsets":[0,0]}"#;
    let read = decode(&signed("{}", vast, &[])).unwrap();
    assert_eq!(read.shape("a").unwrap(), [0, usize::MAX]);
    assert_eq!(read.get::<f32>("a", &[0, usize::MAX]).unwrap(), [0.0; 0]);
}

/// A name, a file, and a part of the expected error message.
type Case<'a> = (&'a str, Vec<u8>, &'a str);

fn check_errors(cases: impl IntoIterator<Item = Case<'static>>) {
    for (what, file, expected) in cases {
        let error = decode(&file).map(drop).expect_err(what).to_string();
        assert!(error.starts_with("not a valid model: ") && error.contains(expected), "{what}: {error}");
    }
}

#[test]
fn invalid_headers_are_errors() {
    let version = |version: &str| {
        craft(&format!("{BEFORE}{{}}{}}}", AFTER.replace(":1}", &format!(":{version}}}"))), &[])
    };
    let length = |length: u64, rest: usize| [&length.to_le_bytes()[..], &vec![b' '; rest]].concat();
    let other = |metadata: &str| craft(&format!(r#"{{"__metadata__":{{{metadata}}}}}"#), &[]);
    let mut wrong_digest = encode(&small()).unwrap();
    wrong_digest[DIGEST].fill(b'0');
    let mut not_utf8 = signed("{}", "", &[]);
    not_utf8[20] = 0xff;
    let pickle = b"\x80\x04\x95\x1a\x00\x00\x00\x00\x00\x00\x00cos\nsystem".to_vec();
    check_errors([
        ("nothing", vec![], "ends within its header"),
        ("half a length", vec![0; 7], "ends within its header"),
        ("length alone", length(8, 0), "ends within its header"),
        ("length of all", length(u64::MAX, 64), "at most 4194304"),
        ("length over the cap", length(MAX_HEADER as u64 + 1, MAX_HEADER + 8), "at most 4194304"),
        ("length over the file", length(MAX_HEADER as u64, 64), "ends within its header"),
        ("text", b"width,town\n1,Oslo\n".to_vec(), "another kind of file: it begins as text does"),
        ("a pickle", pickle, "another kind of file: a pickle"),
        ("no header", length(0, 0), "not a safetensors header"),
        ("blank header", length(8, 8), "not a safetensors header"),
        ("not UTF-8", not_utf8, "not UTF-8"),
        ("deep arrays", craft(&"[".repeat(100_000), &[]), "not a safetensors header"),
        ("deep objects", craft(&r#"{"a":"#.repeat(100_000), &[]), "not a safetensors header"),
        ("no metadata", craft("{}", &[]), "not of budgetrs"),
        ("other metadata", other(r#""format":"pt""#), "not of budgetrs"),
        ("metadata not JSON", other(r#""budgetrs":"{""#), "not JSON"),
        ("metadata too deep", other(&format!(r#""budgetrs":"{}""#, "[".repeat(1000))), "not JSON"),
        ("metadata an array", other(r#""budgetrs":"[]""#), "no known format version"),
        ("metadata twice", other(r#""budgetrs":"{}"},"__metadata__":{"#), "duplicate field"),
        ("version 999", version("999"), "a newer version of budgetrs (format 999, this one reads format 1)"),
        ("version 0", version("0"), "no known format version"),
        ("version -1", version("-1"), "no known format version"),
        ("version a text", version(r#"\"1\""#), "no known format version"),
        ("no state", other(r#""budgetrs":"{\"version\":1}""#), "no state"),
        ("no digest", other(r#""budgetrs":"{\"state\":{},\"version\":1}""#), "digest"),
        ("wrong digest", wrong_digest, "digest"),
    ]);
}

#[test]
fn invalid_values_are_errors() {
    let value = |state: &str| signed(state, "", &[]);
    let deep = |n: usize| value(&format!("{}{{}}{}", r#"{"a":"#.repeat(n), "}".repeat(n)));
    assert!(decode(&deep(16)).is_ok());
    check_errors([
        ("state a number", value("5"), "no state"),
        ("null value", value(r#"{"a":null}"#), "value a is not readable"),
        ("unknown value", value(r#"{"a":["u8",1]}"#), "value a is not readable"),
        ("value of another type", value(r#"{"a":["u64",1]}"#), "value a is not readable"),
        ("value too long", value(r#"{"a":["u64","00000000000000001"]}"#), "digest"),
        ("value in capitals", value(r#"{"a":["u64","000000000000000A"]}"#), "digest"),
        ("value with a sign", value(r#"{"a":["u64","+00000000000000a"]}"#), "digest"),
        ("flag of two", value(r#"{"a":["bool",2]}"#), "digest"),
        ("integer too large", value(r#"{"a":["i64",9223372036854775808]}"#), "value a is not readable"),
        ("integer with a point", value(r#"{"a":["i64",1.0]}"#), "value a is not readable"),
        ("texts with a number", value(r#"{"a":["texts",["x",1]]}"#), "value a is not readable"),
        ("name with a dot", value(r#"{"a.b":["bool",1]}"#), "not a valid name"),
        ("name empty", value(r#"{"":["bool",1]}"#), "not a valid name"),
        ("name not ASCII", value(r#"{"é":["bool",1]}"#), "not a valid name"),
        ("value twice", value(r#"{"a":["bool",0],"a":["bool",1]}"#), "digest"),
        ("values unsorted", value(r#"{"b":["bool",1],"a":["bool",1]}"#), "digest"),
        ("blanks in the state", value(r#"{"a": ["bool",1]}"#), "digest"),
        ("an escape too many", value(r#"{"a":["text","\\u0041"]}"#), "digest"),
        ("scopes too deep", deep(17), "deeper than 16"),
    ]);
}

#[test]
fn invalid_tensors_are_errors() {
    let entry = |name: &str, dtype: &str, shape: &str, from: u64, to: u64| {
        format!(r#","{name}":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{from},{to}]}}"#)
    };
    let named = |state: &str, name: &str| signed(state, &entry(name, "U8", "[1]", 0, 1), &[1]);
    let one = |dtype: &str, shape: &str, from: u64, to: u64, bytes: usize| {
        signed("{}", &entry("a", dtype, shape, from, to), &vec![0; bytes])
    };
    let two = |from: u64| {
        signed("{}", &(entry("a", "U8", "[2]", 0, 2) + &entry("b", "U8", "[2]", from, from + 2)), &[0; 4])
    };
    // The last one ends 8 bytes before the end of the address space.
    let size = (1 << 61) - 1;
    let vast: String = (0..8)
        .map(|i| entry(&format!("t{i}"), "U8", &format!("[{size}]"), i * size, (i + 1) * size))
        .collect();
    check_errors([
        ("tensor twice", signed("{}", &entry("a", "U8", "[1]", 0, 1).repeat(2), &[1]), "digest"),
        ("tensor and value", named(r#"{"a":["bool",1]}"#, "a"), "name a is taken"),
        ("tensor in no scope", named("{}", "a.b"), "scope a is missing"),
        ("tensor in a value", named(r#"{"a":["bool",1]}"#, "a.b"), "scope a is missing"),
        ("tensor with no name", named("{}", ""), "not a valid name"),
        ("tensor of dots", named("{}", &".".repeat(100_000)), "scope  is missing"),
        ("overlap", two(1), "offset"),
        ("gap", two(3), "offset"),
        ("same place", two(0), "offset"),
        ("backwards", one("U8", "[1]", 1, 0, 1), "offset"),
        ("past the end", one("U8", "[9]", 0, 9, 8), "must have 9 bytes, got 8"),
        ("unused bytes", one("U8", "[7]", 0, 7, 8), "must have 7 bytes, got 8"),
        ("no tensors but bytes", signed("{}", "", &[0; 8]), "must have 0 bytes, got 8"),
        ("shape too small", one("F32", "[1]", 0, 8, 8), "shape"),
        ("shape overflows", one("F32", "[9223372036854775808,2,2]", 0, 8, 8), "overflow"),
        ("shape past u64", one("F32", "[99999999999999999999]", 0, 8, 8), "safetensors header"),
        ("negative shape", one("F32", "[-1]", 0, 8, 8), "safetensors header"),
        (
            "sizes to the end of memory",
            signed("{}", &vast, &[]),
            "must have 18446744073709551608 bytes, got 0",
        ),
        ("bfloat16", one("BF16", "[1]", 0, 2, 2), "dtype BF16"),
        ("no such dtype", one("F128", "[1]", 0, 16, 16), "safetensors header"),
        ("half a byte", one("F4", "[1]", 0, 1, 1), "safetensors header"),
    ]);
}

#[test]
fn another_layout_with_a_correct_digest_is_an_error() {
    let file = encode(&small()).unwrap();
    let text = String::from_utf8_lossy(&file[8..]).into_owned();
    let header = &text[..=text.rfind('}').unwrap()];
    let data = &file[file.len() - 19..];
    assert_eq!(craft(header, data), file);
    let changes = [
        ("a blank", header.replace(r#""shape":[3]"#, r#""shape": [3]"#)),
        (
            "keys in another order",
            header.replace(r#""dtype":"U8","shape":[3]"#, r#""shape":[3],"dtype":"U8""#),
        ),
        ("an unknown key", header.replace(r#""shape":[3]"#, r#""shape":[3],"more":1"#)),
        ("more metadata", header.replace(r#"1}"},"#, r#"1}","more":"x"},"#)),
        ("an escaped letter", header.replace(r#""bytes""#, r#""byte\u0073""#)),
        ("a longer header", format!("{header}{}", " ".repeat(8))),
    ];
    for (what, changed) in changes {
        let file = craft(&changed, data);
        assert!(decode(&file).unwrap_err().to_string().contains("altered"), "{what}");
    }
}

/// Bytes that are decoded without an error are encoded again unchanged.
fn check(file: &[u8]) {
    if let Ok(tensors) = decode(file) {
        assert_eq!(encode(&tensors).unwrap(), file);
    }
}

proptest! {
    #![proptest_config(fixed_cases(256))]

    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(decode(&bytes).is_err());
        let header = [&(bytes.len() as u64).to_le_bytes()[..], &bytes].concat();
        prop_assert!(decode(&header).is_err());
    }

    #[test]
    fn arbitrary_headers_do_not_panic(header in "[\\[\\]{}\":,a0-9_]{0,60}", state in "[\\[\\]{}\":,a0-9u]{0,60}") {
        check(&craft(&header, &[]));
        check(&signed(&state, "", &[]));
        check(&signed(&format!("{{\"a\":{state}}}"), "", &[]));
    }

    #[test]
    fn damaged_files_do_not_panic(
        contents in contents(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>())),
    ) {
        let original = encode(&build(&contents)).unwrap();
        let mut file = original.clone();
        for (at, byte) in edits {
            let at = at.index(file.len());
            file[at] = byte;
        }
        if let Some((from, to)) = cut {
            let (from, to) = (from.index(file.len()), to.index(file.len()));
            file.drain(from.min(to)..from.max(to));
        }
        prop_assert!(file == original || decode(&file).is_err());
        if file.len() >= DIGEST.end {
            sign(&mut file);
            check(&file);
        }
    }
}
