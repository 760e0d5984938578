import { describe, expect, it } from "vitest";
import { createChatRenderer } from "../../../src/model/renderers/chat.ts";
import { Random } from "../../../src/rl/random.ts";
import { type GenerateOptions, generate } from "../../../src/rl/rollout/generator.ts";
import type { EnvBuilder, Example } from "../../../src/rl/types.ts";
import { labTokenizer } from "../../model/renderers/tokenizerFixture.ts";
import { scripted } from "../scriptedPolicy.ts";

const example = (id: string): Example => ({ id, messages: [{ role: "user", content: id }], answer: "" });
const chat = createChatRenderer(labTokenizer());

const options = (over: Partial<GenerateOptions> = {}): GenerateOptions => ({
  copies: 2,
  maxNewTokens: 3,
  maxTurns: 1,
  temperature: 1,
  topK: 0,
  topP: 1,
  minP: 0,
  random: new Random(4),
  ...over,
});

describe("an environment", () => {
  /** Answers every turn but the third of all, at which it fails. */
  const failing = (): EnvBuilder => {
    let steps = 0;
    return {
      build: ({ messages }) => ({
        start: () => ({ messages }),
        step({ message }) {
          steps += 1;
          if (steps === 3) throw new TypeError("no board");
          return steps > 3 ? null : { messages: [...messages, message, { role: "user", content: "on" }] };
        },
      }),
    };
  };
  const [word] = chat.renderCompletion({ role: "assistant", content: "a" });
  const stop = chat.stopTokens[0]!;

  it("that fails ends its own conversation, with the reason, and no other", async () => {
    const said = [word!, stop];
    const { policy } = scripted([said, said, said, said]);
    const [group] = await generate({ policy, envs: failing(), renderer: chat }, [example("a")], options({ maxTurns: 2 }));
    expect(group!.trajectories.map(({ stopReason, failure }) => [stopReason, failure])).toEqual([
      ["env-error", "TypeError: no board"],
      ["completed", undefined],
    ]);
  });

  it("is not asked about a turn that the limit of tokens cut off", async () => {
    const { policy } = scripted([
      [word!, word!, word!],
      [word!, stop],
    ]);
    let steps = 0;
    const report = () => ({ metrics: { turns: steps }, turns: Array.from({ length: steps }, () => ({ reward: 1 })) });
    const env = {
      start: () => ({ messages: example("a").messages, agent: "solver" }),
      step: () => {
        steps += 1;
        return null;
      },
      report,
    };
    const [group] = await generate({ policy, envs: { build: () => env }, renderer: chat }, [example("a")], options());
    expect(steps).toBe(1);
    const [cut, whole] = group!.trajectories;
    expect(cut!.stopReason).toBe("max-tokens");
    expect(cut!.messages.at(-1)!.agent).toBe("solver");
    expect([cut!.report!.turns.length, whole!.report!.turns.length]).toEqual([1, 1]);
  });

  it("may be built and stepped with all others of a turn at once", async () => {
    const said = [word!, stop];
    const { policy } = scripted([said, said]);
    const asked: string[] = [];
    const envs: EnvBuilder = {
      build: () => {
        throw new Error("built alone");
      },
      async buildEnvs(openings) {
        asked.push(`build ${openings.length}`);
        return openings.map(({ example: { messages } }) => ({ start: () => ({ messages }), step: () => null }));
      },
      async stepEnvs(turns) {
        asked.push(`step ${turns.length}`);
        return turns.map((_, i) => (i === 0 ? null : { reason: "took longer than 5 ms" }));
      },
    };
    const [group] = await generate({ policy, envs, renderer: chat }, [example("a")], options());
    expect(asked).toEqual(["build 2", "step 2"]);
    expect(group!.trajectories.map(({ stopReason }) => stopReason)).toEqual(["completed", "env-error"]);
  });
});
