// A task that a configuration brings: its problems, what opens a conversation, and an environment whose code runs in the
// sandbox. What lies elsewhere is fetched when a run is prepared; a recording, which asks nobody, goes without.

import type { RunConfig } from "../../../protocol/config.ts";
import { customEntry } from "../../../protocol/custom/customEntry.ts";
import type { CustomTask } from "../../../protocol/custom/customTasks.ts";
import { errorText, orThrow } from "../../../protocol/problems.ts";
import { z } from "../../../protocol/zod.ts";
import { isOwnPrompt, lastUserIn } from "../../data/ownPrompt.ts";
import { type ProblemSplit, type QuestionAnswer, splitList } from "../../data/problemList.ts";
import { singleTurnEnvs } from "../../envs/dialogue.ts";
import { reaches } from "../../rewards/combineParts.ts";
import { trueAnswer } from "../../rewards/library/trueAnswer.ts";
import { toolErrors } from "../../rewards/reportedRewards.ts";
import { defineReward } from "../../rewards/rewardRule.ts";
import { saying } from "../../rollout/demonstration.ts";
import type { EnvBuilder, Example, Message, RulePart, State, Trajectory } from "../../types.ts";
import type { Task, TaskInstance } from "../task.ts";
import { type Described, readDescribed } from "./described.ts";
import { problemsOf } from "./ownProblems.ts";
import { jobOf, sandboxedEnvs } from "./sandboxEnv.ts";
import type { TaskWorld } from "./world.ts";

/** Openings that are asked for beforehand, so that the memory a run takes can be told. */
const LOOKED_AT = 16;

const earned = defineReward({
  name: "earned",
  title: "Earned",
  help: "What the environment gave, all turns together.",
  weight: 1,
  score: (_, __, { report }) => report?.metrics.earned ?? null,
  turns: (_, __, { report }) => (report?.turns ?? []).map(({ reward = 0 }) => reward),
});

const CUT: readonly string[] = ["max-tokens", "max-turns", "max-calls", "max-context"];
const unfinished = defineReward({
  name: "unfinished",
  title: "Unfinished",
  help: "1 where a limit of turns, calls or tokens ended the conversation.",
  weight: 0,
  score: (_, __, { stopReason }) => (CUT.includes(stopReason) ? 1 : 0),
});

/** What a task is once it is prepared. */
interface Prepared {
  readonly split: ProblemSplit;
  readonly envs: EnvBuilder;
}

/** Looks at the module of an environment. Throws a sentence that names the line of what is wrong. */
export async function describedEnvironment(name: string, { environment }: CustomTask, { sandbox }: TaskWorld): Promise<Described> {
  if (!environment || !sandbox) throw new Error(`customTasks.${name} needs a sandbox for its environment, and there is none here`);
  const [answer] = await sandbox.runFramed({ job: jobOf(environment), inputs: [{ value: '{"does":"describe"}', seed: 0 }] });
  if (!answer || !("json" in answer)) throw new Error(`customTasks.${name}: its environment ${answer?.reason ?? "was not answered"}`);
  return orThrow(
    () => readDescribed(JSON.parse(answer.json)),
    (cause) => new Error(`customTasks.${name}: ${errorText(cause)}`, { cause }),
  );
}

function messagesOf({ system }: CustomTask, { question, messages }: QuestionAnswer): readonly Message[] {
  const asked = messages ?? [{ role: "user", content: question } as const];
  return system === "" || asked.some(({ role }) => role === "system") ? asked : [{ role: "system", content: system }, ...asked];
}

/** What opens the first conversations, by example's id. */
async function openingsOf(split: ProblemSplit, envs: EnvBuilder, seed: number): Promise<ReadonlyMap<string, State>> {
  const examples = [...split.trainLoader().next(LOOKED_AT), ...split.evaluation(LOOKED_AT)];
  const built = await envs.buildEnvs!(examples.map((example) => ({ example, seed })));
  return new Map(examples.map(({ id }, i) => [id, built[i]!.start()]));
}

