// Router-R1 as a toy, walked through: a policy that knows nothing itself learns whom to ask. Experts cost
// something; the reward is a right answer less what was paid. Shown are a conversation, its reward part by part,
// and what changes in training: who is asked, and what it costs.
// Usage: node examples/routerR1.mjs [STEPS]
import { catalog, startEngine } from "rollout-lab";
import { createNodeHost } from "rollout-lab/node";

const steps = Number(process.argv[2] ?? 40);
const preset = catalog.presets.find(({ id }) => id === "router-with-cost");

let finished = () => {};
const engine = await startEngine(createNodeHost(), (event) => {
  if (event.type === "evaluation") {
    const { step, sampledAccuracy, metrics = {} } = event.record;
    const paid = metrics["env/cost"] ?? metrics.cost ?? Number.NaN;
    console.log(`after ${step}: right ${(100 * sampledAccuracy).toFixed(0)} %, paid ${paid.toFixed(2)} a question`);
  } else if (event.type === "steps") {
    for (const { step, metrics } of event.records)
      if (step % 10 === 0 || step === steps)
        console.log(
          `step ${step}  reward ${metrics.reward.toFixed(3)}  routes ${metrics["env/route_count"].toFixed(2)}  cost ${metrics["env/cost"].toFixed(2)}`,
        );
  } else if (event.type === "state" && event.state === "finished") finished();
});

/** One conversation of a step, with what it earned. */
async function show(step) {
  const { groups } = await engine.ask({ type: "inspect", step, promptIndex: 0 });
  const [group] = groups;
  const best = group.trajectories.reduce((a, b) => ((b.reward ?? -9) > (a.reward ?? -9) ? b : a));
  console.log(`\nThe best of a group in step ${step}:`);
  for (const { role, content } of best.messages) console.log(`  ${role === "tool" ? "expert" : role}: ${content}`);
  console.log(`  reward ${best.reward}: ${best.rewardParts.map(({ name, value, weight }) => `${name} ${value} x ${weight}`).join(", ")}\n`);
}

// 1. The rules: experts and prices stand in the system turn. A turn asks with <search>Expert:question</search>, reads
//    <information>, and answers with <answer>. What experts say is context: it is shown and not trained.
const done = new Promise((resolve) => {
  finished = resolve;
});
const config = { ...preset.config, seed: 0, steps, promptsPerStep: 8, evalEvery: steps, evalProblems: 32 };
await engine.ask({ type: "start", runId: "router", config, paused: true });

// 2. One step by hand, to look at what was sampled before anything was learnt.
await engine.ask({ type: "advance", unit: "step" });
await show(1);

// 3. The rest of the run; with a price in the reward the cheap specialists are asked in the place of the dear generalist.
if (steps > 1) {
  await engine.ask({ type: "resume" });
  await done;
  await show(steps);
}
process.exit(0);
