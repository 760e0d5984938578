// Where the tensors of a model lie on its engine: in the flat buffers of what is trained, or in those of a frozen base.
import type { WeightSlot } from "../../../rl/policy.ts";
import type { Engine } from "../engine.ts";
import type { MatrixRows, PlannedProduct } from "../plan/modelPlan.ts";

type Binding = GPUBuffer | GPUBufferBinding;

/** What to bind, and where it begins in that. */
export interface Place {
  readonly binding: Binding;
  readonly at: number;
}

/** What to bind for tensors that lie near each other, and the first word of each in it. */
export interface Places {
  readonly binding: Binding;
  readonly at: Readonly<Record<string, number>>;
}

/** Trained tensors in a flat buffer of theirs. */
function trainedPlaces({ plan, parameters }: Engine, buffer: GPUBuffer, names: readonly string[]): Places {
  const slices = names.map((name) => plan.trained.get(name)!);
  const from = Math.min(...slices.map(({ offset }) => offset));
  const { binding, base } = parameters.window(buffer, from, Math.max(...slices.map(({ offset, size }) => offset + size)));
  return { binding, at: Object.fromEntries(slices.map(({ name, offset }) => [name, offset - base])) };
}

/** Norms and biases, which are all trained or all of a base. */
export function vectorPlaces(engine: Engine, slot: WeightSlot, names: readonly string[]): Places {
  const { plan, parameters, memory } = engine;
  if (names.every((name) => plan.trained.has(name))) return trainedPlaces(engine, parameters.weights(slot), names);
  if (!memory) throw new Error(`internal: no weights are called ${names.join(", ")}`);
  return { binding: memory.vectors, at: Object.fromEntries(names.map((name) => [name, plan.vectors.get(name)!])) };
}

/** One norm, as the offset `norm` beside the binding. */
export function normPlace(engine: Engine, slot: WeightSlot, name: string): Place {
  const { binding, at } = vectorPlaces(engine, slot, [name]);
  return { binding, at: at[name]! };
}

/** Where the gradients of tensors go, of those that are trained; null where none is. */
export function gradientPlaces(engine: Engine, names: readonly string[]): Places | null {
  const trained = names.filter((name) => engine.plan.trained.has(name));
  return trained.length > 0 ? trainedPlaces(engine, engine.parameters.gradient, trained) : null;
}

/** Rows of matrices; begins at an element of their form. */
export function matrixPlace({ parameters, memory }: Engine, slot: WeightSlot, rows: MatrixRows): Place {
  if (rows.stored) {
    if (!memory) throw new Error("internal: this engine has no frozen base");
    return { binding: memory.bufferOf(rows), at: 0 };
  }
  const { binding, base } = parameters.window(parameters.weights(slot), rows.at, rows.at + rows.words);
  return { binding, at: (rows.at - base) / rows.form.elementWords };
}

/** Where the gradient of trained rows goes, in words; null where they are frozen. */
export function matrixGradientPlace({ parameters }: Engine, rows: MatrixRows): Place | null {
  if (rows.stored) return null;
  const { binding, base } = parameters.window(parameters.gradient, rows.at, rows.at + rows.words);
  return { binding, at: rows.at - base };
}

/** Offsets of a product's adapters as kernels name them. */
export const adapterOffsets = ({ adapters }: PlannedProduct): Record<string, number> =>
  Object.fromEntries(adapters.map((offset, i) => [`adapter${i}`, offset]));

const VECTORS = { bias: "q_proj.bias", query_norm: "q_norm.weight", key_norm: "k_norm.weight" } as const;

/** What a layer has between the product of queries, keys and values and RoPE: its binding, and offsets as kernels name them. */
export function headVectorPlaces(engine: Engine, slot: WeightSlot, layer: number) {
  const { qkvBias, headNorm } = engine.plan.headParts;
  const keys = [...(qkvBias ? (["bias"] as const) : []), ...(headNorm ? (["query_norm", "key_norm"] as const) : [])];
  const nameOf = (key: keyof typeof VECTORS) => `model.layers.${layer}.self_attn.${VECTORS[key]}`;
  // The biases of keys and values lie behind that of queries.
  const last = qkvBias && !headNorm ? [`model.layers.${layer}.self_attn.v_proj.bias`] : [];
  const names = [...keys.map(nameOf), ...last];
  const gradient = gradientPlaces(engine, names);
  const offsets = ({ at }: Places) => Object.fromEntries(keys.map((key) => [key, at[nameOf(key)]!]));
  const weights = vectorPlaces(engine, slot, names);
  return {
    binding: weights.binding,
    offsets: offsets(weights),
    gradient: gradient && { binding: gradient.binding, offsets: offsets(gradient) },
  };
}
