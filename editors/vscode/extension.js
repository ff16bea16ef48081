// Starts `selvedge lsp` and leaves the rest to it.
const { workspace } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

async function activate() {
  const settings = workspace.getConfiguration("selvedge");
  const c = settings.get("c", false);
  const server = {
    command: settings.get("path", "selvedge"),
    args: ["lsp", "--timeout", settings.get("timeout", "60s"), ...(c ? ["--preprocess"] : [])],
    transport: TransportKind.stdio,
  };
  const options = {
    documentSelector: [{ language: "weave" }, { language: "bp" }, ...(c ? [{ language: "c" }] : [])],
  };
  client = new LanguageClient("selvedge", "Selvedge", server, options);
  await client.start();
}

async function deactivate() {
  await client?.stop();
}

module.exports = { activate, deactivate };
