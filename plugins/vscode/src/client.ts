// The editor's end of the language server.

import { CloseAction, ErrorAction, LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";
import { type LogOutputChannel, window, workspace } from "vscode";
import type { Program } from "./logic/programs";
import { serverOptions } from "./logic/settings";
import { refusal, RESTARTS } from "./logic/rules";

/** The section of the settings, and the client's id. */
export const SECTION = "jitlint";

/** A client that starts a server when it is started itself, and again when the server dies, a few times. */
export function client(program: Program, output: LogOutputChannel): LanguageClient {
  let deaths = 0;
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "python" },
      { scheme: "untitled", language: "python" },
    ],
    initializationOptions: serverOptions(workspace.getConfiguration(SECTION)),
    outputChannel: output,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue }),
      closed: () => {
        deaths += 1;
        return { action: deaths <= RESTARTS ? CloseAction.Restart : CloseAction.DoNotRestart };
      },
    },
    middleware: {
      executeCommand: async (command, given, next) => {
        const refused = refusal(command, workspace.isTrusted);
        if (refused !== undefined) {
          void window.showWarningMessage(refused);
          return undefined;
        }
        return (await next(command, given)) as unknown;
      },
      workspace: {
        configuration: (params) =>
          params.items.map((item) =>
            item.section === SECTION ? serverOptions(workspace.getConfiguration(SECTION)) : null,
          ),
      },
    },
  };
  const { command, args, cwd } = program;
  const env = { ...process.env, ...program.env }; // the client does not add the editor's own
  return new LanguageClient(SECTION, "jitlint", { command, args, options: { cwd, env } }, options);
}
