//! # Pictures of tables
//! The DOT language of Graphviz: one cluster a template, one node a symbol, one edge for the
//! rules between two symbols, labelled with the shared states before and after. A push points
//! to the new top and says what stays under it; a pop points to `ε`.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_model::{Rule, SymbolId, System, Tables, TemplateId, Word};

/// The tables as a graph.
#[must_use]
pub fn dot(tables: &Tables) -> String {
    let mut text = String::from("digraph system {\n  rankdir=LR;\n  node [shape=box];\n");
    for index in 0..tables.template_count() {
        text += &cluster(tables, TemplateId::from(index));
    }
    text + "}\n"
}

/// A node: a symbol, or the empty stack of a template.
type Node = Option<SymbolId>;

fn cluster(tables: &Tables, template: TemplateId) -> String {
    let id = |node: Node| match node {
        Some(symbol) => format!("s{}", symbol.0),
        None => format!("empty{}", template.0),
    };
    let mut nodes: BTreeSet<Node> = BTreeSet::new();
    let mut edges: BTreeMap<(Node, Node, &str), Vec<String>> = BTreeMap::new();
    for rule in tables.rules(template) {
        let target = rule.word.top();
        nodes.extend([rule.top, target]);
        let style = if matches!(rule.word, Word::Push { .. }) { "bold" } else { "solid" };
        edges.entry((rule.top, target, style)).or_default().push(label(tables, rule));
        if let Word::Push { under, .. } = rule.word {
            nodes.insert(Some(under));
        }
        if let Some(started) = rule.spawn {
            nodes.insert(Some(started));
            let starts = edges.entry((rule.top, Some(started), "dotted")).or_default();
            starts.push(format!("{}: starts", tables.describe().show_shared(rule.shared)));
        }
    }
    let first: BTreeSet<Node> = first_tops(tables, template);
    nodes.extend(&first);

    let name = tables.describe().template_name(template);
    let mut text = format!("  subgraph cluster_{} {{\n    label={};\n", template.0, quote(&name));
    for node in nodes {
        let label = node.map_or("ε".to_owned(), |s| tables.describe().show_symbol(s));
        let shape = if node.is_none() { ", shape=circle" } else { "" };
        let start = if first.contains(&node) { ", penwidth=2" } else { "" };
        text += &format!("    {} [label={}{shape}{start}];\n", id(node), quote(&label));
    }
    for ((from, to, style), labels) in edges {
        let style = if style == "solid" { String::new() } else { format!(", style={style}") };
        let label = quote(&labels.join("\n"));
        text += &format!("    {} -> {} [label={label}{style}];\n", id(from), id(to));
    }
    text + "  }\n"
}

fn label(tables: &Tables, rule: &Rule) -> String {
    let shared = format!(
        "{} → {}",
        tables.describe().show_shared(rule.shared),
        tables.describe().show_shared(rule.to_shared)
    );
    match rule.word {
        Word::Push { under, .. } => {
            format!("{shared}, over {}", tables.describe().show_symbol(under))
        }
        _ => shared,
    }
}

fn first_tops(tables: &Tables, template: TemplateId) -> BTreeSet<Node> {
    let initial = tables.initial().unwrap_or_default();
    let threads = initial.iter().flat_map(|state| &state.threads);
    threads.filter(|t| t.template == template).map(|t| t.stack.top()).collect()
}

pub(crate) fn quote(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_cluster_for_each_template() {
        let mut t = Tables::builder();
        let [q, r] = ["q", "r"].map(|name| t.shared(name));
        let w = t.template("w");
        let [a, b] = ["a", "b"].map(|name| t.symbol(w, name));
        t.rule(w, q, Some(a), r, Word::Push { top: b, under: a });
        t.rule(w, q, Some(b), q, Word::Pop);
        t.rule(w, r, Some(b), q, Word::Pop);
        t.thread("w", w, vec![a]);
        t.initial(q);
        expect![[r#"
            digraph system {
              rankdir=LR;
              node [shape=box];
              subgraph cluster_0 {
                label="w";
                empty0 [label="ε", shape=circle];
                s0 [label="a", penwidth=2];
                s1 [label="b"];
                s0 -> s1 [label="q → r, over a", style=bold];
                s1 -> empty0 [label="q → q\nr → q"];
              }
            }
        "#]]
        .assert_eq(&dot(&t.build()));
    }
}
