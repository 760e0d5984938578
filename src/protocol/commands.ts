// What an engine can be asked. The schema checks a command at the edge, and the types are its own, so
// there is one list. Each command carries an id, chosen by whoever asks, and gets exactly one answer with
// that id (see "answer" in messages.ts); "done" below says when. What a start's configuration holds is
// checked with better words when the run is planned.

import { liveSettingsSchema } from "./config/configFacts.ts";
import { customRewardSchema, judgedAnswerSchema } from "./config/customRewards.ts";
import { type RunConfig, type RunConfigInput, runConfigSchema } from "./config.ts";
import { isRecord } from "./problems.ts";
import type { GroupRecord, GroupSummary } from "./records.ts";
import { tableQuerySchema } from "./rollouts/rolloutTable.ts";
import { pairQuerySchema } from "./rollouts/runPair.ts";
import { RUN_SPLITS, TRACE_ROLES } from "./rollouts/traces.ts";
import { runLabelSchema } from "./run/runLabel.ts";
import { z } from "./zod.ts";

const id = z.int().min(0);
const runId = z.string().min(1).max(100);
const paused = z.boolean().exactOptional();
const config = z.custom<RunConfigInput>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "must be an object",
);

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array, "must be bytes");

/** A browser's File or any Blob, of which parts are read where they lie. */
export interface FileParts {
  readonly size: number;
  slice(begin: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
}
const fileParts = z.custom<FileParts>(
  (value) => isRecord(value) && typeof value.size === "number" && typeof value.slice === "function",
  "must be a file",
);

const traceChoice = z.strictObject({
  columns: z
    .record(z.string(), z.strictObject({ role: z.enum(TRACE_ROLES), weight: z.number().nullable().exactOptional() }))
    .exactOptional(),
  form: z.string().max(100).exactOptional(),
  tokenizer: z.string().max(400).exactOptional(),
  runs: z.enum(RUN_SPLITS).exactOptional(),
  run: z.string().max(4_000).exactOptional(),
});

function command<T extends string, S extends z.ZodRawShape>(type: T, fields: S) {
  return z.strictObject({ id, type: z.literal(type), ...fields });
}

export const commandSchema = z.discriminatedUnion("type", [
  /**
   * Builds a run, which takes the place of the one before. Done when it has begun: running, or standing still if `paused`.
   * With `inherit` it begins with the weights of the transformer that stands here, in its shape.
   */
  command("start", { runId, config, paused, inherit: z.boolean().exactOptional() }),
  /**
   * The same from a run's save; `backend` computes instead of the one in its configuration. With `copyAs` it goes
   * on as a new run of that id and the save stays as it is, which is the only way while another tab has the run.
   */
  command("continue", {
    runId,
    paused,
    backend: runConfigSchema.shape.backend.unwrap().exactOptional(),
    threads: runConfigSchema.shape.threads.unwrap().exactOptional(),
    copyAs: runId.exactOptional(),
  }),
  /**
   * Goes on from the end of an earlier step of a saved run, as a new run with the id `forkAs`: from the nearest
   * checkpoint, to the bit. `settings` hold from the next step on. Done when it has begun.
   */
  command("fork", { runId, step: z.int().min(0), settings: z.record(z.string(), z.unknown()).exactOptional(), forkAs: runId, paused }),
  /**
   * Shows a saved run without building it: one that is kept here, or the files of one from elsewhere, which are not kept. It takes the
   * place of the run before, which stays saved. Done when it stands at `step`, or at its end, or plays unless `paused`.
   * With `traces` rollouts that another program wrote are shown in the same way, as far as its files go; "asking" events say how far
   * the reading is, and nothing is kept. They are read otherwise by opening them again with another choice.
   */
  command("open", {
    runId: runId.exactOptional(),
    files: z
      .array(z.strictObject({ name: z.string(), bytes }))
      .min(1)
      .exactOptional(),
    traces: z
      .strictObject({ files: z.array(z.strictObject({ path: z.string().max(4_000), parts: fileParts })).min(1), choice: traceChoice })
      .exactOptional(),
    step: z.int().min(0).exactOptional(),
    paused,
  }),
  /** Moves a run that is shown so to a step, and sets how fast it plays, 1 as it went. */
  command("seek", { step: z.int().min(0).exactOptional(), speed: z.number().min(0.1).max(100).exactOptional() }),
  /** Done when the run stands still at the end of a phase; failed when a later resume overtakes it. */
  command("pause", {}),
  /** Goes on to the step limit, or pauses when the step `until` is over. Done when the run goes on. */
  command("resume", { until: z.int().min(1).exactOptional() }),
  /** Runs one whole step, one phase, or one part of an update (UPDATE_PARTS; elsewhere a phase), then pauses. Done when that is over. */
  command("advance", { unit: z.enum(["step", "phase", "part"]) }),
  /** Ends the run and keeps what it recorded; gives up one that is being prepared. Done when saved. */
  command("stop", {}),
  /** Forgets the run and its save. */
  command("reset", {}),
  command("set", { settings: liveSettingsSchema }),
  /** Waits this long after each phase, to watch; 0 runs at full speed. */
  command("pace", { delayMs: z.number().min(0).max(60_000) }),
  /** Asks for the groups of a step that is still kept: all of them, or one prompt's. */
  command("inspect", { step: z.int().min(0), promptIndex: z.int().min(0).exactOptional() }),
  /**
   * Asks the table of the rollouts of these steps, which is read step by step the first time and for what looks at
   * texts; "asking" tells how far it is.
   */
  command("table", { steps: z.array(z.int().min(0)).max(200_000), query: tableQuerySchema }),
  /** Asks how two of the runs whose files were opened together compare on the same prompts, and for the answers to one of these. */
  command("pair", { query: pairQuerySchema }),
  /**
   * Asks what the rollouts of a step that is still kept would have come to otherwise; nothing is sampled for it and the run stays as it is.
   * `settings` scores them again, and what is left out is as in the run; `algorithm` weighs them as another one would; `byHand` gives one
   * group its rewards. With `copy` the update is taken so on a copy, at the next end of a phase, and both are asked for
   * answers to one prompt.
   */
  command("otherwise", {
    step: z.int().min(0),
    settings: z
      .strictObject({
        rewardWeights: runConfigSchema.shape.rewardWeights.unwrap().exactOptional(),
        rewardRules: runConfigSchema.shape.rewardRules.unwrap().exactOptional(),
        rewardGates: runConfigSchema.shape.rewardGates.unwrap().exactOptional(),
        rewardClip: runConfigSchema.shape.rewardClip.unwrap().exactOptional(),
        customRewards: runConfigSchema.shape.customRewards.unwrap().exactOptional(),
        judges: runConfigSchema.shape.judges.unwrap().exactOptional(),
      })
      .exactOptional(),
    byHand: z
      .strictObject({
        promptIndex: z.int().min(0),
        rewards: z.array(z.number().min(-1000).max(1000)).min(1).max(4096),
      })
      .exactOptional(),
    algorithm: z.string().min(1).max(80).exactOptional(),
    copy: z.strictObject({ promptIndex: z.int().min(0), samples: z.int().min(1).max(64) }).exactOptional(),
  }),
  /** Asks what a custom reward gives to answers that were typed, whatever run there is; nothing of it is touched. */
  command("try-reward", {
    reward: customRewardSchema,
    answers: z.array(judgedAnswerSchema).min(1).max(64),
    seed: runConfigSchema.shape.seed.unwrap(),
  }),
  /**
   * Asks what a judge of a configuration says to answers that were typed, whatever run there is; its model is opened
   * for that where it is not open.
   */
  command("try-judge", { config, name: z.string().max(60), answers: z.array(judgedAnswerSchema).min(1).max(64) }),
  /** Asks the model a prompt, or the first held-out problem, with the weights of now and of the start. Done at the next end of a phase. */
  command("ask", { prompt: z.string().min(1).max(4000).exactOptional(), samples: z.int().min(1).max(64) }),
  /** Asks what the run has recorded of the same prompts over its steps. */
  command("probes", {}),
  /** Asks for the likeliest tokens in place of those of a kept completion. Done at the next end of a phase. */
  command("alternatives", {
    step: z.int().min(1),
    promptIndex: z.int().min(0),
    trajectoryIndex: z.int().min(0),
    index: z.int().min(0).optional(),
  }),
  /**
   * Takes the update of a kept step on a copy and asks what moved one of its tokens: whose push, and Adam's momentum.
   * The run stays as it is. Done at the next end of a phase.
   */
  command("attribution", {
    step: z.int().min(1),
    promptIndex: z.int().min(0),
    trajectoryIndex: z.int().min(0),
    tokenIndex: z.int().min(0),
  }),
  /**
   * Scores the tokens of a kept step with the weights after its update, where these are there and that was not
   * measured, and asks for its groups. `orNewer`: of the newest step whose weights are there, where that step's are
   * gone. Done at the next end of a phase.
   */
  command("measure", { step: z.int().min(1), orNewer: z.boolean().exactOptional() }),
  /** Says that these texts of code have been read and may run: what a configuration brings is refused otherwise. */
  command("allow-code", { sources: z.array(z.string().max(20_000)).max(100) }),
  /** Asks what a run of this configuration would take of the memory. */
  command("estimate", { config }),
  /** Asks how the conversations of a configuration's task open, and how many problems it has. */
  command("preview", { config }),
  /**
   * Asks what the answers of its first step would earn, and what the run would take: it is sampled and judged on a copy
   * that is thrown away.
   */
  command("try-step", { config }),
  /** Plays a conversation of its environment by hand, from its opening to what is said here. */
  command("play", {
    config,
    problem: z.int().min(0).max(1_000_000),
    said: z
      .array(
        z.strictObject({
          text: z.string().max(20_000),
          calls: z
            .array(z.strictObject({ name: z.string().max(100), arguments: z.record(z.string(), z.unknown()) }))
            .max(16)
            .exactOptional(),
        }),
      )
      .max(64),
  }),
  /** Asks for the policy as a Hugging Face folder. */
  command("export-model", {}),
  /**
   * Asks for the run as it stands between two steps, as one file that goes on from there. Done at the next end of a
   * phase; refused in the middle of a step.
   */
  command("export-save", {}),
  /**
   * Asks for a run as one file to hand on: the one that stands here, or a saved one. `checkpoint` takes its weights
   * along, `place` says where it opens. In `mostBytes` goes what of it fits, and the answer says what that is: first
   * the answer `shown`, with what the page has of its step in `here` where the engine has not, or what was asked over
   * time with `isOverTime`. Refused where not even the settings fit.
   */
  command("export-rollout", {
    runId: runId.exactOptional(),
    checkpoint: z.boolean().exactOptional(),
    mostBytes: z.int().min(1).exactOptional(),
    shown: z
      .strictObject({
        step: z.int().min(0),
        promptIndex: z.int().min(0),
        trajectoryIndex: z.int().min(0),
        tokenIndex: z.int().min(0).exactOptional(),
      })
      .exactOptional(),
    here: z
      .strictObject({
        phase: z.enum(["update", "evaluate"]),
        config: z.custom<RunConfig>(),
        summaries: z.custom<readonly GroupSummary[]>(),
        groups: z.custom<readonly GroupRecord[]>(),
      })
      .exactOptional(),
    isOverTime: z.boolean().exactOptional(),
    place: z.string().max(4_000).exactOptional(),
  }),
  /** Stores what is not stored yet, as when the page hides. Done when it is stored; nothing to do where there is no run. */
  command("save", {}),
  /**
   * Lists the saved runs anew, which a "saves" event tells: other tabs and other engines of this page save runs too.
   * Done when it was told.
   */
  command("list-saves", {}),
  /** Deletes a save; refused for the run that is here and for one that another tab has. */
  command("delete-save", { runId }),
  /** Asks for all that a saved run has recorded, to be compared with others; whatever stands here stays as it is. */
  command("records", { runId }),
  /** Writes a name, notes, tags or a pin on a saved run, in the place of what was written there; whoever trains it is not disturbed. */
  command("label", { runId, label: runLabelSchema }),
  /** Asks for a save as one file, also one that cannot be continued. */
  command("read-save", { runId }),
  /**
   * Keeps a save from elsewhere: one such file, or the files of a run folder's save/. It gets its own id, or the next
   * free one; one that is here already stays as it is.
   */
  command("add-save", { files: z.array(z.strictObject({ name: z.string(), bytes })).min(1) }),
]);

/** A command with its id, as the engine takes it. */
export type Command = z.output<typeof commandSchema>;
/** The name of a command. */
export type CommandType = Command["type"];
/** The command of a name. */
export type CommandOf<K extends CommandType> = Extract<Command, { readonly type: K }>;
/** What a command asks, before it has got its id. */
export type CommandBody = { readonly [K in CommandType]: Omit<CommandOf<K>, "id"> }[CommandType];
