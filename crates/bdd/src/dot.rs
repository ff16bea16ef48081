//! Pictures of small diagrams, for those who look for a mistake.

use std::fmt::Write;

use rustc_hash::FxHashSet;

use crate::{Bdd, Limit, Manager, Var};

impl<L: Limit> Manager<L> {
    /// A graph for Graphviz. Low edges are dashed; an edge with a dot negates what it leads to.
    pub fn dot(&self, f: Bdd, name: &dyn Fn(Var) -> String) -> String {
        let mut text = String::from("digraph {\n  f [shape=plaintext]\n  0 [shape=box]\n");
        let edge = |from: &str, to: Bdd, style: &str| {
            let head = if to.mark() == 1 { "odot" } else { "none" };
            format!("  {from} -> {} [style={style}, arrowhead={head}]\n", to.index())
        };
        text += &edge("f", f, "solid");
        let mut seen = FxHashSet::default();
        let mut work = vec![f];
        while let Some(f) = work.pop() {
            if f.is_constant() || !seen.insert(f.index()) {
                continue;
            }
            let node = self.table.node(f);
            let from = f.index().to_string();
            let _ = writeln!(text, "  {from} [label={:?}]", name(node.var));
            text += &edge(&from, node.low, "dashed");
            text += &edge(&from, node.high, "solid");
            work.extend([node.high, node.low]);
        }
        text + "}\n"
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::{Manager, NoLimit};

    #[test]
    fn parity_has_a_node_for_each_variable() {
        let mut bdds = Manager::new(NoLimit);
        let Ok(x) = bdds.var(0);
        let Ok(y) = bdds.var(1);
        let Ok(same) = bdds.iff(x, y);
        expect![[r#"
            digraph {
              f [shape=plaintext]
              0 [shape=box]
              f -> 3 [style=solid, arrowhead=odot]
              3 [label="x0"]
              3 -> 2 [style=dashed, arrowhead=none]
              3 -> 2 [style=solid, arrowhead=odot]
              2 [label="x1"]
              2 -> 0 [style=dashed, arrowhead=none]
              2 -> 0 [style=solid, arrowhead=odot]
            }
        "#]]
        .assert_eq(&bdds.dot(same, &|v| format!("x{v}")));
    }
}
