// An index of rollouts as the set that screens ask: rows and curves at once, the groups of a step when they are asked for.
import { STOP_REASONS } from "../protocol/record/rolloutSchemas.ts";
import type { GroupRecord } from "../protocol/records.ts";
import type { TraceChoice } from "../protocol/rollouts/traces.ts";
import { type Container, type FoundRow, TraceError } from "./containers/container.ts";
import { stepRecords } from "./index/stepMetrics.ts";
import { type Totals, totalsOf } from "./index/totals.ts";
import { known, type OrderedStep, orderedSteps, type TraceIndex } from "./index/traceIndex.ts";
import { groupRecord } from "./records.ts";
import { type Met, reportOf } from "./report.ts";
import type { Decoder } from "./rollout.ts";
import type { TraceRow, TraceSet } from "./traceSet.ts";

/** All that was read, and what it is read again with. */
interface Indexed {
  readonly index: TraceIndex;
  readonly containers: readonly Container[];
  readonly met: Met;
  readonly logged: ReadonlyMap<number, Readonly<Record<string, number>>>;
  readonly decoder: Decoder;
  readonly choice: TraceChoice;
}

function promptAt({ prompts, group }: TraceIndex, i: number): number | null {
  const at = prompts.ofGroup[group[i]!] ?? -1;
  return at < 0 ? null : at;
}

function rowsOf(index: TraceIndex, rewards: readonly number[], steps: readonly OrderedStep[]): readonly TraceRow[] {
  const parts = [...index.parts.values()];
  return steps.flatMap(({ step, groups }) =>
    groups.flatMap((members, promptIndex) =>
      members.map((i, trajectoryIndex) => ({
        step,
        promptIndex,
        trajectoryIndex,
        reward: known(rewards[i]),
        advantage: known(index.advantage[i]),
        length: index.length[i]!,
        stopReason: STOP_REASONS[index.stop[i]!] ?? null,
        success: known(index.success[i]) === null ? null : index.success[i] === 1,
        parts: parts.map((values) => known(values[i])),
        prompt: promptAt(index, i),
      })),
    ),
  );
}

/** The rows of some rollouts, by their place in the index; branches of one row share it. */
async function rowsRead({ index, containers }: Indexed, members: readonly number[]): Promise<ReadonlyMap<number, FoundRow>> {
  const rows = new Map<number, FoundRow>();
  for (const [f, container] of containers.entries()) {
    const own = members.filter((i) => index.file[i] === f);
    const places = new Map(own.map((i) => [index.begin[i]!, { begin: index.begin[i]!, end: index.end[i]! }]));
    if (places.size === 0) continue;
    const read = await container.read([...places.values()]);
    const byBegin = new Map([...places.keys()].map((begin, n) => [begin, read[n]!]));
    for (const i of own) rows.set(i, byBegin.get(index.begin[i]!)!);
  }
  return rows;
}

async function groupsOf(
  indexed: Indexed,
  { step, groups }: OrderedStep,
  { rewards, weights }: Totals,
  only: readonly number[] | null,
): Promise<readonly GroupRecord[]> {
  const { index, containers, met, decoder } = indexed;
  const wanted = groups
    .map((members, promptIndex) => ({ members, promptIndex }))
    .filter((each) => only?.includes(each.promptIndex) ?? true);
  const rows = await rowsRead(
    indexed,
    wanted.flatMap(({ members }) => members),
  );
  const found = new Map([...new Set(rows.values())].map((row) => [row, met.form.read(row, met.reading)] as const));
  return wanted.map(({ members, promptIndex }) => {
    const own = members.map((i) => {
      const rollout = found.get(rows.get(i)!)?.[index.branch[i]!];
      if (!rollout)
        throw new TraceError(`${containers[index.file[i]!]?.file.path ?? "a file"} has changed since it was opened: open it again`);
      return { found: rollout, reward: known(rewards[i]) };
    });
    return groupRecord(step, promptIndex, own, weights, decoder);
  });
}

/** The set of all rollouts that are in the index by now. */
export function setOf(indexed: Indexed): TraceSet {
  const { index, met, logged, choice } = indexed;
  const steps = orderedSteps(index);
  const isChosen = Object.values(choice.columns ?? {}).some(({ weight }) => weight !== undefined && weight !== null);
  const totals = totalsOf(index, steps, isChosen);
  const report = reportOf(index, steps, totals, met);
  const byStep = new Map(steps.map((each) => [each.step, each] as const));
  const countsTokens = !met.reading.seen.tokens.has("words");
  return {
    report,
    steps: stepRecords({ ...index, reward: [...totals.rewards] }, steps, logged, countsTokens),
    rows: rowsOf(index, totals.rewards, steps),
    prompts: index.prompts.told,
    async groups(step, promptIndices) {
      const ordered = byStep.get(step);
      return ordered ? groupsOf(indexed, ordered, totals, promptIndices ?? null) : [];
    },
  };
}
