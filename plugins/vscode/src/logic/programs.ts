// The programs that the extension starts. Python is isolated (-I): it imports nothing from its working folder, nor from
// where variables or the user's own folder of packages point. The working folder is the extension's own.

/** A program to start. */
export interface Program {
  command: string;
  args: string[];
  cwd: string;
  /** Variables that differ from the editor's own. */
  env: Record<string, string>;
}

/** What is installed for the extension. */
export const PACKAGE = "jitlint[lsp]";

// Works on any Python 3, so that an old one can be told from one without jitlint. Imports nothing of what it looks for.
const QUESTION = `
import json, sys
found = {"python": list(sys.version_info[:2])}
if sys.version_info >= (3, 11):
    from importlib.metadata import PackageNotFoundError, version
    from importlib.util import find_spec
    try:
        found["jitlint"] = version("jitlint")
    except PackageNotFoundError:
        found["jitlint"] = None
    found["lsp"] = find_spec("pygls") is not None
    found["pip"] = find_spec("pip") is not None
print(json.dumps(found))
`;

/** The language server. */
export function server(python: string, cwd: string): Program {
  return isolated(python, cwd, ["-m", "jitlint", "lsp"]);
}

/** Asks an environment what it has; `environment.ts` reads the answer. */
export function question(python: string, cwd: string): Program {
  return isolated(python, cwd, ["-c", QUESTION]);
}

/** Installs jitlint. */
export function installation(python: string, cwd: string): Program {
  return isolated(python, cwd, ["-m", "pip", "install", "--no-input", "--disable-pip-version-check", PACKAGE]);
}

function isolated(python: string, cwd: string, args: string[]): Program {
  // The server starts processes of its own, for which -I does not hold: these variables would lead them elsewhere. Python
  // takes empty ones for unset.
  return { command: python, args: ["-I", ...args], cwd, env: { PYTHONPATH: "", PYTHONHOME: "" } };
}
