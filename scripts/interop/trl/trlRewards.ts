// Rewards and conversations of a TRL training held to the lab: the rules in Python on answers that nobody sampled, and what the
// lab's server holds for lab.py on tasks of every kind.
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REWARD_PROGRAMS } from "../../../src/cli/exports/trl/files.ts";
import { startRolloutServer } from "../../../src/cli/rollouts/rolloutServer.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { projectRoot } from "../../environment.mjs";
import { type Check, hold, type Interop } from "../check.ts";
import { heldHere, partsOf, placesOf, sayingsOf } from "./heldTwice.ts";
import { MADE_UP_PARTS, madeUpRewards } from "./madeUpAnswers.ts";

const PROGRAMS = join(projectRoot, "src", "cli", "exports", "trl", "python");
const [CHOICES, ANSWERS, CONVERSATIONS] = [6, 1000, 1000];

/** Tasks whose conversations the lab holds, and some that the folder's programs could hold too. */
const TASKS: readonly RunConfigInput[] = [
  ...["router", "countdown", "tic-tac-toe", "guess-number", "grid-world", "reverse-word", "boxed-arithmetic"].map((task) => ({ task })),
  { task: "calculator", rewardRules: { toolLoop: {} }, trainTurns: "last" },
  { task: "search", trainTurns: "calls" },
];

/** Holds the rules in Python to the lab's on made-up answers. */
async function rulesHeld({ folder, python }: Interop): Promise<string> {
  for (const [name, program] of Object.entries(REWARD_PROGRAMS)) writeFileSync(join(folder, name), program);
  for (let seed = 0; seed < CHOICES; seed++) {
    const { rules, rows } = madeUpRewards(ANSWERS, seed);
    writeFileSync(join(folder, "rewards.json"), JSON.stringify(rules));
    writeFileSync(join(folder, "rollouts.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const said = await python(join(folder, "rewards.py"));
    hold(said.startsWith(`${ANSWERS * (MADE_UP_PARTS + 1)} reward values agree`), said);
  }
  return `${MADE_UP_PARTS} parts and the reward of ${ANSWERS} made-up answers under each of ${CHOICES} choices of settings, gates, clip and buffer are the lab's.`;
}

/** Writes down what lab.py is to ask for and what must come of it; resolves to the server that answers. */
async function taskAsked(folder: string, config: RunConfigInput) {
  const parts = await partsOf(config);
  const sayings = sayingsOf(parts);
  const places = placesOf(CONVERSATIONS);
  const server = await startRolloutServer(parts);
  mkdirSync(folder, { recursive: true });
  cpSync(join(PROGRAMS, "lab.py"), join(folder, "lab.py"));
  writeFileSync(join(folder, "server.json"), JSON.stringify({ url: server.url, token: server.token }));
  writeFileSync(
    join(folder, "asked.json"),
    JSON.stringify({ places, sayings, held: await heldHere(await partsOf(config), places, sayings) }),
  );
  return server;
}

/** Has lab.py ask for conversations of every task, and compares them with those that the lab holds in one piece; resolves to how many turns were sampled. */
async function tasksHeld({ folder, python }: Interop): Promise<number> {
  const folders = TASKS.map(({ task }) => join(folder, String(task)));
  const servers = [];
  try {
    for (const [i, config] of TASKS.entries()) servers.push(await taskAsked(folders[i]!, config));
    return Number(await python("trl_rollouts.py", ...folders));
  } finally {
    for (const server of servers) server.close();
  }
}

export const trlRewards: Check = {
  name: "trl-rewards",
  title: "Rewards and conversations of a TRL training",
  packages: ["trl", "transformers", "torch"],
  async run(interop) {
    const [rules, turns] = [await rulesHeld(interop), await tasksHeld(interop)];
    const names = TASKS.map(({ task }) => task).join(", ");
    return `${rules} lab.py asks the lab's server for ${CONVERSATIONS} conversations of each of ${names} and samples their ${turns} turns: ids, masks, ends, parts and rewards are those that the lab comes to in one piece.`;
  },
};
