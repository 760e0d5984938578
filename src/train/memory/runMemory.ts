// What a run would take of the memory, judged before anything is built: of its backend, counted by the
// functions that take it, and of the rollouts and the save that the engine holds itself.
import { parameterCount, type TransformerConfig } from "../../model/transformerConfig.ts";
import { bytesText, type MemoryEstimate, type MemoryPart, type RunPart } from "../../protocol/memory.ts";
import { namedJudges } from "../../rl/judge/judge.ts";
import { type BackendCandidate, backendCandidates } from "../backend/backendCandidates.ts";
import { type JudgeShape, judgeWorkload } from "../judge/judgeModel.ts";
import { hollowBaseOf, type OpenedModel, shapeOf, trainedCount } from "../start/openedPlan.ts";
import type { RunPlan } from "../start/plan.ts";
import { KEPT_BYTES, KEPT_STEPS, sampledBytes } from "../step/sampledStep.ts";
import { SHOWN_EXAMPLES } from "../step/supervised.ts";
import { type BackendMemory, type Machine, sumOf } from "./backendMemory.ts";
import { withinContext } from "./modelForTask.ts";
import { mostSampled, type ProblemSizes, type Workloads, workloadsOf } from "./workloadOf.ts";

/** Share of the machine's memory that a run may take. */
const MACHINE_SHARE = 0.75;

/** A plan with what its sizes follow from, found once for whatever other settings are tried. */
export interface SizedPlan extends Pick<RunPlan, "config" | "instance">, Pick<OpenedModel, "renderer" | "stored"> {
  readonly sizes: ProblemSizes;
  /** The models of its judges, by the name of the first that each is of. */
  readonly judges: readonly (readonly [name: string, model: JudgeShape])[];
  readonly machine: Machine;
}

/** The estimate, and what it would have to fit in where it does not. */
export interface Judgement {
  readonly estimate: Pick<MemoryEstimate, "backend" | "bytes" | "parts">;
  /** To follow "to fit in"; null where it fits. */
  readonly limit: string | null;
}

const held = (holder: RunPart["holder"], parts: readonly MemoryPart[]): readonly RunPart[] => parts.map((part) => ({ ...part, holder }));

function candidateOf(id: string): BackendCandidate {
  const candidate = backendCandidates.find((each) => each.id === id);
  if (!candidate) throw new Error(`internal: backend ${id} passed the check but is not registered`);
  return candidate;
}

/** What the engine holds of rollouts: those of one step, and those kept for inspection. */
function rolloutParts({ config, instance, sizes }: SizedPlan): readonly MemoryPart[] {
  const { kind, steps } = config;
  const isSupervised = kind === "supervised";
  const prompts = isSupervised ? Math.min(SHOWN_EXAMPLES, config.demonstrationsPerStep) : config.promptsPerStep;
  const sequences = isSupervised ? prompts : prompts * config.groupSize;
  const sampled = sequences * (isSupervised ? sizes.demonstration : mostSampled(config, instance));
  const rows = prompts * sizes.prompt + sampled;
  const step = sampledBytes({ tokens_N: { length: rows }, scoreTarget_K: { length: sampled }, sequenceStart_Q: { length: sequences } });
  const kept = Math.min((steps === 0 ? KEPT_STEPS : Math.min(steps, KEPT_STEPS)) - 1, Math.floor(KEPT_BYTES / step)) * step;
  return [
    { title: isSupervised ? "Examples of a step" : "Rollouts of a step", bytes: step },
    { title: isSupervised ? "Examples kept for inspection" : "Rollouts kept for inspection", bytes: kept },
  ];
}

/**
 * Copies of weights, moments and reference: a save on its way, what a step that is refused puts back, and the start
 * that is asked beside the policy.
 */
