// Where the editor enters: puts the parts together.

import { type ExtensionContext, window, workspace } from "vscode";
import { register } from "./commands";
import { onChosen } from "./pythonExtension";
import { Server } from "./server";
import { statusBar } from "./statusBar";

let server: Server | undefined;

/** Starts the server. The editor calls this when the first Python file is opened. */
export async function activate(context: ExtensionContext): Promise<void> {
  const output = window.createOutputChannel("jitlint", { log: true });
  const started = new Server(context, output);
  server = started;
  const restart = (): void => void started.restart();
  context.subscriptions.push(
    output,
    ...register(started, output),
    ...statusBar(started),
    workspace.onDidGrantWorkspaceTrust(restart),
    workspace.onDidChangeWorkspaceFolders(restart),
    workspace.onDidChangeConfiguration((change) => change.affectsConfiguration("jitlint.interpreter") && restart()),
  );
  restart();
  const chosen = await onChosen(restart, output);
  if (chosen !== undefined) {
    context.subscriptions.push(chosen);
  }
}

/** Ends the server. The editor waits for it. */
export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}
