// SkyRL's Tinker server on JAX's CPU backend, with a checkpoint of the lab in float32, from its start to its end.
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, closeSync, copyFileSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readModelFolder, writeModelFolder } from "../../../src/model/folder/checkpoint.ts";
import { projectRoot } from "../../environment.mjs";
import type { Interop } from "../check.ts";

const LAUNCHER = join(projectRoot, "scripts", "interop", "python", "skyrl_uv.py");
/** Packages are read, which takes minutes on a busy machine. */
const START_MS = 600_000;
/** What the engine says once it takes requests; the server itself answers long before. */
const IS_READY = "Starting background engine";
/** What JAX has compiled once is read from here, by a server that is started again too. */
const COMPILED = join(projectRoot, ".cache", "interop", "jax");
const TOKENIZER = ["tokenizer.json", "tokenizer_config.json"];

/** Writes a checkpoint of the lab as a Hugging Face folder in float32: JAX's products on CPUs take no halves. */
export async function writeWide(checkpoint: string, folder: string): Promise<string> {
  const from = join(projectRoot, "public", "models", checkpoint);
  const { config, weights_N } = await readModelFolder(async (name) => new Uint8Array(readFileSync(join(from, name))));
  mkdirSync(folder, { recursive: true });
  for (const { name, bytes } of writeModelFolder(config, weights_N, { dtype: "F32", ids: { bos: null, eos: 2, pad: 0 } }))
    writeFileSync(join(folder, name), bytes);
  for (const name of TOKENIZER) copyFileSync(join(from, name), join(folder, name));
  return folder;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

/** A server that runs; its engine is a child of its process. */
export interface Skyrl {
  readonly url: string;
  /** Where it keeps weights, a folder for each model. */
  readonly weights: string;
  /** Ends it, engine included, at once. */
  stop(): Promise<void>;
  /** Starts it anew at the same address; models are gone, what was saved is not. */
  restart(): Promise<void>;
}

/** Starts a server in `folder` and waits until it answers. Throws the last lines of its log where it does not. */
export async function startSkyrl(interpreter: string, model: string, folder: string): Promise<Skyrl> {
  mkdirSync(join(folder, "weights"), { recursive: true });
  const uv = join(folder, "uv");
  writeFileSync(uv, `#!/bin/sh\nexec "${interpreter}" "${LAUNCHER}" "$@"\n`);
  chmodSync(uv, 0o755);
  const [port, weights, log] = [await freePort(), join(folder, "weights"), join(folder, "skyrl.log")];
  const url = `http://127.0.0.1:${port}`;
  const options = [
    ...["--base-model", model, "--backend", "jax", "--host", "127.0.0.1", "--port", String(port), "--checkpoints-base", weights],
    ...["--database-url", `sqlite:///${join(folder, "skyrl.db")}`],
    ...["--backend-config", JSON.stringify({ max_lora_adapters: 8, max_lora_rank: 16 })],
  ];
  let running: ChildProcess | null = null;
  const stop = async () => {
    const ending = running;
    running = null;
    if (!ending?.pid || ending.exitCode !== null) return;
    const ended = new Promise((resolve) => ending.once("exit", resolve));
    // A group of its own: the server and the engine that it started.
    process.kill(-ending.pid, "SIGKILL");
    await ended;
  };
  const start = async () => {
    const output = openSync(log, "a");
    const said = statSync(log).size;
    const jax = { JAX_PLATFORMS: "cpu", JAX_COMPILATION_CACHE_DIR: COMPILED, JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS: "0" };
    const env = { ...process.env, ...jax, HF_HUB_OFFLINE: "1", PATH: `${folder}${delimiter}${process.env.PATH ?? ""}` };
    const child = spawn(uv, ["run", "-m", "skyrl.tinker.api", ...options], { detached: true, stdio: ["ignore", output, output], env });
    closeSync(output);
    running = child;
    for (const begun = performance.now(); performance.now() - begun < START_MS; await sleep(500)) {
      if (child.exitCode !== null) break;
      const isReady = readFileSync(log).subarray(said).includes(IS_READY);
      if (
        isReady &&
        (await fetch(`${url}/api/v1/healthz`).then(
          ({ ok }) => ok,
          () => false,
        ))
      )
        return;
    }
    await stop();
    throw new Error(`SkyRL's server did not start: ${readFileSync(log, "utf8").trim().split("\n").slice(-8).join("\n")}`);
  };
  process.once("exit", () => running?.pid && process.kill(-running.pid, "SIGKILL"));
  await start();
  return {
    url,
    weights,
    stop,
    restart: async () => {
      await stop();
      await start();
    },
  };
}

/** What somebody sees of a server with the lab's checkpoint of arithmetic, which ends with the look. */
export async function withSkyrl(
  { folder, interpreter }: Interop,
  look: (skyrl: Skyrl, checkpoint: string) => Promise<string>,
): Promise<string> {
  const checkpoint = await writeWide("base", join(folder, "base"));
  const skyrl = await startSkyrl(interpreter, checkpoint, join(folder, "server"));
  try {
    return await look(skyrl, checkpoint);
  } finally {
    await skyrl.stop();
  }
}
