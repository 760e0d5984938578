// What a task needs of a model is asked before a run is built: tools, and room for its conversations.
import { describe, expect, it } from "vitest";
import { ggufFolder } from "../../../src/model/folder/ggufFolder.ts";
import { fileOf } from "../../../src/model/folder/modelFolder.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { estimateRun } from "../../../src/train/memory/memoryCheck.ts";
import { problemSizes } from "../../../src/train/memory/workloadOf.ts";
import { openPlan } from "../../../src/train/start/openedPlan.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { foreignConfig, foreignTexts } from "../../support/foreignModel.ts";
import { ggufFile } from "../../support/ggufFile.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { sharpWeights } from "../../support/tokenBatches.ts";

/** A host whose models are all this one, with so many positions. */
function hostWith(maxPositions: number) {
  const config = { ...foreignConfig, maxPositions };
  const file = ggufFile({ config, weights_N: sharpWeights(config, 3) }, foreignTexts);
  return createNodeHost({ openModel: async () => ggufFolder(fileOf(file)) });
}

const estimated = (config: RunConfigInput, maxPositions: number) =>
  estimateRun(planRun({ config: { startFrom: "checkpoint", checkpoint: "lab/tiny", loraRank: 2, ...config } }), hostWith(maxPositions));

describe("a task that is put to a model from elsewhere", () => {
  it("is refused in a sentence where it offers tools and the model's template writes none", async () => {
    const sentence =
      "checkpoint must be a model that can be offered tools for the task calculator, got lab/tiny: its chat template writes no tools";
    await expect(estimated({ task: "calculator" }, 512)).rejects.toThrow(sentence);
    await expect(estimated({ task: "search" }, 512)).rejects.toThrow("for the task search, got lab/tiny");
  });

  it("is refused where its conversations have no room in the model's context, and taken where they have", async () => {
    const config = { task: "boxed-arithmetic", maxCompletionTokens: 8 };
    const plan = planRun({ config: { ...config, startFrom: "checkpoint", checkpoint: "lab/tiny", loraRank: 2 } });
    const { instance, renderer } = await openPlan(plan, hostWith(512));
    const needed = problemSizes(instance, renderer, plan.config).shortest;
    await expect(estimated(config, needed - 1)).rejects.toThrow(
      `checkpoint must be a model that knows at least ${needed} positions for the task boxed-arithmetic, whose worked conversations have ${needed} tokens and more; lab/tiny knows ${needed - 1}`,
    );
    await expect(estimated(config, needed)).resolves.toMatchObject({ problem: null });
  });
});
