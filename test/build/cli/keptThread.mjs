// A thread in which the built program answers one command line after another, given through a port. The process that a user starts
// runs the same program in such a thread for one.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";

const { entry, port } = /** @type {{ entry: string, port: import("node:worker_threads").MessagePort }} */ (workerData);
const bin = dirname(entry);
const name = readdirSync(bin).find((each) => /^program-.*\.js$/.test(each));
if (!name) throw new Error(`the program's own file is missing in ${bin}: run npm run build first`);
const { runProgram } = await import(pathToFileURL(join(bin, name)).href);

port.on("message", async (/** @type {readonly string[]} */ words) => {
  process.argv = [process.execPath, entry, ...words];
  await runProgram(words);
  // The program listens there for an interrupt, which is over with it.
  parentPort?.removeAllListeners("message");
});
