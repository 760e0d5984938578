// A visit in a browser, from the first one on: it trains while the page is being kept, has the bits of the command line, keeps
// a run and a model, hands a run on in a link, and opens without a connection.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve } from "../../scripts/serve.mjs";
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { trainRun } from "../../src/library/trainRun.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import type { BackendReport } from "../../src/protocol/messages.ts";
import { isTimedMetric, type StepRecord } from "../../src/protocol/records.ts";
import { foreignConfig, foreignTexts } from "../support/foreignModel.ts";
import { ggufFile } from "../support/ggufFile.ts";
import { sharpWeights } from "../support/tokenBatches.ts";
import type { Driver } from "./driver.ts";
import { engineIsUp, openScreen, press, runToEnd, snapshot, until } from "./lab.ts";

const SMALL = { model: "transformer", startFrom: "random", hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 32 } as const;
const TASK = "#/train?task=boxed-arithmetic&algorithm=grpo&steps=1&promptsPerStep=2&groupSize=4&maxCompletionTokens=8&evalEvery=0";

const CASES: readonly { readonly what: string; readonly config: RunConfigInput }[] = [
  { what: "the logits table", config: { task: "digit-sum", model: "tabular", algorithm: "builtin", steps: 10, evalEvery: 5, seed: 5 } },
  {
    what: "a transformer from random weights",
    config: {
      ...{ task: "digit-sum", ...SMALL, algorithm: "grpo", klCoef: 0.02, innerEpochs: 2, learningRate: 3e-3, seed: 5 },
      ...{ backend: "wasm", steps: 10, evalEvery: 5 },
    },
  },
  {
    what: "boxed arithmetic from its checkpoint",
    config: {
      task: "boxed-arithmetic",
      promptsPerStep: 2,
      groupSize: 4,
      evalProblems: 8,
      evalEvery: 2,
      steps: 2,
      seed: 1,
      backend: "wasm",
    },
  },
];

/** A machine without relaxed SIMD. */
const { readAsset } = createNodeHost();
const plainHost = createNodeHost({ readAsset: (path) => (path.includes("relaxed") ? Promise.resolve(new Uint8Array()) : readAsset(path)) });

const timeless = (records: readonly StepRecord[]) =>
  records.map(({ step, metrics }) => ({
    step,
    metrics: Object.fromEntries(Object.entries(metrics).filter(([key]) => !isTimedMetric(key))),
  }));

export interface Visited {
  readonly name: string;
  /** Why it cannot be tried here; null where it can. */
  readonly obstacle: string | null;
  start(): Promise<Driver>;
  /** What its backend must say of itself. */
  computed(driver: Driver): Promise<Partial<BackendReport>>;
  /** Whether this browser keeps files for a page. */
  readonly keepsFiles: boolean;
}

