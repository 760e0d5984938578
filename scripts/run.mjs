// Runs a TypeScript entry point in plain Node: node scripts/run.mjs src/cli/pretrain.ts [arguments].
// Vite is already here to build the page and transforms the same sources on the fly.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const flags = Number(process.versions.node.split(".")[0]) < 21 ? ["--experimental-wasm-relaxed-simd"] : [];

if (process.env.ROLLOUT_LAB_RUN !== "1") {
  const child = spawnSync(process.execPath, [...flags, ...process.argv.slice(1)], {
    stdio: "inherit",
    env: { ...process.env, ROLLOUT_LAB_RUN: "1" },
  });
  process.exit(child.status ?? 1);
}

const { runnerImport } = await import("vite");
const entry = process.argv[2];
if (!entry) throw new Error("usage: node scripts/run.mjs ENTRY.ts [arguments]");
// The entry sees its own arguments only, as if Node had run it.
process.argv.splice(1, 2, entry);
await runnerImport(entry, { root, configFile: false, logLevel: "error" });
