import { describe, expect, it } from "vitest";
import { createChatRenderer } from "../../../src/model/renderers/chat.ts";
import { routerEnv } from "../../../src/rl/envs/routerEnv.ts";
import { Random } from "../../../src/rl/random.ts";
import { transcriptOf } from "../../../src/rl/rewards/routerReward.ts";
import { weightedReward } from "../../../src/rl/rewards/weightedReward.ts";
import { workOut } from "../../../src/rl/rollout/demonstration.ts";
import { adviceOf, cheapestExpert, DOMAINS, EXPERTS, type Inquiry, knows } from "../../../src/rl/tasks/tools/experts.ts";
import { routing } from "../../../src/rl/tasks/tools/router.ts";
import type { Example } from "../../../src/rl/types.ts";
import { labTokenizer, templateIds } from "../../model/renderers/tokenizerFixture.ts";
import { scoreOne } from "../../support/scoring.ts";

const tokenizer = labTokenizer();
const renderer = createChatRenderer(tokenizer);
const example: Example = { id: "e", messages: [{ role: "user", content: "Where?" }], answer: "here" };

/** The conversation in which the policy says these things in turn; the last one is repeated. */
function converse(turns: readonly string[], maxCalls = 4) {
  const ask = (name: string, query: string) => (name === "Ada" ? { name, answer: `${query}!`, price: 2 } : null);
  let turn = 0;
  const speaker = () => ({ role: "assistant", content: turns[Math.min(turn++, turns.length - 1)]! }) as const;
  const envs = { build: (each: Example) => routerEnv(each, ask, maxCalls) };
  return workOut({ envs, renderer }, example, speaker, 0, { maxTurns: 9, maxPositions: 1024 });
}

describe("a conversation with experts", () => {
  it("puts what an expert says between information marks, which are ids where the environment sets them", () => {
    const { messages, tokens, mask, report, stopReason } = converse(["<think>a</think><search>Ada: it</search>", "<answer>it!</answer>"]);
    expect(messages[2]).toMatchObject({ role: "tool", content: "it!" });
    const inserted = renderer.decode(tokens.filter((_, t) => mask[t] === 0));
    expect(inserted).toBe("\n<|im_start|>user\n<information>\nit!\n</information><|im_end|>\n<|im_start|>assistant\n");
    // As the chat template has it for a user who says the same.
    const asUser = { role: "user", content: "<information>\nit!\n</information>" };
    const whole = templateIds([{ role: "user", content: "Where?" }, { role: "assistant", content: messages[1]!.content }, asUser]);
    expect([...renderer.renderPrompt({ messages: example.messages }), ...tokens].slice(0, whole.length)).toEqual(whole);
    expect(report!.metrics).toEqual({ turns: 2, route_count: 1, cost: 2 });
    expect(report!.turns[0]!.views).toEqual([{ kind: "expert", name: "Ada", query: "it", price: 2 }]);
    expect(stopReason).toBe("completed");
  });

  it("answers several calls of a turn, each with its own, and unknown or malformed ones with None, free of charge", () => {
    const { messages, report } = converse(["<search>Ada: x</search><search>Bob: y</search><search>Ada</search>", "<answer>z</answer>"]);
    expect(messages.flatMap(({ role, content }) => (role === "tool" ? [content] : []))).toEqual(["x!", "None", "None"]);
    expect(report!.metrics).toMatchObject({ route_count: 1, cost: 2 });
  });

  it("asks no more experts than the limit, says so once, and then ends", () => {
    const { messages, stopReason, report } = converse(["<search>Ada: x</search>"], 2);
    expect(messages.flatMap(({ role, content }) => (role === "tool" ? [content] : []))).toEqual(["x!", "x!", "no more calls"]);
    expect(stopReason).toBe("max-calls");
    expect(report!.metrics).toMatchObject({ turns: 4, route_count: 2, cost: 4 });
  });

  it("ends with a parse error where a turn neither asks nor answers", () => {
    expect(converse(["<think>hm</think>"]).stopReason).toBe("parse-error");
    expect(converse(["<search>Ada: x"]).stopReason).toBe("parse-error");
  });

  it("gives the transcript that Router-R1's form is checked on", () => {
    const trajectory = converse(["<think>a</think><search>Ada: it</search>", "<answer>it!</answer>"]);
    expect(transcriptOf(trajectory)).toBe("<think>a</think><search>Ada: it</search><information>it!</information><answer>it!</answer>");
  });
});

describe("simulated experts", () => {
  const inquiries = Array.from({ length: 3000 }, (_, i): Inquiry => ({ id: `q${i}`, domain: DOMAINS[i % 3]!, answer: String(i) }));

  it("know their domain as often as asked, and little else", () => {
    for (const expert of EXPERTS) {
      for (const domain of DOMAINS) {
        const asked = inquiries.filter((each) => each.domain === domain);
        const share = asked.filter((each) => knows(expert, each, 0.8)).length / asked.length;
        const expected = expert.domain === "all" ? 0.9 : expert.domain === domain ? 0.8 : 0.1;
        expect(Math.abs(share - expected)).toBeLessThan(0.05);
      }
    }
  });

  it("give the right answer where they know it, and always the same wrong one elsewhere", () => {
    for (const expert of EXPERTS) {
      for (const inquiry of inquiries.slice(0, 200)) {
        const advice = adviceOf(expert, inquiry, 0.8);
        expect(advice === inquiry.answer).toBe(knows(expert, inquiry, 0.8));
        expect(adviceOf(expert, inquiry, 0.8)).toBe(advice);
      }
    }
  });
});

it("the router's worked conversation is the best there is, whatever the experts cost", async () => {
  const task = routing.create({ costCoefficient: 0.5 }, 3);
  const rewards = weightedReward(task, {});
  for (const one of task.trainLoader().next(40)) {
    const speaker = task.demonstration(one, new Random(0), 0);
    const limits = { maxTurns: 5, maxPositions: 1024 };
    const { total } = await scoreOne(rewards, one, workOut({ envs: task.envs, renderer }, one, speaker, 0, limits));
    const gold = total!;
    const query = one.messages[1]!.content.replace(/[:?]/g, "");
    for (const { name } of EXPERTS) {
      const asking = ({ messages }: { readonly messages: Example["messages"] }) => {
        const last = messages.at(-1)!;
        const content = last.role === "tool" ? `<answer>${last.content}</answer>` : `<think>x</think><search>${name}: ${query}</search>`;
        return { role: "assistant", content } as const;
      };
      const { total: other } = await scoreOne(rewards, one, workOut({ envs: task.envs, renderer }, one, asking, 0, limits));
      expect(other!).toBeLessThanOrEqual(gold);
    }
    const inquiry = { id: one.messages[1]!.content, domain: JSON.parse(one.id.slice(7)).domain, answer: one.answer };
    expect(gold).toBeCloseTo(1 - 0.5 * (cheapestExpert(inquiry, 0.9)!.price / 4), 12);
  }
});
