// Is everything there that training needs? What is missing and needed makes the exit code 2.

import { availableParallelism, totalmem } from "node:os";
import { errorText } from "../../protocol/problems.ts";
import { counted } from "../../protocol/quantities.ts";
import { EXIT, foundAt } from "../lab/exit.ts";
import { columns } from "../lab/texts.ts";
import { defineVerb } from "../lab/verb.ts";
import { packagePath } from "../packageFiles.ts";

interface Check {
  readonly name: string;
  /** Nothing can be trained without it. */
  readonly needed: boolean;
  readonly ok: boolean;
  readonly detail: string;
}

async function fileCheck(name: string, path: string, needed: boolean, missing: string): Promise<Check> {
  const ok = (await foundAt(packagePath(path))) !== null;
  return { name, needed, ok, detail: ok ? packagePath(path) : missing };
}

/** Whether each backend that a run may choose computes right here, on the shape of the shipped checkpoint. */
async function backendChecks(): Promise<readonly Check[]> {
  const { hostOf } = await import("../training/runHost.ts");
  const { backendCandidates, gpuObstacle } = await import("../../train/backend/backendCandidates.ts");
  const { readModelConfig } = await import("../../model/folder/configFile.ts");
  const { checkBackend } = await import("../../model/selfCheck.ts");
  const host = await hostOf({ backend: "auto", model: "transformer" }, {});
  const checks: Check[] = [];
  for (const { id, title, usesGpu, automatic, create } of backendCandidates) {
    if (!automatic) continue;
    const about = { name: title, needed: id === "wasm" };
    try {
      const obstacle = usesGpu ? await gpuObstacle(host) : null;
      if (obstacle !== null) throw new Error(obstacle);
      const config = readModelConfig(new TextDecoder().decode(await host.readAsset("models/base/config.json")));
      const backend = await create({ ...config, valueHead: false }, host, { threads: 0, reproducible: true, frozen: null, onLost() {} });
      const { ok, reason } = await checkBackend(backend);
      const { build, threads } = backend;
      backend.dispose();
      checks.push({
        ...about,
        ok,
        detail: `${build ? `${build} build, ` : ""}${counted(threads, "thread")}: ${reason}`,
      });
    } catch (error) {
      checks.push({ ...about, ok: false, detail: errorText(error) });
    }
  }
  return checks;
}

/** Whether a Python is there that trains with TRL. */
async function trlCheck(): Promise<Check> {
  const { findPython, missingPackages, pythonCommand } = await import("../training/python.ts");
  const about = { name: "TRL", needed: false };
  const python = pythonCommand();
  const found = await findPython(python);
  const where = "needed by train --backend trl alone; ROLLOUT_LAB_PYTHON names a Python that has it";
  if (!found) return { ...about, ok: false, detail: `${python} cannot be run: ${where}` };
  const missing = missingPackages(found);
  if (missing.length > 0)
    return { ...about, ok: false, detail: `${python} (Python ${found.version}) has no ${missing.join(", ")}: ${where}` };
  const versions = Object.entries(found.packages).map(([name, version]) => `${name} ${version}`);
  return { ...about, ok: true, detail: `${python} (Python ${found.version}): ${versions.join(", ")}` };
}

/** A model of a server, with what chooses it where that is not its name. */
const asChosen = (name: string, checkpoint: string): string => (name === checkpoint ? name : `${name} (--model ${checkpoint})`);

/** What is reachable of the server that an option or the environment names; nothing where none is named. */
async function serverCheck(url: string | undefined): Promise<readonly Check[]> {
  const { namedServer } = await import("../remote/httpServer.ts");
  const server = await namedServer(url);
  if (!server) return [];
  const { ServerClient } = await import("../../model/remote/client.ts");
  const { offeredModels } = await import("../../model/remote/serverSession.ts");
  const { hostOf } = await import("../training/runHost.ts");
  const about = { name: "Tinker server", needed: url !== undefined };
  try {
    const client = new ServerClient(server, await hostOf({ backend: "wasm", model: "transformer" }, {}), SERVER_PATIENCE_MS);
    const { checkpointOnServer } = await import("../../protocol/models/servedServer.ts");
    const models = (await offeredModels(client)).map(({ model_name }) => asChosen(model_name, checkpointOnServer(model_name))).join(", ");
    return [{ ...about, ok: true, detail: `${server.name} has ${models || "no model"}` }];
  } catch (error) {
    return [{ ...about, ok: false, detail: errorText(error) }];
  }
}

/** How long a server that is away is waited for. */
const SERVER_PATIENCE_MS = 2_000;

export const doctor = defineVerb({
  name: "doctor",
  help: "Check that everything is there that training needs; exit code 2 where it is not.",
  operands: [],
  options: {
    url: {
      kind: "text",
      value: "URL",
      help: "Looks too whether a server that speaks the Tinker API is reachable there (else TINKER_BASE_URL) and which models it has.",
    },
  },
  async run({ options }) {
    const { pretrainRecipes } = await import("../../train/pretrainRecipes.ts");
    const cores = availableParallelism();
    const checks: readonly Check[] = [
      {
        name: "Node",
        needed: true,
        ok: true,
        detail: `${process.versions.node}, ${counted(cores, "core")}, ${(totalmem() / 2 ** 30).toFixed(1)} GiB`,
      },
      await fileCheck("kernels", "public/kernels/engine-plain.wasm", true, "not built: run npm run build:kernels"),
      await fileCheck("tokenizer", "public/tokenizers/lab/tokenizer.json", true, "missing: install the package again"),
      ...(await Promise.all(
        Object.keys(pretrainRecipes).map((name) =>
          fileCheck(
            `checkpoint ${name}`,
            `public/models/${name}/model.safetensors`,
            name === "base",
            `missing: npm run pretrain -- --name ${name} makes it`,
          ),
        ),
      )),
      ...(await backendChecks()),
      ...(await serverCheck(options.url)),
      await trlCheck(),
      await fileCheck("page", "dist/index.html", false, "not built, needed by serve alone: run npm run build"),
    ];
    const missing = checks.filter(({ needed, ok }) => needed && !ok);
    const rows = checks.map(({ name, needed, ok, detail }) => [`  ${ok ? "ok" : needed ? "MISSING" : "no"}`, name, detail]);
    const end = missing.length === 0 ? "ready to train" : `not ready: ${missing.map(({ name }) => name).join(", ")}`;
    return {
      facts: { ready: missing.length === 0, checks },
      text: `${columns(rows)}\n${end}`,
      exitCode: missing.length === 0 ? EXIT.ok : EXIT.missing,
    };
  },
});
