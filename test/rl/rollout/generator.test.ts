import { describe, expect, it } from "vitest";
import { createChatRenderer } from "../../../src/model/renderers/chat.ts";
import { BEGIN_TOKEN, digitsRenderer } from "../../../src/model/renderers/digits.ts";
import { singleTurnEnvs } from "../../../src/rl/envs/dialogue.ts";
import type { Policy } from "../../../src/rl/policy.ts";
import { Random } from "../../../src/rl/random.ts";
import { type GenerateOptions, generate } from "../../../src/rl/rollout/generator.ts";
import { uniformPolicy } from "../../../src/rl/rollout/uniformPolicy.ts";
import type { EnvBuilder, Example } from "../../../src/rl/types.ts";
import { labTokenizer } from "../../model/renderers/tokenizerFixture.ts";
import { scripted } from "../scriptedPolicy.ts";
import { toolEnvs } from "../twoTurns.ts";

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

describe("one turn", () => {
  it("gives each problem its own conversations with ids, log-probs and masks as sampled", async () => {
    const rows = [[1, 2], [3], [9], [4, 5, 6]];
    const said = scripted(rows);
    const examples = [example("a"), example("b")];
    const groups = await generate({ policy: said.policy, envs: singleTurnEnvs, renderer: digitsRenderer }, examples, options());
    expect(groups.map((group) => group.example.id)).toEqual(["a", "b"]);
    const all = groups.flatMap((group) => group.trajectories);
    expect(all.map(({ tokens }) => tokens)).toEqual(rows);
    expect(all.map(({ logprobs }) => logprobs)).toEqual([[0, -1], [-3], [-6], [-9, -10, -11]]);
    expect(all.map(({ mask }) => mask)).toEqual([[1, 1], [1], [1], [1, 1, 1]]);
    expect(all[0]?.messages).toEqual([...examples[0]!.messages, { role: "assistant", content: "12" }]);
    expect(said.closed()).toBe(1);
  });

  it("tells a finished turn from one cut off by the limit, and a full length is regular where nothing stops it", async () => {
    const end = chat.stopTokens[0]!;
    const words = labTokenizer().encodePlain("Hi");
    const said = scripted([[...words, end], words]);
    const [group] = await generate({ policy: said.policy, envs: singleTurnEnvs, renderer: chat }, [example("a")], options());
    expect(group?.trajectories.map(({ stopReason }) => stopReason)).toEqual(["completed", "max-tokens"]);
    expect(group?.trajectories.map(({ messages }) => messages.at(-1)?.content)).toEqual(["Hi", "Hi"]);
    const digits = scripted([[1], [2]]);
    const [full] = await generate({ policy: digits.policy, envs: singleTurnEnvs, renderer: digitsRenderer }, [example("a")], options());
    expect(full?.trajectories[0]?.stopReason).toBe("completed");
  });

  it("names the problem that is longer than the model's positions", async () => {
    const { policy } = scripted([[1]], 5);
    const long = { ...example("data/train/7"), messages: [{ role: "user" as const, content: "What is it?" }] };
    const asked = generate({ policy, envs: singleTurnEnvs, renderer: chat }, [long], options());
    await expect(asked).rejects.toThrow(
      /^no maxCompletionTokens is small enough: the problem data\/train\/7 has (\d+) tokens, and \1 \+ 3 > 5 positions of the model$/,
    );
  });

  it("keeps ids that text would not bring back", async () => {
    const bytes = [...new TextEncoder().encode("What")].map((byte) => labTokenizer().encodePlain(String.fromCharCode(byte))[0] ?? 0);
    expect(labTokenizer().encodePlain("What")).not.toEqual(bytes);
    const said = scripted([bytes]);
    const [group] = await generate(
      { policy: said.policy, envs: singleTurnEnvs, renderer: chat },
      [example("a")],
      options({ copies: 1, maxNewTokens: 4 }),
    );
    expect(group?.trajectories[0]).toMatchObject({ tokens: bytes });
    expect(group?.trajectories[0]?.messages.at(-1)?.content).toBe("What");
  });
});

