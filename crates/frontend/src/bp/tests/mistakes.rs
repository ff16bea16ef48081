//! What is said about mistakes.

use expect_test::expect;

use super::check_mistakes;

#[test]
fn missing_semicolon() {
    check_mistakes("void main() begin\n  skip\n  goto l;\n  l: skip\nend\n", expect![[]]);
}
