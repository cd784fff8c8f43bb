// The item of the status bar.

import { type Disposable, languages, StatusBarAlignment, ThemeColor, window } from "vscode";
import { count } from "./logic/findings";
import { shown } from "./logic/status";
import type { Server } from "./server";

/** Shows the server's state and the count of findings while a Python file is active. */
export function statusBar(server: Server): Disposable[] {
  const item = window.createStatusBarItem("jitlint", StatusBarAlignment.Right);
  item.name = "jitlint";
  item.command = "jitlint.showOutput";
  const draw = (): void => {
    const document = window.activeTextEditor?.document;
    if (document?.languageId !== "python") {
      item.hide();
      return;
    }
    const { text, tooltip, warns } = shown(server.state, count(languages.getDiagnostics(document.uri)));
    item.text = text;
    item.tooltip = tooltip;
    item.backgroundColor = warns ? new ThemeColor("statusBarItem.warningBackground") : undefined;
    item.show();
  };
  draw();
  return [
    item,
    server.onState(draw),
    window.onDidChangeActiveTextEditor(draw),
    languages.onDidChangeDiagnostics(draw),
  ];
}
