// What the status bar says.

import { type Counts, inWords } from "./findings";

/** The state of the server. A reason says, in a sentence for the user, why it does not run. */
export type State = { kind: "starting" } | { kind: "running" } | { kind: "stopped"; reason: string };

/** The item of the status bar. `warns` is whether it is drawn to the user's attention. */
export interface Shown {
  text: string;
  tooltip: string;
  warns: boolean;
}

/**
 * What to show.
 *
 * @param state the server's state
 * @param counts the findings in the active file
 */
export function shown(state: State, counts: Counts): Shown {
  switch (state.kind) {
    case "starting":
      return { text: "$(loading~spin) jitlint", tooltip: "jitlint is starting", warns: false };
    case "stopped":
      return { text: "$(circle-slash) jitlint", tooltip: `jitlint does not run: ${state.reason}`, warns: true };
    case "running": {
      const total = counts.errors + counts.warnings + counts.others;
      const icon = total === 0 ? "$(check)" : "$(warning)";
      return { text: `${icon} jitlint ${total}`, tooltip: `jitlint: ${inWords(counts)} in this file`, warns: false };
    }
  }
}
