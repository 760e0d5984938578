// What a configuration changes of any task: examples shown before each question, how many training problems there are and in
// which order they come, how many turns a conversation may have, and which turns are trained.
import { InputError, type Problem } from "../../protocol/problems.ts";
import { lastUserIn } from "../data/ownPrompt.ts";
import { hash32, loaderOf } from "../data/problems.ts";
import { Random } from "../random.ts";
import { callsTools } from "../tools/toolRunner.ts";
import type { DataLoader, Example, Message } from "../types.ts";
import type { TaskInstance, TrainedTurn } from "./task.ts";

/** Questions and answers as somebody shows them to the policy first. */
interface ShownExample {
  readonly question: string;
  readonly answer: string;
}

/** The fields of a configuration that are read here. */
interface TaskSettings {
  readonly seed: number;
  readonly examples: readonly ShownExample[];
  readonly trainLimit: number;
  readonly trainOrder: "draws" | "epochs";
  readonly maxTurns: number;
  readonly trainTurns: "all" | "last" | "calls" | "answers";
}

/** Most problems that are looked for in an endless stream, so that a small task ends the search. */
const MOST_DRAWS = 50;

/** The first `limit` different problems of a stream, fewer where it has not as many. */
function firstProblems(loader: DataLoader, limit: number): readonly Example[] {
  const found = new Map<string, Example>();
  for (let draws = 0; found.size < limit && draws < MOST_DRAWS * limit; draws++) {
    const [example] = loader.next(1);
    if (example && !found.has(example.id)) found.set(example.id, example);
  }
  return [...found.values()];
}

/** Places 0 .. count - 1 in the order of one epoch (Fisher and Yates). */
function shuffled(count: number, random: Random): Int32Array {
  const places = Int32Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [places[i], places[j]] = [places[j]!, places[i]!];
  }
  return places;
}

/** Problems of a list without end: drawn one by one, or each once an epoch in an order of that epoch's own. */
function listLoader(list: readonly Example[], { seed, trainOrder }: TaskSettings): DataLoader {
  let epoch: { readonly number: number; readonly order: Int32Array } = { number: -1, order: new Int32Array(0) };
  const placeAt = (at: number): number => {
    if (trainOrder === "draws") return new Random(hash32(`problems/${seed}/${at}`)).below(list.length);
    const number = Math.floor(at / list.length);
    if (epoch.number !== number) epoch = { number, order: shuffled(list.length, new Random(hash32(`epoch/${seed}/${number}`))) };
    return epoch.order[at % list.length]!;
  };
  return loaderOf((position) => list[placeAt(position)]!);
}

/** As many of a list as the configuration trains on. */
const limited = (all: readonly Example[], { trainLimit }: TaskSettings): readonly Example[] =>
  trainLimit === 0 ? all : all.slice(0, trainLimit);

/** The training problems as the configuration wants them. */
function trainLoader(task: TaskInstance, settings: TaskSettings): DataLoader {
  const { trainLimit, trainOrder } = settings;
  if (trainLimit === 0 && trainOrder === "draws") return task.trainLoader();
  const all = task.trainProblems?.();
  if (all) return listLoader(limited(all, settings), settings);
  return listLoader(firstProblems(task.trainLoader(), trainLimit), settings);
}

/** The examples as turns of a conversation, before what is asked; a system's message stays first. */
function withExamples(messages: readonly Message[], shown: readonly ShownExample[]): readonly Message[] {
  const at = Math.max(0, lastUserIn(messages));
  const turns = shown.flatMap(({ question, answer }): Message[] => [
    { role: "user", content: question },
    { role: "assistant", content: answer },
  ]);
  return [...messages.slice(0, at), ...turns, ...messages.slice(at)];
}

function mapped(loader: DataLoader, change: (example: Example) => Example): DataLoader {
  return { next: (count) => loader.next(count).map(change), state: () => loader.state(), restore: (state) => loader.restore(state) };
}

const TURNS: Readonly<Record<TaskSettings["trainTurns"], ((turn: TrainedTurn) => boolean) | null>> = {
  all: null,
  last: ({ index, count }) => index === count - 1,
  calls: ({ message }) => callsTools(message),
  answers: ({ message }) => !callsTools(message),
};

/** A task under the settings of a configuration; what the task says of its turns holds beside them. */
export function configuredTask(task: TaskInstance, settings: TaskSettings): TaskInstance {
  const { examples, maxTurns, trainTurns } = settings;
  const changed = new WeakMap<Example, Example>();
  const shown = (example: Example): Example => {
    if (examples.length === 0) return example;
    const known = changed.get(example) ?? { ...example, messages: withExamples(example.messages, examples) };
    changed.set(example, known);
    return known;
  };
  const { asks, trainsTurn: own } = task;
  const chosen = TURNS[trainTurns];
  return {
    ...task,
    trainLoader: () => (examples.length === 0 ? trainLoader(task, settings) : mapped(trainLoader(task, settings), shown)),
    ...(task.trainProblems ? { trainProblems: () => limited(task.trainProblems!(), settings).map(shown) } : {}),
    evaluation: (count) => (examples.length === 0 ? task.evaluation(count) : task.evaluation(count).map(shown)),
    ...(asks && examples.length > 0
      ? {
          asks(prompt) {
            const read = asks(prompt);
            return read ? shown(read) : read;
          },
        }
      : {}),
    ...(maxTurns > 0 ? { maxTurns } : {}),
    ...(chosen ? { trainsTurn: (turn) => chosen(turn) && (own?.(turn) ?? true) } : {}),
  };
}

/** Throws InputError for what a task cannot have of these settings. @param rendersMessages whether its renderer shows what messages say. */
export function checkTaskSettings(task: TaskInstance, settings: TaskSettings, rendersMessages: boolean): void {
  const { examples, trainLimit, trainOrder } = settings;
  const problems: Problem[] = [];
  if (trainOrder === "epochs" && trainLimit === 0 && !task.trainProblems)
    problems.push({
      field: "trainOrder",
      message:
        'trainOrder must be "draws" where a task draws its problems without end, got "epochs": trainLimit says how many there are to be',
    });
  if (examples.length > 0 && !(rendersMessages && showsExamples(task, examples)))
    problems.push({
      field: "examples",
      message: "examples must be left out in a task that opens its conversations itself: what they show would never be seen",
    });
  if (problems.length > 0) throw new InputError(problems);
}

/** Whether an environment opens with the messages of its problem, examples among them; one that is built elsewhere is taken at its word. */
function showsExamples(task: TaskInstance, shown: readonly ShownExample[]): boolean {
  if (task.prepare) return true;
  const [example] = task.evaluation(1);
  if (!example || task.envs.buildEnvs) return example !== undefined;
  const { messages } = task.envs.build({ ...example, messages: withExamples(example.messages, shown) }, 0).start();
  return shown.every(({ question }) => messages.some(({ content }) => content === question));
}
