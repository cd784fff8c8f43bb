// Asks the Python extension, if it is there, which interpreter the user has chosen.

import { PVSC_EXTENSION_ID, PythonExtension } from "@vscode/python-extension";
import { type Disposable, extensions, type LogOutputChannel, type Uri } from "vscode";

async function api(output: LogOutputChannel): Promise<PythonExtension | undefined> {
  if (extensions.getExtension(PVSC_EXTENSION_ID) === undefined) {
    return undefined;
  }
  try {
    return await PythonExtension.api();
  } catch (error) {
    output.warn(`the Python extension does not answer: ${String(error)}`);
    return undefined;
  }
}

/** The interpreter that is chosen for a folder; undefined if there is no Python extension, or it has none. */
export async function chosenInterpreter(folder: Uri | undefined, output: LogOutputChannel): Promise<string | undefined> {
  const environments = (await api(output))?.environments;
  const chosen = environments?.getActiveEnvironmentPath(folder);
  const environment = chosen && (await environments?.resolveEnvironment(chosen));
  return environment?.executable.uri?.fsPath;
}

/** Calls back when the user chooses another interpreter. */
export async function onChosen(callback: () => void, output: LogOutputChannel): Promise<Disposable | undefined> {
  return (await api(output))?.environments.onDidChangeActiveEnvironmentPath(callback);
}
