// Runs programs to their end.

import { spawn } from "node:child_process";
import type { Program } from "./programs";

/** How a program ended. */
export interface Ended {
  /** The exit status; null if it did not start or was stopped. */
  status: number | null;
  output: string;
  errors: string;
  /** Why it did not start, or was stopped. */
  failure?: string;
}

/** How a program is run. */
export interface Manner {
  /** After this time it is stopped. */
  seconds: number;
  /** Stops it. */
  signal?: AbortSignal;
  /** Gets what it says, as it says it. */
  hear?: (text: string) => void;
}

/** Runs a program, without input. Never fails: the result says what went wrong. */
export function run(program: Program, manner: Manner): Promise<Ended> {
  const timeout = AbortSignal.timeout(manner.seconds * 1000);
  const signal = manner.signal === undefined ? timeout : AbortSignal.any([timeout, manner.signal]);
  return new Promise((resolve) => {
    const ended: Ended = { status: null, output: "", errors: "" };
    const child = spawn(program.command, program.args, {
      cwd: program.cwd,
      env: { ...process.env, ...program.env },
      signal,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      ended.output += text;
      manner.hear?.(text);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      ended.errors += text;
      manner.hear?.(text);
    });
    child.on("error", (error) => {
      const stopped = manner.signal?.aborted ? "cancelled" : `no end after ${manner.seconds} seconds`;
      ended.failure = signal.aborted ? stopped : error.message;
      resolve(ended);
    });
    child.on("close", (status) => resolve({ ...ended, status }));
  });
}
