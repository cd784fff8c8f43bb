import assert from "node:assert/strict";
import { test } from "node:test";
import { judge, why } from "../src/logic/environment";
import { count, inWords } from "../src/logic/findings";
import { serverOptions } from "../src/logic/settings";
import { shown } from "../src/logic/status";

function answered(output: string): { status: number; output: string; errors: string } {
  return { status: 0, output, errors: "" };
}

test("an environment is ready, lacks jitlint, or cannot be used", () => {
  const ready = judge("py", answered('noise\n{"python": [3, 12], "jitlint": "1.2", "lsp": true, "pip": true}\n'));
  assert.deepEqual(ready, { kind: "ready", version: "1.2" });
  const lacking = judge("py", answered('{"python": [3, 12], "jitlint": null, "lsp": false, "pip": true}'));
  assert.ok(lacking.kind === "lacking" && lacking.question.includes("jitlint[lsp]"));
  const extra = judge("py", answered('{"python": [3, 12], "jitlint": "1.2", "lsp": false, "pip": true}'));
  assert.ok(extra.kind === "lacking" && extra.question.includes("extra `lsp`"));
  const bare = judge("py", answered('{"python": [3, 12], "jitlint": null, "lsp": false, "pip": false}'));
  assert.ok(bare.kind === "unusable" && bare.reason.includes("pip"));
  const old = judge("py", answered('{"python": [3, 9]}'));
  assert.ok(old.kind === "unusable" && old.reason.includes("3.11"));
  for (const output of ["", "{}", "[1", "null"]) {
    assert.equal(judge("py", answered(output)).kind, "unusable");
  }
});

test("a failure is told in a line", () => {
  assert.equal(why({ status: 1, output: "", errors: "a\nb\n" }), "exit status 1: b");
  assert.equal(why({ status: null, output: "", errors: "", failure: "no such file" }), "no such file");
});

test("only jitlint's findings count", () => {
  const found = count([
    { source: "jitlint", code: "JIT101", severity: 0 },
    { source: "jitlint", code: "JIT401", severity: 1 },
    { source: "jitlint", severity: 2 },
    { source: "pylint", code: "E1", severity: 0 },
  ]);
  assert.deepEqual(found, { errors: 1, warnings: 1, others: 0 });
  assert.equal(inWords(found), "1 error, 1 warning");
  assert.equal(inWords(count([])), "no findings");
});

test("the server gets its own options only", () => {
  const all = { inlayHints: true, semanticTokens: true, codeLens: true };
  assert.deepEqual(serverOptions(undefined), all);
  assert.deepEqual(serverOptions({ interpreter: "x", codeLens: false, inlayHints: "no" }), { ...all, codeLens: false });
});

test("the status bar says how the server does", () => {
  const none = count([]);
  assert.ok(shown({ kind: "running" }, none).text.includes("check"));
  const stopped = shown({ kind: "stopped", reason: "there is no Python" }, none);
  assert.ok(stopped.warns && stopped.tooltip.includes("there is no Python"));
});
