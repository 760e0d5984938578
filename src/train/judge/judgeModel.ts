// The model of a judge: a pretrained model that stands still, on the kind of backend that the run computes on. It takes the
// form of a base beside adapters, in the types in which it is stored, with adapters that are zero: so it has no gradient,
// no moments and no copy in single precision. A verdict hangs on what is asked alone, not on what else is in its batch.
import type { PackedBatch, TransformerBackend, Workload } from "../../model/backend.ts";
import { readStoredFolder, storedTypes } from "../../model/folder/checkpoint.ts";
import { readModelConfig } from "../../model/folder/configFile.ts";
import { GGML_TYPES } from "../../model/folder/ggmlTypes.ts";
import { textFile } from "../../model/folder/modelFolder.ts";
import { type AdaptedLayout, adaptedLayout, type LoraConfig } from "../../model/lora/adapters.ts";
import { type FrozenBase, hollowBase } from "../../model/lora/frozenBase.ts";
import { sizeOf } from "../../model/tensors.ts";
import { parameterCount, type TransformerConfig } from "../../model/transformerConfig.ts";
import { type RunConfig, runConfigSchema } from "../../protocol/config.ts";
import type { Judge, JudgeModelReport } from "../../protocol/custom/judges.ts";
import { errorText, InputError } from "../../protocol/problems.ts";
import { namedJudges } from "../../rl/judge/judge.ts";
import type { Message, Renderer } from "../../rl/types.ts";
import { chooseBackend } from "../backend/chooseBackend.ts";
import { checkpointFolder, type ModelReader, rendererOf } from "../backend/loadRenderer.ts";
import type { Computing } from "../host.ts";

/** What of a run decides how its judges compute. */
export type JudgeBackend = Pick<RunConfig, "backend" | "threads" | "reproducible">;

/** A judge's model, ready to be asked. */
export interface JudgeModel {
  readonly report: Omit<JudgeModelReport, "name">;
  readonly backend: TransformerBackend;
  readonly renderer: Renderer;
  /** Whether its device has gone. */
  isLost(): boolean;
  dispose(): void;
}

/** Adapters that are zero, the fewest that there can be. */
const NO_ADAPTERS: LoraConfig = { rank: 1, alpha: 1, rankStabilized: false, targets: ["q_proj"] };

/** The configuration of a run that would begin with a judge's model. */
function asRun(checkpoint: string, settings: JudgeBackend): RunConfig {
  const { backend } = settings;
  // A server computes no judge.
  const here = backend === "tinker" ? "auto" : backend;
  return { ...runConfigSchema.parse({}), ...settings, backend: here, checkpoint, model: "transformer", startFrom: "checkpoint" };
}

async function folderOf(config: RunConfig, host: ModelReader) {
  const folder = await checkpointFolder(config, host);
  if (!folder) throw new Error(`internal: checkpoint ${config.checkpoint} has no folder`);
  return folder;
}

function checkVocabulary(checkpoint: string, { vocabularySize }: TransformerConfig, renderer: Renderer): void {
  if (vocabularySize >= renderer.vocabularySize) return;
  throw new Error(`checkpoint ${checkpoint} has ${vocabularySize} tokens, but its tokenizer ${renderer.vocabularySize}`);
}

/** What is known of a judge's model without its weights. */
export interface JudgeShape {
  readonly checkpoint: string;
  readonly shape: TransformerConfig;
  /** Its base, with nothing in its tensors. */
  readonly frozen: FrozenBase;
}

async function judgeShape(checkpoint: string, settings: JudgeBackend, host: ModelReader): Promise<JudgeShape> {
  const config = asRun(checkpoint, settings);
  const folder = await folderOf(config, host);
  const shape: TransformerConfig = { ...readModelConfig(await textFile(folder, "config.json")), valueHead: false };
  const types = await storedTypes(folder);
  const frozen: FrozenBase = {
    tensors: hollowBase(shape, (name) => types(name) ?? GGML_TYPES[0]!),
    adapted: adaptedLayout(shape, NO_ADAPTERS),
  };
  return { checkpoint, shape, frozen };
}

/**
 * The models of a configuration's judges, each once, by the name of the first that asks it. Throws a problem of its
 * field where one is not here.
 */
export async function judgeShapes(config: RunConfig, host: ModelReader): Promise<readonly (readonly [name: string, model: JudgeShape])[]> {
  const judges = Object.entries(namedJudges(config));
  const first = judges.filter(([, { checkpoint }], i) => judges.findIndex(([, each]) => each.checkpoint === checkpoint) === i);
  return Promise.all(
    first.map(async ([name, { checkpoint }]) => {
      const found = await judgeShape(checkpoint, config, host).catch((error: unknown) => {
        throw judgeFault(name, error);
      });
      return [name, found] as const;
    }),
  );
}

/** Rows of a batch: the pass is as quick as a longer one, and others are let in between. */
export const BATCH_ROWS = 768;
/** Conversations that are answered in words at once. */
export const WRITTEN_AT_ONCE = 64;
/** Rows of a prompt, where its length is not known yet. */
const USUAL_PROMPT = 256;