async function prepared(name: string, task: CustomTask, seed: number, world: TaskWorld): Promise<Prepared> {
  const problems = await problemsOf(name, task, world);
  const open = (problem: QuestionAnswer) => messagesOf(task, problem);
  const heldOut = problems.filter((problem) => problem.heldOut === true);
  const training = problems.filter((problem) => problem.heldOut !== true);
  const split = splitList({ id: name, open, problems: training, ...(heldOut.length > 0 ? { heldOut } : {}) }, seed);
  const { environment } = task;
  if (!environment) return { split, envs: singleTurnEnvs };
  const described = await describedEnvironment(name, task, world);
  // Where somebody asks a prompt of their own nobody knows its answer.
  const unknown = ({ messages }: Example): QuestionAnswer => ({ question: messages[lastUserIn(messages)]?.content ?? "", answer: "" });
  const problemOf = (example: Example) => (isOwnPrompt(example) ? unknown(example) : split.problemOf(example));
  const sandboxed = { environment, described, sandbox: world.sandbox!, problemOf };
  const openings = await openingsOf(split, sandboxedEnvs(sandboxed, new Map()), seed);
  return { split, envs: sandboxedEnvs(sandboxed, openings) };
}

function partsOf(task: CustomTask): readonly RulePart[] {
  const right = trueAnswer.part({});
  const answer: RulePart = {
    name: "answer",
    title: "Answer",
    help: "1 where the last message comes to the answer.",
    weight: task.environment ? 0 : 1,
    score: (example, trajectory) => (example.answer === "" ? null : right.score(example, trajectory)),
  };
  const parts = [earned.part(), answer, toolErrors.part(), unfinished.part()];
  return customEntry("own", task).rewards.flatMap(({ name }) => parts.filter((part) => part.name === name));
}

function instanceOf(name: string, task: CustomTask, seed: number): TaskInstance {
  const { environment, solvedFrom } = task;
  const rewards = partsOf(task);
  let own: Prepared | null = null;
  const made = () => {
    if (!own) throw new Error(`the task ${name} was not prepared: its problems and its environment are not here`);
    return own;
  };
  const scoreOf = (part: string, example: Example, trajectory: Trajectory) =>
    rewards.find((each) => each.name === part)?.score(example, trajectory) ?? null;
  const hasAnswers = rewards.some((part) => part.name === "answer");
  return {
    prepare: async (world) => {
      own = await prepared(name, task, seed, world);
    },
    trainLoader: () => made().split.trainLoader(),
    trainProblems: () => made().split.trainProblems!(),
    evaluation: (count) => made().split.evaluation(count),
    envs: {
      build: (example, envSeed) => made().envs.build(example, envSeed),
      ...(environment
        ? {
            buildEnvs: (openings) => made().envs.buildEnvs!(openings),
            stepEnvs: (turns) => made().envs.stepEnvs!(turns),
          }
        : {}),
    },
    ...(environment ? { maxTurns: environment.turns } : {}),
    ...(hasAnswers ? {} : { solvedFrom }),
    rewards,
    isSuccess(example, trajectory) {
      const solved = trajectory.report?.metrics.solved;
      if (solved !== undefined) return solved === 1;
      const earned = environment ? scoreOf("earned", example, trajectory) : null;
      if (earned !== null) return reaches(earned, solvedFrom);
      return scoreOf("answer", example, trajectory) === 1;
    },
    hasForm: (_, { stopReason }) => stopReason === "completed",
    demonstration(example) {
      const { solution, answer } = made().split.problemOf(example);
      return saying(solution ?? answer);
    },
  };
}

/** A configuration's own task of that name. */
export function customTask(name: string, task: CustomTask): Task {
  return {
    entry: customEntry(name, task),
    optionsSchema: z.strictObject({}),
    rendererKind: "chat",
    create: (_, seed) => instanceOf(name, task, seed),
  };
}

/** The task that a configuration names among its own; null where it names another. */
export function customTaskOf({ task, customTasks }: Pick<RunConfig, "task" | "customTasks">): Task | null {
  return Object.hasOwn(customTasks, task) ? customTask(task, customTasks[task]!) : null;
}
