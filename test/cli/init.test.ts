// What init writes and advises: a start that learns, in commands that work as they are pasted.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRunFolder } from "../../src/cli/folder/runFolder.ts";
import { operandWord, shellWord } from "../../src/cli/lab/texts.ts";
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { planFile, readConfigFile } from "../../src/cli/training/configFile.ts";
import { trainInFolder } from "../../src/cli/training/trainInFolder.ts";
import { init } from "../../src/cli/verbs/init.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "init-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const progress = { tell() {}, doing() {}, at() {}, end() {} };
const interrupt = { onAsked() {}, isAsked: false };
const write = async (what: string, out: string, tools = false) =>
  init.run({ operands: [what], options: { out: join(folder, out), tools }, progress, interrupt });

describe("the configuration to begin with", () => {
  it.each([
    ["as init writes it", async () => (await write("config", `begin.yaml`)).text.split("\n")[0]!],
    ["of configs/", async () => "configs/digit-sum.yaml"],
  ])("%s ends solved on three seeds", async (_, pathOf) => {
    const { input } = await readConfigFile(await pathOf());
    for (const seed of [1, 2, 3]) {
      const at = await createRunFolder(join(await mkdtemp(join(folder, "run-")), "run"), { name: "run" });
      const from = { config: { ...input, seed }, parent: null };
      const { summary } = await trainInFolder({ folder: at, from, host: createNodeHost(), trajectories: 0, progress, interrupt });
      expect([seed, summary.verdict]).toEqual([seed, "solved"]);
    }
  });
});

describe("a task with tools", () => {
  it("comes with two configurations, worked conversations first and then rewards, named by the commands that train them", async () => {
    const { facts, text } = await write("task", "my own/halves.mjs", true);
    const paths = ["halves.mjs", "halves-worked.yaml", "halves.yaml"].map((name) => join(folder, "my own", name));
    expect(facts).toEqual({ files: paths.map((path) => ({ path })) });
    const [, worked = "", rewarded = ""] = paths;
    const commands = [`rollout-lab train '${worked}' --out runs/worked`, `rollout-lab train '${rewarded}' --from runs/worked`];
    expect(text.split("\n").at(-1)).toBe(`next: ${commands.join(", then ")}`);
    for (const command of commands) expect(await readFile(paths[0]!, "utf8")).toContain(`//   ${command}\n`);
    expect(planFile(await readConfigFile(worked)).config).toMatchObject({ kind: "supervised", taskOptions: { announceTools: false } });
    expect(planFile(await readConfigFile(rewarded)).config).toMatchObject({ kind: "reinforcement", learningRate: 0.0003 });
    await expect(write("task", "my own/halves.mjs", true)).rejects.toThrow("is there already: choose another name with --out");
  });
});

describe("a word of a command that is advised", () => {
  it("is read whole by a shell, and by the verb as no option", () => {
    expect(["runs/a-1", "my runs/ä", "it's", "a\nb", "$(x)"].map(shellWord)).toEqual([
      ...["runs/a-1", "'my runs/ä'", "'it'\\''s'", "$'a\\nb'", "'$(x)'"],
    ]);
    expect([operandWord("--x"), operandWord("-a b"), operandWord("runs/x")]).toEqual(["./--x", "'./-a b'", "runs/x"]);
  });
});
