// Serves the built page, opened on the settings of a run where one is named.
import { access } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { CommandError, EXIT } from "../lab/exit.ts";
import { defineVerb } from "../lab/verb.ts";
import { packagePath } from "../package.ts";

interface Server {
  readonly url: string;
  close(): void;
}
type Serve = (options: { readonly port: number; readonly host: string; readonly folder: string }) => Promise<Server>;

/** The part of an address that opens the page on a run's settings. */
async function addressOf(path: string): Promise<string> {
  const { findRecorded, readRecords } = await import("../runs/recordedRun.ts");
  const { planRun } = await import("../../train/run/prepareRun.ts");
  const { changedFields } = await import("../../protocol/configChanges.ts");
  const { config } = await readRecords(await findRecorded(path));
  const { task, algorithm, version } = config;
  const query = new URLSearchParams({ version: String(version), task, algorithm });
  for (const name of changedFields(planRun({ config: { task, algorithm } }).config, config)) {
    const [key = "", entry] = name.split(".");
    const value = (config as Readonly<Record<string, unknown>>)[key];
    const { [entry ?? ""]: inner } = value as Readonly<Record<string, unknown>>;
    if (key === "taskOptions") query.set(`task.${entry}`, String(inner));
    else if (key === "rewardWeights") query.set(`reward.${entry}`, String(inner));
    else if (key === "rewardRules" || key === "rewardGates") query.set(key, JSON.stringify(value));
    else if (key !== "changes") query.set(key, String(value));
  }
  return `#/train?${query}`;
}

export const serve = defineVerb({
  name: "serve",
  help: "Serve the page on this machine, opened on the settings of a run where one is named; Ctrl-C ends it.",
  operands: ["[RUN]"],
  options: {
    port: { kind: "integer", value: "N", min: 1, max: 65_535, help: "Port (4173); a busy one moves to the next." },
    host: { kind: "text", value: "NAME", help: "Name to listen on (localhost)." },
  },
  async run({ operands, options, interrupt }) {
    const folder = packagePath("dist");
    await access(packagePath("dist/index.html")).catch(() => {
      throw new CommandError("the page is not built: run npm run build first", EXIT.missing);
    });
    const address = operands[0] === undefined ? "" : await addressOf(operands[0]);
    // A script of the package, outside the bundle.
    const script: { readonly serve: Serve } = await import(/* @vite-ignore */ pathToFileURL(packagePath("scripts/serve.mjs")).href);
    const server = await script.serve({ port: options.port ?? 4173, host: options.host ?? "localhost", folder });
    const url = `${server.url}${address}`;
    const until = new Promise<void>((resolve) => {
      interrupt.onAsked(() => {
        server.close();
        resolve();
      });
    });
    return { facts: { url }, text: `${url}\nCtrl-C ends it.`, until };
  },
});
