// A task of one's own with a tool of one's own: the policy asks a price list and answers with what it says. First it
// learns the form of such a conversation from worked ones, then from rewards alone; at the end one is shown.
// Usage: node examples/toolTask.mjs [WARM-UP STEPS] [REWARDED STEPS]
import { problemTask, startEngine } from "rollout-lab";
import { createNodeHost } from "rollout-lab/node";

const [warmUp = 200, rewarded = 30] = process.argv.slice(2).map(Number);
const PRICES = { apple: 3, bread: 5, cheese: 8, eggs: 4, milk: 2, rice: 6, tea: 7, wine: 9 };

/** What a tool returns, or the message of what it throws, is what the policy reads. */
const price = {
  name: "price",
  description: "The price of a thing.",
  parameters: { thing: "string" },
  run({ thing }) {
    if (!Object.hasOwn(PRICES, thing)) throw new Error(`no ${thing}, only ${Object.keys(PRICES).join(", ")}`);
    return PRICES[thing];
  },
};

const problems = Object.entries(PRICES).map(([thing, cost]) => ({ question: `What is ${thing}?`, answer: String(cost) }));

const shop = problemTask({
  id: "shop",
  tools: [price],
  problems,
  // The list is all there is, so evaluations ask for the same things.
  heldOut: problems,
  // A call first, and then what came of it.
  speaker({ question }) {
    const thing = /is (\w+)/.exec(question)[1];
    return ({ messages }) => {
      const last = messages.at(-1);
      if (last.role === "tool") return { role: "assistant", content: `<answer>${last.content}</answer>` };
      return { role: "assistant", content: "", toolCalls: [{ id: "call-1", name: "price", arguments: { thing } }] };
    };
  },
  config: { taskOptions: { maxCalls: 1, announceTools: false }, maxCompletionTokens: 32 },
});

let finished = () => {};
const engine = await startEngine(createNodeHost({ additions: { tasks: [shop], rewardRules: [] } }), (event) => {
  if (event.type === "evaluation") {
    const { step, sampledAccuracy } = event.record;
    console.log(`after ${step} steps: right ${(100 * sampledAccuracy).toFixed(0)} %`);
  } else if (event.type === "error") throw new Error(event.message);
  else if (event.type === "state" && event.state === "finished") finished();
});

/** Runs a configuration to its step limit. */
async function train(runId, config, inherit = false) {
  const done = new Promise((resolve) => {
    finished = resolve;
  });
  await engine.ask({ type: "start", runId, config, inherit });
  await done;
}

const shape = { hiddenSize: 64, layers: 2, heads: 4, kvHeads: 4, intermediateSize: 128 };
const task = { ...shop.entry.config, ...shape, startFrom: "random", seed: 0, evalProblems: 8, evalSamples: 4 };
console.log("Worked conversations: question, call, answer");
await train("warm-up", { ...task, kind: "supervised", steps: warmUp, demonstrationsPerStep: 16, learningRate: 3e-3, evalEvery: warmUp });

console.log("Rewards alone, from those weights");
const learned = { algorithm: "grpo", promptsPerStep: 8, groupSize: 8, learningRate: 3e-4 };
await train("shop", { ...task, ...learned, steps: rewarded, evalEvery: rewarded }, true);

const { groups } = await engine.ask({ type: "inspect", step: rewarded, promptIndex: 0 });
for (const { role, content, toolCalls = [] } of groups[0].trajectories[0].messages)
  console.log(`  ${role}: ${content}${toolCalls.map((call) => `${call.name}(${JSON.stringify(call.arguments)})`).join(" ")}`);
process.exit(0);
