// The commands of the palette.

import { commands, type Disposable, type LogOutputChannel, window, workspace } from "vscode";
import { ExecuteCommandRequest } from "vscode-languageclient/node";
import { refusal, VERIFY } from "./logic/rules";
import type { Server } from "./server";

/** Registers the commands. */
export function register(server: Server, output: LogOutputChannel): Disposable[] {
  return [
    commands.registerCommand("jitlint.verifyHere", () => verifyHere(server)),
    commands.registerCommand("jitlint.fixAll", () => fixAll(server)),
    commands.registerCommand("jitlint.restart", () => server.restart()),
    commands.registerCommand("jitlint.showOutput", () => output.show()),
    commands.registerCommand("jitlint.install", async () => {
      const reason = await server.install();
      if (reason !== undefined) {
        warn(`jitlint cannot be installed: ${reason}`);
      }
    }),
  ];
}

/** Has the server verify the function under the cursor. The server shows progress and the verdicts. */
async function verifyHere(server: Server): Promise<void> {
  const editor = window.activeTextEditor;
  const client = running(server);
  if (client === undefined) {
    return;
  }
  const refused = refusal(VERIFY, workspace.isTrusted);
  if (refused !== undefined || editor?.document.languageId !== "python") {
    warn(refused ?? "jitlint: open a Python file, and put the cursor into a function");
    return;
  }
  const { line, character } = editor.selection.active;
  const textDocument = client.code2ProtocolConverter.asTextDocumentIdentifier(editor.document);
  const place = { textDocument, position: { line, character } };
  await client.sendRequest(ExecuteCommandRequest.type, { command: VERIFY, arguments: [place] });
}

/** Applies the server's action that fixes a whole file; the editor says so if there is nothing to fix. */
async function fixAll(server: Server): Promise<void> {
  if (running(server) !== undefined) {
    await commands.executeCommand("editor.action.sourceAction", { kind: "source.fixAll.jitlint", apply: "first" });
  }
}

function running(server: Server): Server["client"] {
  if (server.client === undefined) {
    const reason = server.state.kind === "stopped" ? server.state.reason : "it is starting; try again in a moment";
    warn(`jitlint does not run: ${reason}`);
  }
  return server.client;
}

function warn(message: string): void {
  void window.showWarningMessage(message);
}
