import { describe, expect, it } from "vitest";
import { digitsRenderer } from "../../../src/model/renderers/digits.ts";
import { saying, workOut } from "../../../src/rl/rollout/demonstration.ts";
import type { Example } from "../../../src/rl/types.ts";
import { toolEnvs } from "../twoTurns.ts";

const example: Example = { id: "a", messages: [{ role: "user", content: "Hi" }], answer: "" };

describe("a worked conversation", () => {
  it("has what the speaker says as sampled tokens and what the environment says between them", () => {
    const heard: string[] = [];
    const trajectory = workOut(
      { envs: toolEnvs(3, () => 2), renderer: digitsRenderer },
      example,
      ({ messages }) => {
        heard.push(messages.at(-1)!.content);
        return { role: "assistant", content: String(heard.length) };
      },
      5,
      { maxTurns: 3, maxPositions: 100 },
    );
    expect(trajectory.mask).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
    expect(trajectory.tokens.filter((_, i) => trajectory.mask[i] === 1)).toEqual([1, 2, 3]);
    expect(heard).toEqual(trajectory.messages.filter(({ role }) => role !== "assistant").map(({ content }) => content));
    expect(trajectory).toMatchObject({ stopReason: "completed", logprobs: [0, 0, 0] });
  });

  it("ends at the limits that rollouts have", () => {
    const parts = { envs: toolEnvs(9, () => 2), renderer: digitsRenderer };
    const limits = { maxTurns: 2, maxPositions: 100 };
    expect(workOut(parts, example, saying("7"), 5, limits).stopReason).toBe("max-turns");
    expect(workOut(parts, example, saying("7"), 5, { ...limits, maxPositions: 4 }).stopReason).toBe("max-context");
  });
});
