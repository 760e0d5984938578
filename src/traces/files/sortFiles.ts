// What of the files that somebody brings is read as what: rows of rollouts, a trainer's log, a tokenizer; and what is
// left aside, which is said.
import { shortened } from "../../protocol/problems.ts";
import type { TraceFile } from "../traceSet.ts";

/** Files by what they are for. */
export interface SortedFiles {
  /** In the order of their steps and names. */
  readonly rows: readonly TraceFile[];
  readonly trainerState: TraceFile | null;
  readonly tokenizer: TraceFile | null;
  /** Folders of which a file says that they are whole. */
  readonly stable: ReadonlySet<string>;
  readonly leftAside: readonly { readonly path: string; readonly why: string }[];
}

export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** Files beside rollouts that hold none. */
const OTHERS =
  /^(adapter_|special_tokens|added_tokens|tokenizer_config|generation_config|config|merges|vocab|training_args|run|source|source_|README|LICENSE)/i;
const PACKED = /\.(gz|zst|zip|tar|tgz|bz2|xz|7z)$/i;
const NO_ROWS = /\.(md|safetensors|bin|pt|pth|png|jpe?g|svg|html?|py|ya?ml|toml|lock|csv|tsv|npz|npy|pkl|gguf|jinja|rollout|model)$/i;

const STEP_NAMES = [
  /(?:^|[/_.-])(?:global_)?(?:step|iter|iteration|completions)[_-]?0*(\d{1,12})(?=[/_.-]|$)/i,
  /(?:^|\/)0*(\d{1,12})\.[a-z]+$/i,
];

/** The step that a path names: step_12/rank_0.jsonl, completions_00012.parquet, 12.jsonl; null where it names none. */
export function stepOfPath(path: string): number | null {
  for (const pattern of STEP_NAMES) {
    const found = pattern.exec(path)?.[1];
    if (found !== undefined) return Number(found);
  }
  return null;
}

function whyAside({ path, size }: TraceFile): string | null {
  const name = nameOf(path);
  if (size === 0) return "is empty";
  if (PACKED.test(name)) return "is packed: unpack it first";
  if (OTHERS.test(name) && /\.(json|txt)$/i.test(name)) return "holds settings";
  if (NO_ROWS.test(name)) return "is of another kind";
  return name.startsWith(".") ? "is hidden" : null;
}

/** Numbers in names are compared as numbers. */
export const byName = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });

export function sortFiles(files: readonly TraceFile[]): SortedFiles {
  const rows: TraceFile[] = [];
  const leftAside: { path: string; why: string }[] = [];
  const stable = new Set<string>();
  let trainerState: TraceFile | null = null;
  let tokenizer: TraceFile | null = null;
  for (const file of files) {
    const name = nameOf(file.path);
    if (name === "STABLE") stable.add(folderOf(file.path));
    // Later checkpoints have the longer log.
    else if (name === "trainer_state.json") trainerState = trainerState && trainerState.size >= file.size ? trainerState : file;
    else if (name === "tokenizer.json") tokenizer ??= file;
    else {
      const why = whyAside(file);
      if (why === null) rows.push(file);
      else leftAside.push({ path: shortened(file.path), why });
    }
  }
  const stepOf = new Map(rows.map((file) => [file, stepOfPath(file.path) ?? -1] as const));
  rows.sort((a, b) => stepOf.get(a)! - stepOf.get(b)! || byName(a.path, b.path));
  return { rows, trainerState, tokenizer, stable, leftAside };
}
