// Problems drawn at random, split into those for training and those held out. An example's id spells its
// problem, so whoever needs that again, such as an environment, reads it from there.
import { Random } from "../random.ts";
import type { DataLoader, Example } from "../types.ts";
import { hash32, isHeldOut, problemStream } from "./problems.ts";

/** Plain data, so that JSON text says it all. */
type Plain = string | number | boolean | readonly Plain[] | { readonly [key: string]: Plain };

interface ProblemSource<Problem extends Plain> {
  /** Opens every id; names the task. */
  readonly label: string;
  draw(random: Random): Problem;
  /** The same for problems that ask the same; the problem's own text where left out. */
  key?(problem: Problem): string;
  /** What the problem says and expects. */
  pose(problem: Problem): Pick<Example, "messages" | "answer">;
}

export interface Problems<Problem> {
  trainLoader(): DataLoader;
  evaluation(count: number): readonly Example[];
  /** The problem that an example is about. */
  problemOf(example: Example): Problem;
  exampleOf(problem: Problem): Example;
}

/** What tasks define that put a question and expect an answer. */
interface AskingDefinition<Options, Problem> {
  readonly id: string;
  draw(options: Options, random: Random): Problem;
  key?(problem: Problem): string;
  ask(problem: Problem): string;
}

/** The problems of such a task with these options. @param answer what is expected, or what people are told was. */
export function askedProblems<Options, Problem extends Plain>(
  definition: AskingDefinition<Options, Problem>,
  answer: (problem: Problem) => string,
  options: Options,
  seed: number,
): Problems<Problem> {
  const { id, key, ask } = definition;
  return splitProblems(
    {
      label: id,
      draw: (random) => definition.draw(options, random),
      ...(key ? { key } : {}),
      pose: (problem) => ({ messages: [{ role: "user", content: ask(problem) }], answer: answer(problem) }),
    },
    seed,
  );
}

/** Both sides of the split, seeded; every draw is repeated until it falls on the wanted side. */
export function splitProblems<Problem extends Plain>(source: ProblemSource<Problem>, seed: number): Problems<Problem> {
  const { label, draw, pose } = source;
  const textOf = (problem: Problem) => JSON.stringify(problem);
  const keyOf = (problem: Problem) => `${label}/${source.key?.(problem) ?? textOf(problem)}`;
  const drawFrom = (heldOut: boolean, random: Random): Problem => {
    // One problem in eight is held out, so even 10,000 refusals in a row do not happen.
    for (let attempt = 0; attempt < 10_000; attempt++) {
      const problem = draw(random);
      if (isHeldOut(keyOf(problem)) === heldOut) return problem;
    }
    throw new Error(`internal: ${label} has no ${heldOut ? "held-out" : "training"} problem`);
  };
  const exampleOf = (problem: Problem): Example => ({ id: `${label}/${textOf(problem)}`, ...pose(problem) });
  return {
    trainLoader: () => problemStream(seed, `${label}/train`, (random) => exampleOf(drawFrom(false, random))),
    evaluation(count) {
      const random = new Random(hash32(`${label}/evaluation/${seed}`));
      const found = new Map<string, Example>();
      for (let draws = 0; found.size < count && draws < 50 * count; draws++) {
        const problem = drawFrom(true, random);
        const key = keyOf(problem);
        if (!found.has(key)) found.set(key, exampleOf(problem));
      }
      return [...found.values()];
    },
    exampleOf,
    problemOf: ({ id }) => JSON.parse(id.slice(label.length + 1)) as Problem,
  };
}
