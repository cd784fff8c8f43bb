// What the extension allows, whatever the server offers.

/** The server's command that verifies. */
export const VERIFY = "jitlint.verify";

/** How often a server that dies is started again. The command that restarts it counts anew. */
export const RESTARTS = 3;

/**
 * Why a command of the server may not run; undefined if it may.
 *
 * @param command its name
 * @param trusted whether the user trusts the workspace
 */
export function refusal(command: string, trusted: boolean): string | undefined {
  if (command !== VERIFY || trusted) {
    return undefined;
  }
  return "jitlint: verifying runs the code of the workspace; trust the workspace first";
}
