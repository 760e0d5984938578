// Summaries of the Tinker cookbook (NAME_rollout_summaries.jsonl): lengths and rewards of turns, and nothing of what was said.
import { isRecord } from "../../protocol/problems.ts";
import { NO_TOKEN } from "../../protocol/records.ts";
import { factsOf } from "../columns/flatRollout.ts";
import { type FoundRow, TraceError, valueText } from "../containers/container.ts";
import { type FoundRollout, numberOf, type Said, stopOf } from "../rollout.ts";
import type { TraceForm } from "./form.ts";

/** Tokens that a conversation of which only the length is known may have. */
const MOST_TOKENS = 4_000_000;

interface Turn {
  readonly asked: number;
  readonly said: number;
  readonly reward: number | null;
  readonly stop: unknown;
}

function lengthOf(value: unknown, name: string): number {
  if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > MOST_TOKENS)
    throw new TraceError(`${name} must be a whole number from 0 to ${MOST_TOKENS}, got ${valueText(value)}`);
  return value as number;
}

function turnsOf(row: FoundRow): readonly Turn[] {
  if (!Array.isArray(row.steps)) throw new TraceError(`steps must be a list, got ${valueText(row.steps)}`);
  return row.steps.map((step: unknown, i) => {
    if (!isRecord(step)) throw new TraceError(`steps[${i}] must be an object, got ${valueText(step)}`);
    const asked = lengthOf(step.ob_len, `steps[${i}].ob_len`);
    const said = lengthOf(step.ac_len, `steps[${i}].ac_len`);
    return { asked, said, reward: numberOf(step.reward), stop: step.stop_reason };
  });
}

/** Which tokens behind the prompt the policy sampled: an observation is all that came before, so what it adds was put in between. */
function sampledOf(turns: readonly Turn[]): number[] {
  // Counted before a list is made of them.
  const longest = turns.reduce((sum, { asked, said }) => Math.max(sum, asked) + said, 0);
  if (longest > MOST_TOKENS) throw new TraceError(`steps must have at most ${MOST_TOKENS} tokens in all`);
  const sampled: number[] = [];
  for (const [i, { asked, said }] of turns.entries()) {
    const added = i === 0 ? 0 : Math.max(0, asked - (turns[0]!.asked + sampled.length));
    for (let k = 0; k < added; k++) sampled.push(0);
    for (let k = 0; k < said; k++) sampled.push(1);
  }
  return sampled;
}

const unknown = (length: number) => ({ tokens: new Array<number>(length).fill(NO_TOKEN), pieces: new Array<string>(length).fill("") });

function saidOf(turns: readonly Turn[]): Said {
  const sampled = sampledOf(turns);
  const lengths = { prompt: unknown(turns[0]?.asked ?? 0), answer: unknown(sampled.length), sampled };
  return { opening: [], messages: [], ...lengths, text: "", channels: {}, isBare: true };
}

export const tinker: TraceForm = {
  id: "tinker",
  title: "summaries of the Tinker cookbook",
  matches: (row) => ["group_idx", "traj_idx", "steps"].every((key) => Object.hasOwn(row, key)),
  roles: {
    names: {
      iteration: "step",
      group_idx: "group",
      total_reward: "reward",
      final_reward: "other",
      traj_idx: "other",
      schema_version: "other",
    },
    numbers: "other",
  },
  read(row, { columns, seen }) {
    const turns = turnsOf(row);
    sampledOf(turns);
    const { facts } = factsOf(row, columns);
    seen.tokens.add("lengths");
    const found: FoundRollout = {
      ...facts,
      group: `${String(row.split ?? "")} ${facts.group ?? ""}`,
      turnRewards: turns.map(({ reward }) => reward ?? 0),
      stopReason: stopOf(turns.at(-1)?.stop),
      length: turns.reduce((sum, { said }) => sum + said, 0),
      said: () => saidOf(turns),
    };
    return [found];
  },
};