function copyParts(
  { config, machine }: SizedPlan,
  shape: TransformerConfig,
  { policy, critic }: Workloads,
  ownKernels: boolean,
): readonly MemoryPart[] {
  const count = parameterCount(shape);
  const trained = trainedCount(config, shape);
  const bytes = (policy.hasReference ? 16 : 12) * trained;
  // It takes the reference's place, whose weights are kept meanwhile; where there is none, the backend holds it and packs it.
  const asked = (policy.hasReference ? 8 : 12) * (ownKernels ? trained : count);
  const ofCritic = critic && config.valueEpochs > 1 ? 12 * parameterCount({ ...shape, valueHead: true }) : 0;
  const isSaved = machine.isStored && config.autosaveEvery > 0;
  const isKept = config.kind !== "supervised" && (config.innerEpochs * config.minibatches > 1 || critic);
  return [
    // As it is, with the adapters added in, and the gradient on its way to them.
    ...(config.loraRank > 0 && !ownKernels ? [{ title: "The frozen base beside the policy", bytes: 12 * count }] : []),
    ...(isSaved ? [{ title: "A save", bytes: bytes + 1e6 * config.keptMegabytes }] : []),
    ...(isKept ? [{ title: "The weights before a step", bytes: bytes + ofCritic }] : []),
    { title: "The start's weights, while it is asked", bytes: asked },
  ];
}

/**
 * Estimates a run; reads at most the kernels. Where any backend will do, the
 * kernels are everywhere, and a GPU counts where only it has room.
 */
export async function judge(sized: SizedPlan): Promise<Judgement> {
  const { config, machine } = sized;
  if (config.model === "tabular" || config.backend === "tinker") {
    const parts = [...held("engine", rolloutParts(sized)), ...held("backend", await judgeMemory(sized, "wasm"))];
    const backend = config.backend === "tinker" ? "a server, beside this machine's rollouts" : "Plain JavaScript";
    return withinMachine({ backend, bytes: sumOf(parts), parts }, machine);
  }
  if (config.backend !== "auto") return judgeOn(sized, candidateOf(config.backend));
  const onKernels = await judgeOn(sized, candidateOf("wasm"));
  if (onKernels.limit === null || (await machine.gpuObstacle()) !== null) return onKernels;
  const onGpu = await judgeOn(sized, candidateOf("webgpu"));
  return onGpu.limit === null ? onGpu : onKernels;
}

/** What a critic adds to the policy: both are never asked at once, so what the one gave back the other takes. */
const besideEachOther = (policy: BackendMemory, critic: BackendMemory): number =>
  sumOf(critic.parts) - Math.min(policy.passing, critic.passing);

/** What the models of judges take beside the policy: each its base as it is stored, and the rows that it scores at once. */
async function judgeMemory({ config, judges, machine }: SizedPlan, id: BackendCandidate["id"]): Promise<readonly MemoryPart[]> {
  // Counting needs the kernels, which a run without judges may do without.
  if (judges.length === 0) return [];
  const count = await machine.count(id, config);
  return Promise.all(
    judges.map(async ([name, { shape, frozen, checkpoint }]) => {
      const alike = Object.values(namedJudges(config)).filter((each) => each.checkpoint === checkpoint);
      const { parts } = await count(shape, judgeWorkload(alike, shape), frozen);
      return { title: `The judge ${name}, beside the policy`, bytes: sumOf(parts) };
    }),
  );
}

async function judgeOn(sized: SizedPlan, candidate: BackendCandidate): Promise<Judgement> {
  const { config, instance, renderer, machine } = sized;
  const shape = shapeOf(config, sized);
  const sizes = withinContext(config, sized.sizes, shape);
  const workloads = workloadsOf(config, instance, renderer, sizes);
  const { policy, critic } = workloads;
  const count = await machine.count(candidate.id, config);
  const ofPolicy = await count(shape, policy, hollowBaseOf(config, shape, sized));
  const ofCritic = critic && (await count({ ...shape, valueHead: true }, critic, null));
  const parts = [
    ...held("backend", ofPolicy.parts),
    ...held("backend", ofCritic ? [{ title: "The critic, beside the policy", bytes: besideEachOther(ofPolicy, ofCritic) }] : []),
    ...held("backend", await judgeMemory(sized, candidate.id)),
    ...held("engine", [
      ...rolloutParts(sized),
      ...copyParts(sized, shape, workloads, candidate.id === "wasm" || candidate.id === "webgpu"),
    ]),
  ];
  const estimate = { backend: candidate.title, bytes: sumOf(parts), parts };
  const limit = ofPolicy.limit ?? ofCritic?.limit ?? null;
  return limit === null ? withinMachine(estimate, machine) : { estimate, limit };
}

function withinMachine(estimate: Judgement["estimate"], { memoryBytes }: Machine): Judgement {
  if (memoryBytes === null || estimate.bytes <= MACHINE_SHARE * memoryBytes) return { estimate, limit: null };
  return { estimate, limit: `${bytesText(MACHINE_SHARE * memoryBytes)}, three quarters of this machine's memory` };
}
