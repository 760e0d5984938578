// A search agent from nothing: first it learns the form of a conversation with a search tool from worked examples,
// then from rewards alone which document to follow. Each problem is a world of its own, reached by searching only.
// Some minutes on two cores; copying names from results appears late and suddenly.
// Usage: node examples/searchAgent.mjs [WARM-UP STEPS] [REWARDED STEPS]
import { startEngine } from "rollout-lab";
import { createNodeHost } from "rollout-lab/node";

const [warmUp = 1500, rewarded = 100] = process.argv.slice(2).map(Number);

const task = { task: "search", taskOptions: { returned: 3 }, seed: 0, evalProblems: 16, evalSamples: 2 };
const shape = { startFrom: "random", hiddenSize: 96, layers: 4, heads: 4, kvHeads: 4, intermediateSize: 272 };

let finished = () => {};
const engine = await startEngine(createNodeHost(), (event) => {
  if (event.type === "steps") {
    const { step, metrics } = event.records.at(-1);
    if (step % 25 === 0 || step <= 2)
      console.log(
        `step ${step}  ${metrics.reward === undefined ? `loss ${metrics.loss.toFixed(3)}` : `reward ${metrics.reward.toFixed(3)}`}`,
      );
  } else if (event.type === "evaluation") {
    const { step, sampledAccuracy, formRate, metrics } = event.record;
    console.log(`after ${step}: right ${(100 * sampledAccuracy).toFixed(0)} %, form ${(100 * formRate).toFixed(0)} %`, metrics ?? {});
  } else if (event.type === "error") {
    throw new Error(event.message);
  } else if (event.type === "state" && event.state === "finished") finished();
});

/** Runs a configuration to its step limit. */
async function train(runId, config, inherit = false) {
  const done = new Promise((resolve) => {
    finished = resolve;
  });
  await engine.ask({ type: "start", runId, config, inherit });
  await done;
}

console.log("Worked conversations: question, searches, answer");
const worked = { kind: "supervised", steps: warmUp, demonstrationsPerStep: 32, demonstrationNoise: 0.3, learningRate: 3e-3 };
await train("warm-up", { ...task, ...shape, ...worked, evalEvery: warmUp });

console.log("Rewards alone, from those weights");
const learned = { algorithm: "grpo", steps: rewarded, promptsPerStep: 8, groupSize: 8, learningRate: 3e-4, evalEvery: rewarded };
await train("search", { ...task, ...learned }, true);

const { groups } = await engine.ask({ type: "inspect", step: rewarded, promptIndex: 0 });
console.log("\nA conversation of the last step:");
for (const { role, content, toolCalls = [] } of groups[0].trajectories[0].messages)
  console.log(`  ${role}: ${content}${toolCalls.map((call) => `search(${JSON.stringify(call.arguments.query)})`).join(" ")}`);
process.exit(0);
