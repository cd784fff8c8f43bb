import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { type Surroundings, choose } from "../src/logic/interpreter";

function fresh(): string {
  return realpathSync(mkdtempSync(path.join(tmpdir(), "jitlint-")));
}

function file(...parts: string[]): string {
  const made = path.join(...parts);
  mkdirSync(path.dirname(made), { recursive: true });
  writeFileSync(made, "");
  return made;
}

function around(changed: Partial<Surroundings>): Surroundings {
  return { setting: "", chosen: undefined, folders: [], searchPath: "", home: "/home/a", trusted: true, windows: false, ...changed };
}

test("the setting decides, else the Python extension, else the workspace, else the path", () => {
  const folder = fresh();
  const tools = fresh();
  const own = file(folder, ".venv", "bin", "python");
  const chosen = file(fresh(), "bin", "python");
  const known = file(tools, "python3");
  const all = { folders: [folder], searchPath: tools };
  assert.deepEqual(choose(around({ ...all, setting: chosen })), { kind: "found", python: chosen, passedOver: [] });
  assert.deepEqual(choose(around({ ...all, chosen })), { kind: "found", python: chosen, passedOver: [] });
  assert.deepEqual(choose(around(all)), { kind: "found", python: own, passedOver: [] });
  assert.deepEqual(choose(around({ searchPath: tools })), { kind: "found", python: known, passedOver: [] });
});

test("a setting may name an environment, and what it does not find is said", () => {
  const folder = fresh();
  const python = file(folder, "env", "bin", "python");
  const found = choose(around({ folders: [folder], setting: "${workspaceFolder}/env" }));
  assert.deepEqual(found, { kind: "found", python, passedOver: [] });
  const missing = choose(around({ folders: [folder], setting: "none" }));
  assert.ok(missing.kind === "none" && missing.reason.includes("correct the setting"));
});

test("nothing of a workspace is started before it is trusted, not through a link either", () => {
  const folder = fresh();
  const tools = fresh();
  const own = file(folder, ".venv", "bin", "python");
  const known = file(tools, "python3");
  const untrusted = { folders: [folder], trusted: false };
  assert.deepEqual(choose(around({ ...untrusted, searchPath: tools })), { kind: "found", python: known, passedOver: [own] });
  const link = path.join(fresh(), "link");
  symlinkSync(path.dirname(own), link);
  for (const setting of [own, path.join(link, "python")]) {
    const refused = choose(around({ ...untrusted, setting }));
    assert.ok(refused.kind === "none" && refused.reason.includes("trust the workspace"));
  }
});

test("relative entries of the path do not count", () => {
  assert.equal(choose(around({ searchPath: `bin${path.delimiter}.` })).kind, "none");
});
