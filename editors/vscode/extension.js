// The extension starts `remora lsp` and speaks with it; everything else is done by the server.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["remora", "futhark", "remora-core", "apl"];

let client;

async function start() {
  const settings = vscode.workspace.getConfiguration("remora");
  // In a folder that is not trusted these are the user's own settings: package.json restricts them.
  const server = { command: settings.get("path", "remora"), args: settings.get("arguments", ["lsp"]) };
  client = new LanguageClient("remora", "remora", server, {
    documentSelector: LANGUAGES.flatMap((language) => ["file", "untitled", "remora-library"].map((scheme) => ({ language, scheme }))),
    initializationOptions: { inlayHints: settings.get("inlayHints") },
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{rem,fut,remc,apl}") },
  });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`remora lsp does not start (the setting remora.path says \`${server.command}\`): ${error.message}`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running && running.needsStop()) await running.stop();
}

// Files of the library that are not on disk.
const library = {
  provideTextDocumentContent: async (uri) => (client ? client.sendRequest("remora/libraryText", { uri: uri.toString() }) : ""),
};

exports.activate = async (context) => {
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider("remora-library", library),
    vscode.commands.registerCommand("remora.restart", async () => {
      await stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("remora.path") || event.affectsConfiguration("remora.arguments")) {
        await stop();
        await start();
      } else if (client && event.affectsConfiguration("remora")) {
        client.sendNotification("workspace/didChangeConfiguration", { settings: null });
      }
    }),
  );
  await start();
};

exports.deactivate = stop;
