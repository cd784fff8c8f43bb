// What an environment has, and what follows from it.

import { PACKAGE } from "./programs";
import type { Ended } from "./run";

/** What follows: start the server, offer to install jitlint, or say why neither is possible. */
export type Verdict =
  | { kind: "ready"; version: string }
  | { kind: "lacking"; question: string }
  | { kind: "unusable"; reason: string };

interface Answer {
  python: [number, number];
  jitlint?: string | null;
  lsp?: boolean;
  pip?: boolean;
}

/**
 * Reads what an interpreter answered to `programs.question`.
 *
 * @param python the interpreter
 * @param ended what it said
 */
export function judge(python: string, ended: Ended): Verdict {
  const answer = ended.status === 0 ? read(ended.output) : undefined;
  if (answer === undefined) {
    return { kind: "unusable", reason: `${python} does not run as a Python should (${why(ended)})` };
  }
  const [major, minor] = answer.python;
  if (answer.lsp === undefined) {
    const reason = `${python} is Python ${major}.${minor}, and jitlint needs 3.11 or later; choose another in jitlint.interpreter`;
    return { kind: "unusable", reason };
  }
  if (answer.jitlint && answer.lsp) {
    return { kind: "ready", version: answer.jitlint };
  }
  const lacks = answer.jitlint ? "the extra `lsp` of jitlint" : "jitlint";
  if (!answer.pip) {
    const reason = `${python} has neither ${lacks} nor pip; install ${PACKAGE} with the tool that made this environment`;
    return { kind: "unusable", reason };
  }
  return { kind: "lacking", question: `${python} does not have ${lacks}. Install ${PACKAGE} into this environment?` };
}

/** Why a program failed, in a line. */
export function why(ended: Ended): string {
  const last = ended.errors.trim().split(/\r?\n/).at(-1) ?? "";
  const status = ended.status === null ? "it was stopped" : `exit status ${ended.status}`;
  return ended.failure ?? (last === "" ? status : `${status}: ${last}`);
}

function read(text: string): Answer | undefined {
  // Modules that an environment loads at its start may print before the answer.
  const line = text.trim().split(/\r?\n/).at(-1) ?? "";
  try {
    const answer: unknown = JSON.parse(line);
    return isAnswer(answer) ? answer : undefined;
  } catch {
    return undefined;
  }
}

function isAnswer(given: unknown): given is Answer {
  const version = (given as Partial<Answer> | null)?.python;
  return Array.isArray(version) && version.length === 2;
}