export function visits({ name, obstacle, start, computed, keepsFiles }: Visited): void {
  const title = obstacle === null ? name : `${name} (skipped: ${obstacle})`;
  describe.skipIf(obstacle !== null)(title, () => {
    let driver: Driver;
    let server: Awaited<ReturnType<typeof serve>>;
    beforeAll(async () => {
      [server, driver] = await Promise.all([serve({ port: 4460, host: "localhost" }), start()]);
    });
    afterAll(async () => {
      await driver?.close();
      server?.close();
    });

    it("trains on a first visit while the page is being kept, and opens every screen meanwhile", async () => {
      await driver.goto(server.url);
      await engineIsUp(driver);
      await until(driver, "navigator.serviceWorker.getRegistration()");
      await press(driver, "button", /^Train$/);
      await until(driver, `window.rolloutLab.snapshot().state === "running"`);
      await until(driver, `navigator.serviceWorker.getRegistration().then(({ active }) => active?.state === "activated")`);
      for (const screen of ["Rollouts", "Explain", "Compare", "Learn"]) expect(await openScreen(driver, screen)).toEqual([]);
      expect((await snapshot(driver)).state).toBe("running");
      // The first steps of a first visit are slow, for somebody to see them.
      await driver.evaluate(`localStorage.setItem("rollout-lab-slow-start", "seen")`);
      await driver.reload();
      await engineIsUp(driver);
    });

    it.each(CASES)("has the bits of the command line: $what", async ({ config }) => {
      const { backend, metrics, evaluations, error } = await runToEnd(driver, config);
      expect(error).toBeNull();
      if (config.backend === "wasm") expect(backend).toMatchObject({ id: "wasm", ...(await computed(driver)) });
      const inNode = await trainRun(config, backend?.kernelBuild === "relaxed, fused" ? createNodeHost() : plainHost);
      expect(timeless(metrics)).toEqual(timeless(inNode.steps));
      expect(evaluations).toEqual(inNode.evaluations);
    });

    it("keeps a run over a reload, and hands it on in a link", async () => {
      const { runId, metrics } = await runToEnd(driver, CASES[0]!.config);
      await driver.reload();
      await engineIsUp(driver);
      expect(
        await until(driver, `window.rolloutLab.saves().then((saves) => saves.some((save) => save.runId === ${JSON.stringify(runId)}))`),
      ).toBe(true);
      await driver.evaluate(`await window.rolloutLab.continue(${JSON.stringify(runId)})`);
      expect(timeless((await snapshot(driver)).metrics)).toEqual(timeless(metrics));
      await driver.evaluate(`location.hash = "#/rollouts?step=7"`);
      await press(driver, "button", /^Share this$/);
      await driver.evaluate(`
        const { clipboard } = navigator;
        const write = clipboard.write.bind(clipboard);
        clipboard.write = async ([item]) => {
          await write([item]);
          window.copied = await (await item.getType("text/plain")).text();
        };`);
      await press(driver, "button", /^Copy link to the run$/);
      const link = await until<string>(driver, "window.copied ?? null");
      await driver.goto("about:blank");
      await driver.goto(link);
      await until(driver, `window.rolloutLab?.snapshot().state === "finished"`);
      expect(timeless((await snapshot(driver)).metrics)).toEqual(timeless(metrics));
    });

    it.runIf(keepsFiles)("keeps a GGUF file of this machine and begins with it", async () => {
      const gguf = ggufFile({ config: foreignConfig, weights_N: sharpWeights(foreignConfig, 6) }, foreignTexts, "Q8_0");
      await driver.goto("about:blank");
      await driver.goto(`${server.url}${TASK}`);
      await engineIsUp(driver);
      await driver.evaluate(`document.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true, bubbles: true }))`);
      await press(driver, "[role=menuitem]", /^Choose a model/);
      await until(driver, `document.querySelector("input[type=file][accept='.gguf']") !== null`);
      await driver.evaluate(`
        const transfer = new DataTransfer();
        transfer.items.add(new File([Uint8Array.from(atob("${Buffer.from(gguf).toString("base64")}"), (letter) => letter.charCodeAt(0))], "Own.gguf"));
        const input = document.querySelector("input[type=file][accept='.gguf']");
        input.files = transfer.files;
        input.dispatchEvent(new Event("change", { bubbles: true }));`);
      await press(driver, "button", /^Begin with it$/);
      await driver.evaluate(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }))`);
      await press(driver, "button", /^Train$/);
      // Sharp weights drawn by chance answer nothing right, which the page says before it starts.
      await press(driver, "button", /^Train all the same$/);
      await until(driver, `window.rolloutLab.snapshot().state === "finished"`);
    });

    it("opens and trains without a connection", async () => {
      server.close();
      await driver.goto("about:blank");
      await driver.goto(server.url);
      await engineIsUp(driver);
      expect((await runToEnd(driver, CASES[1]!.config)).metrics).toHaveLength(10);
      for (const screen of ["Rollouts", "Learn"]) expect(await openScreen(driver, screen)).toEqual([]);
    });
  });
}
