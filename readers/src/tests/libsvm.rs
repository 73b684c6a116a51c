//! LIBSVM text with its rows or its error, worked out by hand.

use super::check;
use crate::{Libsvm, Task, width};

#[test]
fn rows() {
    check(
        Libsvm::default,
        Task::Classification,
        &[
            (b"+1 1:0.5 3:2\n-1 2:1e-1", "1: 0:0.5 2:2 | +1\n2: 1:0.1 | -1"),
            (b"# x\n\nspam\t1:1  2:-2 # y\r\n", "3: 0:1 1:-2 | spam"),
            (b"1 3:3 1:1 2:0\n", "1: 0:1 2:3 | 1"),
            (b"1 1:0 2:1e-60\n0\n", "1: | 1\n2: | 0"),
            (b"1 1:? 2:NA 3:nan", "1: 0:NaN 1:NaN 2:NaN | 1"),
        ],
    );
    check(
        || Libsvm { first: 0, ..Libsvm::default() },
        Task::Regression,
        &[(b"2.5 0:1 4:1\n", "1: 0:1 4:1 | 2.5")],
    );
    check(Libsvm::default, Task::Unlabelled, &[(b"x 1:1\n2:1\n", "1: 0:1\n2: 1:1")]);
}

#[test]
fn errors() {
    check(
        || Libsvm { max_features: 9, ..Libsvm::default() },
        Task::Classification,
        &[
            (b"1 1:1\n1 1:x", "1: 0:1 | 1\n2:5: expected a number, got `x`"),
            (b"1 2:1 1:1 2:3", "1:11: expected each index once in a row, got `2:3`"),
            (b"1 0:1", "1:3: expected an index from 1 on, got `0:1`"),
            (b"1 10:1", "1:3: expected an index of at most 9, got `10:1`"),
            (
                b"1 99999999999999999999:1",
                "1:3: expected an index of at most 9, got `99999999999999999999:1`",
            ),
            (b"1 qid:1", "1:3: expected INDEX:VALUE with an index from 1 on, got `qid:1`"),
            (b"1 x", "1:3: expected INDEX:VALUE with an index from 1 on, got `x`"),
            (b"1:1", "1:1: expected one label before the first INDEX:VALUE, got `1:1`"),
            (b"1,2 1:1", "1:1: expected one label before the first INDEX:VALUE, got `1,2`"),
            (b"nan 1:1", "1:1: expected a label or target, got `nan`"),
            (b"1 1:1e39", "1:3: expected a number within the range of float32, got `1:1e39`"),
            (b"1 1:inf", "1:5: expected a number, got `inf`"),
        ],
    );
    check(Libsvm::default, Task::Regression, &[(b"spam 1:1", "1:1: expected a label or target, got `spam`")]);
}

#[test]
fn the_width_is_the_largest_index() {
    assert_eq!(width(b"1 3:1 2:5\n0 7:1 # 9:9\nqid:3\n", 1), 7);
    assert_eq!((width(b"1 3:1", 0), width(b"", 1), width(b"1 0:1", 1)), (4, 0, 0));
}
