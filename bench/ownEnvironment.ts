// What a step costs whose environment is code of somebody's own: the same three turns once as text, in the sandbox, and once built in, in
// turns, on 128 conversations of the chat checkpoint.
import { createNodeHost } from "../src/cli/nodeHost.ts";
import { problemTask } from "../src/library/problemTask.ts";
import { trainRun } from "../src/library/trainRun.ts";
import { dialogueEnv } from "../src/rl/envs/dialogue.ts";
import { type InTurns, type Timed, told } from "./inTurns.ts";

const TURNS = 3;
const SOURCE = `export const turns = ${TURNS};
export function step({ text, turn }: { text: string; turn: number }) {
  if (turn < ${TURNS - 1}) return { say: "You said " + text.length + " letters. Once more?" };
  return { done: true, reward: text.length % 2 };
}
`;

const problems = Array.from({ length: 64 }, (_, n) => ({ question: `What is ${n} + ${n}?`, answer: String(2 * n) }));

/** The same, built in. */
const builtIn = problemTask({
  ...{ id: "talk", problems, maxTurns: TURNS },
  score: ({ text }) => text.length % 2,
  env({ question }) {
    let turn = 0;
    return dialogueEnv({
      opening: { messages: [{ role: "user", content: question }] },
      respond: ({ content }) => {
        turn += 1;
        const say = { role: "user", content: `You said ${content.length} letters. Once more?` } as const;
        return { messages: turn < TURNS ? [say] : null };
      },
    });
  },
});

const CONFIG = {
  ...{ task: "talk", checkpoint: "base", promptsPerStep: 8, groupSize: 16, maxCompletionTokens: 24 },
  ...{ steps: 4, evalEvery: 0, evalProblems: 1, evalSamples: 1, seed: 1 },
};

/** Steps' times of a run after its first one, and the rewards, which must be the same both ways. */
async function timed(isOwn: boolean): Promise<Timed> {
  const own = isOwn ? { customTasks: { talk: { problems, environment: { source: SOURCE, turns: TURNS } } } } : {};
  return told(await trainRun({ ...CONFIG, ...own }, createNodeHost(isOwn ? {} : { additions: { tasks: [builtIn] } })));
}

export const ownEnvironment: InTurns = { what: `an environment of ${TURNS} turns`, unit: "128 conversations", timed };
