// Two agents share one policy: a solver does a sum, a checker accepts or refuses it, and a refused sum is done
// again. Three runs train both, the solver alone and the checker alone: tokens of an agent that is not trained are
// sampled and shown, and have weight 0 in the loss. Each agent is compared with itself and has its own reward.
// Usage: node examples/twoAgents.mjs [STEPS]
import { startEngine } from "rollout-lab";
import { createNodeHost } from "rollout-lab/node";

const steps = Number(process.argv[2] ?? 20);

let finished = () => {};
let last = null;
const engine = await startEngine(createNodeHost(), (event) => {
  if (event.type === "steps") last = event.records.at(-1);
  else if (event.type === "evaluation")
    console.log(`  after ${event.record.step}: right in the end ${(100 * event.record.sampledAccuracy).toFixed(0)} %`);
  else if (event.type === "error") throw new Error(event.message);
  else if (event.type === "state" && event.state === "finished") finished();
});

for (const trained of ["both", "solver", "checker"]) {
  console.log(`Trained: ${trained}`);
  const done = new Promise((resolve) => {
    finished = resolve;
  });
  await engine.ask({
    type: "start",
    runId: trained,
    config: {
      task: "checked-arithmetic", // starts from the checkpoint that knows both parts
      taskOptions: { rounds: 2, trained },
      // The solver earns its right answers, the checker its right verdicts.
      rewardWeights: { checked: 0, answers: 1, verdicts: 1 },
      ...{ credit: "turn", agentRewards: "own", algorithm: "grpo" },
      ...{ seed: 0, steps, promptsPerStep: 8, groupSize: 8, learningRate: 5e-4, evalEvery: steps, evalProblems: 32, evalSamples: 2 },
    },
  });
  await done;
  const { metrics } = last;
  const means = ["checked", "answers", "verdicts"].map((name) => `${name} ${metrics[`rewards/${name}/mean`]?.toFixed(2) ?? "-"}`);
  console.log(`  last step: ${means.join(", ")}`);

  // Which tokens counted: of each agent, how many were trained.
  const { groups } = await engine.ask({ type: "inspect", step: steps, promptIndex: 0 });
  const spoken = groups[0].trajectories[0].messages.filter(({ agent }) => agent !== undefined);
  console.log(`  a conversation: ${spoken.map(({ agent, content }) => `${agent} ${content}`).join(" | ")}`);
}
process.exit(0);