describe("several turns", () => {
  it("insert what the environment says between what the policy says, and train only the latter", async () => {
    const said = scripted([
      [1, 2, 3],
      [4, 5, 6],
      [7, 8, 9],
      [1, 1, 1],
    ]);
    const envs = toolEnvs(2, () => 2);
    const [group] = await generate({ policy: said.policy, envs, renderer: digitsRenderer }, [example("a")], options({ maxTurns: 2 }));
    const [first, second] = group!.trajectories;
    const told = first!.messages[2]!.content;
    expect(first!.tokens).toEqual([1, 2, 3, ...[...told].map(Number), BEGIN_TOKEN, 7, 8, 9]);
    expect(first!.mask).toEqual([1, 1, 1, 0, 0, 0, 1, 1, 1]);
    expect(first!.logprobs).toHaveLength(6);
    expect(first!.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(second!.messages[2]!.content).not.toBe(told);
    expect(said.inserted.map(([sequence]) => sequence)).toEqual([0, 1]);
    expect(said.inserted[0]![1]).toEqual(first!.tokens.slice(3, 6));
  });

  it("step the environments that the policy saw, each started once", async () => {
    const witness = { answers: [] as string[], started: 0 };
    const envs = toolEnvs(3, () => 4, witness);
    const parts = { policy: uniformPolicy(10), envs, renderer: digitsRenderer };
    const groups = await generate(parts, [example("a"), example("b")], options({ maxTurns: 3 }));
    expect(witness.started).toBe(4);
    const told = groups.flatMap(({ trajectories }) =>
      trajectories.map(({ messages }) => messages.filter(({ role }) => role === "tool").map(({ content }) => content)),
    );
    expect(told.flat().sort()).toEqual([...witness.answers].sort());
    expect(told.every((answers) => answers.length === 2)).toBe(true);
  });

  it("let finished conversations drop out while others go on", async () => {
    const said = scripted([[1], [2], [3], [4], [5], [6]]);
    const envs: EnvBuilder = { build: (each, seed) => toolEnvs(each.id === "long" ? 3 : 1, () => 1).build(each, seed) };
    const groups = await generate(
      { policy: said.policy, envs, renderer: digitsRenderer },
      [example("short"), example("long")],
      options({ copies: 1, maxTurns: 5 }),
    );
    expect(said.turns.map(({ sequences_B }) => [...sequences_B])).toEqual([[0, 1], [1], [1]]);
    expect(groups.map(({ trajectories }) => trajectories[0]!.mask.filter(Boolean).length)).toEqual([1, 3]);
  });

  it("end at the limit of turns, at a turn cut off, and where the context is full, with a sampled token last", async () => {
    const parts = (policy: Policy) => ({ policy, envs: toolEnvs(9, () => 5), renderer: digitsRenderer });
    const one = options({ copies: 1, maxTurns: 2 });
    const [turns] = await generate(
      parts(
        scripted([
          [1, 1, 1],
          [2, 2, 2],
        ]).policy,
      ),
      [example("a")],
      one,
    );
    expect(turns!.trajectories[0]).toMatchObject({ stopReason: "max-turns" });
    const [context] = await generate(parts(scripted([[1, 1, 1]], 12).policy), [example("a")], one);
    expect(context!.trajectories[0]).toMatchObject({ stopReason: "max-context", tokens: [1, 1, 1] });
    const words = labTokenizer().encodePlain("Hi");
    const cut = scripted([words]);
    const [tokens] = await generate({ policy: cut.policy, envs: toolEnvs(9, () => 5), renderer: chat }, [example("a")], one);
    expect(tokens!.trajectories[0]).toMatchObject({ stopReason: "max-tokens" });
    for (const group of [turns, context, tokens]) expect(group!.trajectories[0]!.mask.at(-1)).toBe(1);
  });

  it("are refused where an environment tells another conversation than was held", async () => {
    const forgetful: EnvBuilder = { build: ({ messages }) => ({ start: () => ({ messages }), step: () => ({ messages }) }) };
    const said = scripted([[1]]);
    const going = generate(
      { policy: said.policy, envs: forgetful, renderer: digitsRenderer },
      [example("a")],
      options({ copies: 1, maxTurns: 2 }),
    );
    await expect(going).rejects.toThrow("internal: the environment of a does not go on from what was said");
    expect(said.closed()).toBe(1);
  });
});

describe("prompts", () => {
  it("are rendered once and shared where conversations of a problem open alike", async () => {
    let rendered = 0;
    const counting = {
      ...digitsRenderer,
      renderPrompt: () => {
        rendered += 1;
        return [BEGIN_TOKEN];
      },
    };
    const said = scripted([[1], [2], [3], [4]]);
    await generate({ policy: said.policy, envs: singleTurnEnvs, renderer: counting }, [example("a")], options({ copies: 4 }));
    expect(rendered).toBe(1);
    expect(said.opened[0]).toMatchObject({ prompts: [[BEGIN_TOKEN]], promptOf_B: Int32Array.of(0, 0, 0, 0) });
  });

  it("are each conversation's own where an environment opens them differently", async () => {
    // Every other environment says something else, by its own chance or order.
    let built = 0;
    const envs: EnvBuilder = {
      build: () => {
        const content = `Hi ${built++ % 2}`;
        return { start: () => ({ messages: [{ role: "user", content }] }), step: () => null };
      },
    };
    const end = chat.stopTokens[0]!;
    const said = scripted(Array.from({ length: 4 }, () => [end]));
    const [group] = await generate({ policy: said.policy, envs, renderer: chat }, [example("a")], options({ copies: 4 }));
    expect(said.opened[0]!.prompts).toHaveLength(2);
    expect([...said.opened[0]!.promptOf_B]).toEqual([0, 0, 1, 1]);
    for (const { promptTokens, messages } of group!.trajectories)
      expect(promptTokens).toEqual(chat.renderPrompt({ messages: messages.slice(0, 1) }));
  });
});

it("greedy decoding draws nothing and repeats itself", async () => {
  const random = new Random(8);
  const said = scripted([[1], [2]]);
  await generate(
    { policy: said.policy, envs: singleTurnEnvs, renderer: digitsRenderer },
    [example("a")],
    options({ temperature: 0, random }),
  );
  expect(said.turns[0]!.uniforms_BT.every((uniform) => uniform === 0)).toBe(true);
  const other = new Random(8);
  other.bits();
  other.bits();
  expect(random.bits()).toBe(other.bits());
});