/** The largest requests that judges make of their model. */
export function judgeWorkload(judges: readonly Judge[], { maxPositions }: TransformerConfig): Workload {
  const tokens = (count: number) => new Array<number>(Math.min(count, maxPositions - 1)).fill(0);
  const scored = packScale({ prefix: tokens(1), texts_Q: [tokens(BATCH_ROWS)], targets: [0] });
  const written = judges.filter(({ read }) => read === "written");
  const rollouts = written.map(({ maxTokens }) => ({
    slots: ["policy" as const],
    prompts: new Array<number[]>(WRITTEN_AT_ONCE).fill(tokens(USUAL_PROMPT)),
    promptOf_B: Int32Array.from({ length: WRITTEN_AT_ONCE }, (_, b) => b),
    expectedTokens: maxTokens,
    stopTokens: 1,
  }));
  const nothing = packScale({ prefix: [], texts_Q: [[0]], targets: [0] });
  return { rollouts, scored, scores: ["policy"], updated: nothing, probed: null, microBatchTokens: 64, hasReference: false };
}

async function openBackend(config: RunConfig, renderer: Renderer, host: Computing, onLost: () => void) {
  const { config: shape, tensors } = await readStoredFolder(await folderOf(config, host));
  checkVocabulary(config.checkpoint, shape, renderer);
  const adapted: AdaptedLayout = adaptedLayout(shape, NO_ADAPTERS);
  const frozen: FrozenBase = { tensors, adapted, tokenizerSize: renderer.vocabularySize };
  const { backend, report } = await chooseBackend(config, shape, host, onLost, frozen);
  try {
    await backend.setWeights("policy", new Float32Array(sizeOf(adapted.layout)));
  } catch (error) {
    backend.dispose();
    throw error;
  }
  return { backend, report: { checkpoint: config.checkpoint, backend: report.id, parameters: parameterCount(shape) } };
}

/** Opens the model of that name. Throws a sentence that names it where it is not here or is none that can judge. */
export async function openJudgeModel(checkpoint: string, settings: JudgeBackend, host: Computing): Promise<JudgeModel> {
  const config = asRun(checkpoint, settings);
  let isLost = false;
  const renderer = await rendererOf(config, "chat", host);
  const { backend, report } = await openBackend(config, renderer, host, () => {
    isLost = true;
  });
  return { report, backend, renderer, isLost: () => isLost, dispose: () => backend.dispose() };
}

/** What is wrong with a judge's model, as a problem of its field. */
export function judgeFault(name: string, error: unknown): InputError {
  const field = `judges.${name}.checkpoint`;
  const text = errorText(error);
  const message = text.startsWith("checkpoint ") ? `${field}${text.slice("checkpoint".length)}` : `${field}: ${text}`;
  return new InputError([{ field, message }]);
}

/** A batch of texts behind what their prompts begin with, scored at their last row on the same few tokens. */
interface ScaleBatch {
  readonly prefix: readonly number[];
  readonly texts_Q: readonly (readonly number[])[];
  readonly targets: readonly number[];
}

/** Texts as segments behind one prefix, or, where there is none, each by itself. The scores of text q are targets.length in a row. */
export function packScale({ prefix, texts_Q, targets }: ScaleBatch): PackedBatch {
  const hasPrefix = prefix.length > 0;
  const Q = texts_Q.length;
  const A = targets.length;
  const rows = prefix.length + texts_Q.reduce((sum, { length }) => sum + length, 0);
  const segments = Q + (hasPrefix ? 1 : 0);
  const units = hasPrefix ? 1 : Q;
  const batch: PackedBatch = {
    tokens_N: new Int32Array(rows),
    segmentStart_S: new Int32Array(segments),
    segmentLength_S: new Int32Array(segments),
    segmentPrefix_S: new Int32Array(segments).fill(hasPrefix ? 0 : -1),
    scoreRow_K: new Int32Array(Q * A),
    scoreTarget_K: new Int32Array(Q * A),
    sequenceStart_Q: Int32Array.from({ length: Q + 1 }, (_, q) => q * A),
    unitSegment_U: hasPrefix ? Int32Array.of(0, segments) : Int32Array.from({ length: units + 1 }, (_, u) => u),
    unitSequence_U: hasPrefix ? Int32Array.of(0, Q) : Int32Array.from({ length: units + 1 }, (_, u) => u),
    temperature: 1,
  };
  let row = 0;
  let segment = 0;
  const place = (tokens: readonly number[]) => {
    batch.tokens_N.set(tokens, row);
    batch.segmentStart_S[segment] = row;
    batch.segmentLength_S[segment] = tokens.length;
    segment += 1;
    row += tokens.length;
  };
  if (hasPrefix) {
    place(prefix);
    batch.segmentPrefix_S[0] = -1;
  }
  for (const [q, text] of texts_Q.entries()) {
    place(text);
    batch.scoreRow_K.fill(row - 1, q * A, (q + 1) * A);
    batch.scoreTarget_K.set(targets, q * A);
  }
  return batch;
}

/** The beginning that two prompts share, a token less, so that what joins it to a text stays with the text. */
export function sharedBeginning(a: readonly number[], b: readonly number[]): readonly number[] {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a[length] === b[length]) length++;
  return a.slice(0, Math.max(0, length - 1));
}

/** The ids that an assistant's turn says a text with, without what ends the turn. */
export function answerTokens(content: string, renderer: Renderer): readonly number[] {
  const message: Message = { role: "assistant", content };
  const ids = renderer.renderCompletion(message);
  return renderer.stopTokens.includes(ids.at(-1) ?? -1) ? ids.slice(0, -1) : ids;
}
