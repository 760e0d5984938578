// What a form of rollouts is: how its rows are known, and how a row becomes rollouts. Adding one is a file and a line in the registry.
import type { TraceChoice, TraceLogprobs, TraceReport } from "../../protocol/rollouts/traces.ts";
import type { Columns, KnownRoles } from "../columns/roles.ts";
import type { FoundRow } from "../containers/container.ts";
import type { SortedFiles } from "../files/sortFiles.ts";
import type { FoundRollout } from "../rollout.ts";

/** What was met in rows, which only all of them show. */
interface Seen {
  /** Titles of templates that rendered text was split by. */
  readonly templates: Set<string>;
  readonly logprobs: Set<TraceLogprobs>;
  readonly tokens: Set<TraceReport["tokens"]>;
  /** Sentences that a form has to say. */
  readonly notes: Set<string>;
}

/** What a form reads rows with. */
export interface FormReading {
  readonly columns: Columns;
  readonly seen: Seen;
  /** Whether a tokenizer is there that tells what ids say. */
  readonly hasTokenizer: boolean;
}

export interface TraceForm {
  readonly id: string;
  readonly title: string;
  /** Whether the first row of a file, or its path, shows this form. */
  matches(row: FoundRow, path: string, choice: TraceChoice): boolean;
  readonly roles: KnownRoles;
  /** The rollouts of a row: several where it holds branches. Throws a sentence where it holds none. */
  read(row: FoundRow, reading: FormReading): readonly FoundRollout[];
  /** Sentences on files as such. */
  notesOn?(paths: readonly string[], sorted: SortedFiles): readonly string[];
}
