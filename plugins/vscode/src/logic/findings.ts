// Counts what jitlint says about a file.

/** What of a diagnostic counts; the editor's own diagnostics have it. */
export interface Diagnostic {
  source?: string | undefined;
  code?: unknown;
  severity: number;
}

/** How many findings there are of each kind. */
export interface Counts {
  errors: number;
  warnings: number;
  others: number;
}

// The editor's numbers of severities.
const ERROR = 0;
const WARNING = 1;

/** Counts jitlint's findings. Values that a file asks to reveal have no code and are none. */
export function count(diagnostics: readonly Diagnostic[]): Counts {
  const found = diagnostics.filter((each) => each.source === "jitlint" && each.code !== undefined && each.code !== "");
  const errors = found.filter((each) => each.severity === ERROR).length;
  const warnings = found.filter((each) => each.severity === WARNING).length;
  return { errors, warnings, others: found.length - errors - warnings };
}

/** The counts in words, such as `1 error, 2 warnings`. */
export function inWords(counts: Counts): string {
  const parts = [words(counts.errors, "error"), words(counts.warnings, "warning"), words(counts.others, "hint")];
  return parts.filter((part) => part !== "").join(", ") || "no findings";
}

function words(number: number, noun: string): string {
  return number === 0 ? "" : `${number} ${noun}${number === 1 ? "" : "s"}`;
}
