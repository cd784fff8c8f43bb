// Bundles the extension into one file, and brings the license of the repository to where the packer looks for it.
import { copyFileSync, existsSync } from "node:fs";
import { build } from "esbuild";

const license = new URL("../../LICENSE", import.meta.url);
if (!existsSync(license)) {
  console.error("There is no LICENSE two folders up: package the extension in a checkout of jitlint.");
  process.exit(1);
}
copyFileSync(license, new URL("LICENSE", import.meta.url));
await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  external: ["vscode"], // the editor gives it
  format: "cjs",
  platform: "node",
  target: "node20",
  minify: true,
  logLevel: "warning",
});
