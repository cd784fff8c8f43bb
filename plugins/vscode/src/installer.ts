// Installs jitlint into an environment, if the user wants that.

import { type ExtensionContext, type LogOutputChannel, ProgressLocation, window } from "vscode";
import { why } from "./logic/environment";
import { installation, PACKAGE } from "./logic/programs";
import { run } from "./logic/run";

const SECONDS = 600;
const DECLINED = "declined"; // the key under which the editor keeps the environments for which the user has said no

/**
 * Asks whether to install jitlint, once for each environment.
 *
 * @returns whether the user agrees
 */
export async function agreed(context: ExtensionContext, python: string, question: string): Promise<boolean> {
  const declined = context.globalState.get<string[]>(DECLINED, []);
  if (declined.includes(python)) {
    return false;
  }
  const install = "Install";
  if ((await window.showInformationMessage(question, install, "No")) === install) {
    return true;
  }
  await context.globalState.update(DECLINED, [...declined, python]);
  return false;
}

/**
 * Installs jitlint, and says so if it fails.
 *
 * @returns whether it is installed
 */
export async function install(python: string, cwd: string, output: LogOutputChannel): Promise<boolean> {
  const program = installation(python, cwd);
  output.info(`${[program.command, ...program.args].join(" ")}`);
  const title = `Installing ${PACKAGE} into the environment of ${python}`;
  const ended = await window.withProgress(
    { location: ProgressLocation.Notification, title, cancellable: true },
    (_, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      return run(program, { seconds: SECONDS, signal: stop.signal, hear: (text) => output.append(text) });
    },
  );
  if (ended.status === 0) {
    void window.showInformationMessage(`${PACKAGE} is installed into the environment of ${python}.`);
    return true;
  }
  const show = "Show output";
  const message = `${PACKAGE} could not be installed: ${why(ended)}`;
  output.error(message);
  void window.showErrorMessage(message, show).then((answer) => answer === show && output.show());
  return false;
}
