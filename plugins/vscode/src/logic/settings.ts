// Which of the editor's settings go to the server. It refuses those that it does not know, so only its own are sent.

/** The options that `jitlint lsp` takes. */
export interface ServerOptions {
  inlayHints: boolean;
  semanticTokens: boolean;
  codeLens: boolean;
}

const DEFAULTS: ServerOptions = { inlayHints: true, semanticTokens: true, codeLens: true };

/**
 * The server's options in the editor's section `jitlint`.
 *
 * @param section the section, with whatever else is in it
 * @returns the options; what is missing or of another type has its default
 */
export function serverOptions(section: unknown): ServerOptions {
  const given = typeof section === "object" && section !== null ? (section as Record<string, unknown>) : {};
  const options = { ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS) as (keyof ServerOptions)[]) {
    const value = given[name];
    options[name] = typeof value === "boolean" ? value : DEFAULTS[name];
  }
  return options;
}
