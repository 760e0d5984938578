// Each living copy, trained here and judged as the page judges it: what it is to show is named of it.
import { describe, expect, it } from "vitest";
import { trainRun } from "../../../src/library/trainRun.ts";
import { diagnoses } from "../../../src/rl/diagnosis/index.ts";
import { judgeRecords, saysTheSame } from "../../../src/rl/logs/judgeLog.ts";
import { livingCopies } from "../../../src/rl/logs/livingCopies.ts";
import { signatures } from "../../../src/rl/logs/signatures/index.ts";
import { catalog } from "../../../src/train/catalog.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { isLong, longOnly } from "../../support/long.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

/** As the page's small runs are made (ui/experiment/small/runSmall.ts). */
const LAB = { evalEvery: 0, evalProblems: 1, evalSamples: 1, threads: 1 } as const;

describe("a living copy", () => {
  it("is there for what can be named", () => {
    const ids = new Set([...diagnoses, ...signatures].map(({ id }) => id));
    for (const id of Object.keys(livingCopies)) expect(ids, id).toContain(id);
  });

  for (const [id, { preset, settings }] of Object.entries(livingCopies)) {
    const base = catalog.presets.find((each) => each.id === preset);
    const isSlow = base?.config.model !== "tabular";
    it.skipIf(isSlow && !isLong)(
      isSlow ? longOnly(`shows what it is for: ${id}`) : `shows what it is for: ${id}`,
      async () => {
        const config = { ...LAB, ...base?.config, ...settings };
        const { steps } = await trainRun(config, createNodeHost());
        const { named } = judgeRecords({ config: planRun({ config }).config, steps, evaluations: [], baselines: [] });
        expect(
          named.some((each) => saysTheSame(each.id, id)),
          named.map((each) => `${each.id}: ${each.evidence}`).join("\n") || "nothing",
        ).toBe(true);
      },
      120_000,
    );
  }
});
