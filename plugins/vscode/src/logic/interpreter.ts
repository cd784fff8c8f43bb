// Finds the Python that runs jitlint.

import * as path from "node:path";
import { isFile, isFolder, liesIn } from "./places";

/** What the choice rests on. */
export interface Surroundings {
  /** The setting `jitlint.interpreter`; empty if it is not set. */
  setting: string;
  /** What the Python extension has chosen, if it is there. */
  chosen: string | undefined;
  /** The workspace folders. The first one's environments are looked at. */
  folders: readonly string[];
  /** The folders of the variable `PATH`, in one text. */
  searchPath: string;
  /** The user's home folder. */
  home: string;
  /** Whether the user trusts the workspace. */
  trusted: boolean;
  windows: boolean;
}

/** The choice. `passedOver` are interpreters that come first but lie in a workspace that is not trusted. */
export type Choice =
  | { kind: "found"; python: string; passedOver: string[] }
  | { kind: "none"; reason: string };

/** Chooses an interpreter: by the setting, else the first that is there. */
export function choose(around: Surroundings): Choice {
  if (around.setting.trim() !== "") {
    return bySetting(around);
  }
  const found = candidates(around).filter(isFile);
  const allowed = (python: string): boolean => around.trusted || !liesIn(python, around.folders);
  const first = found.findIndex(allowed);
  const python = found[first];
  if (python !== undefined) {
    return { kind: "found", python, passedOver: found.slice(0, first) };
  }
  const refused = found[0];
  return {
    kind: "none",
    reason:
      refused === undefined
        ? "there is no Python; install one, or name one in the setting jitlint.interpreter"
        : untrusted(refused),
  };
}

function bySetting(around: Surroundings): Choice {
  const named = expanded(around.setting.trim(), around);
  const python = isFolder(named) ? inEnvironment(named, around.windows).find(isFile) : named;
  if (python === undefined) {
    return { kind: "none", reason: `the folder ${named}, which jitlint.interpreter names, has no Python` };
  }
  if (!isFile(python)) {
    return { kind: "none", reason: `there is no file ${python}, which jitlint.interpreter names; correct the setting` };
  }
  if (!around.trusted && liesIn(python, around.folders)) {
    return { kind: "none", reason: untrusted(python) };
  }
  return { kind: "found", python, passedOver: [] };
}

function untrusted(python: string): string {
  return `${python} lies in a workspace that is not trusted; trust the workspace to start it`;
}

function candidates(around: Surroundings): string[] {
  const found = around.chosen === undefined ? [] : [around.chosen];
  const folder = around.folders[0];
  if (folder !== undefined) {
    for (const name of [".venv", "venv"]) {
      found.push(...inEnvironment(path.join(folder, name), around.windows));
    }
  }
  // Of relative entries, what they name depends on the working folder: they may name the workspace.
  const folders = around.searchPath.split(path.delimiter).filter((each) => path.isAbsolute(each));
  for (const name of around.windows ? ["python3.exe", "python.exe"] : ["python3", "python"]) {
    found.push(...folders.map((each) => path.join(each, name)));
  }
  return found;
}

function inEnvironment(folder: string, windows: boolean): string[] {
  return windows
    ? [path.join(folder, "Scripts", "python.exe"), path.join(folder, "python.exe")]
    : [path.join(folder, "bin", "python"), path.join(folder, "bin", "python3")];
}

function expanded(setting: string, around: Surroundings): string {
  const folder = around.folders[0] ?? around.home;
  const named = setting.replaceAll("${workspaceFolder}", () => folder).replace(/^~(?=$|[/\\])/, () => around.home);
  return path.resolve(folder, named);
}
