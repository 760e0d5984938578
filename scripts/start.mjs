// npm start: from a fresh clone to a page in the browser. Installs and builds only what is missing.
// Usage: npm start -- [--port N] [--host NAME] [--no-open] [--tinker URL] [--allow-host NAME]...
import { spawn } from "node:child_process";
import { installWhatIsMissing, requireNode } from "./environment.mjs";

/** @param {string} url */
function openBrowser(url) {
  if (process.env.CI) return;
  const noScreen = process.platform === "linux" && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY;
  if (noScreen) return;
  const openers = { darwin: ["open", url], win32: ["cmd.exe", "/d", "/c", "start", "", url] };
  const [command, ...args] = openers[/** @type {"darwin" | "win32"} */ (process.platform)] ?? ["xdg-open", url];
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  child.on("error", () => console.log("No program here opens web pages; open the address yourself."));
  child.unref();
}

async function main() {
  requireNode();
  const { parseServeOptions, serve } = await import("./serve.mjs");
  const options = parseServeOptions(process.argv.slice(2));
  await installWhatIsMissing();
  const { buildWhatIsMissing } = await import("./build.mjs");
  await buildWhatIsMissing();
  const server = await serve(options);
  console.log(`\n  Rollout Lab is at ${server.url}\n  Ctrl-C stops it.\n`);
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) process.once(signal, () => server.close());
  if (options.open) openBrowser(server.url);
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
