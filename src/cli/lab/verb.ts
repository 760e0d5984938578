// What a verb of the command line is: its arguments as data, and one function from them to a report. A
// report is plain facts for programs and a text for people; main.ts prints the one or the other.
import type { ExitCode, Facts } from "./exit.ts";
import type { Interrupt } from "./interrupt.ts";
import type { Progress } from "./progress.ts";

export interface Report {
  readonly facts: Facts;
  /** The same for people, several lines. */
  readonly text: string;
  /** Where the verb did its work and the answer is not "all is well"; 0 where left out. */
  readonly exitCode?: ExitCode;
  /** What goes on after the report was printed, such as a server; the process ends with it. */
  readonly until?: Promise<void>;
}

/** An option of a verb: a switch, a text, a whole number, such a number or "all", or a text that may be given several times. */
export type OptionSpec =
  | { readonly kind: "flag"; readonly help: string }
  | {
      readonly kind: "text";
      readonly value: string;
      readonly help: string;
      readonly choices?: readonly string[];
      readonly mayBeEmpty?: true;
    }
  | { readonly kind: "integer"; readonly value: string; readonly help: string; readonly min: number; readonly max?: number }
  | { readonly kind: "amount"; readonly value: string; readonly help: string; readonly min: number; readonly max?: number }
  | { readonly kind: "list"; readonly value: string; readonly help: string };
/** Which weights of a run a verb takes. */
export const CHECKPOINT = {
  kind: "text",
  value: "WHICH",
  choices: ["last", "best"],
  help: "Which weights: the last (default) or the best by evaluation.",
} as const satisfies OptionSpec;

/** What a verb may be told to compute on. */
export const DEVICES = ["auto", "webgpu", "wasm"] as const;
export type Device = (typeof DEVICES)[number];

/** Options of a verb that asks the policy of a run, or a pretrained model in the place of what it has learnt. */
export const OPTIONS_TO_LOOK = {
  model: {
    kind: "text",
    value: "MODEL",
    help: "Asks a pretrained model, as it is before training, in the run's place: OWNER/NAME of the hub or a folder of models/, once fetch has brought it, or the path of a folder or a GGUF file.",
  },
  checkpoint: CHECKPOINT,
  device: {
    kind: "text",
    value: "DEVICE",
    choices: DEVICES,
    help: "What computes; by default what trained, or WebAssembly where that was a GPU and none is here.",
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** How a comparison of runs is read. */
export const READING_OPTIONS = {
  measure: {
    kind: "text",
    value: "MEASURE",
    help: "What is compared: sampled, greedy, pass@K, reward, part:NAME of the reward, or metric:KEY (sampled; where nobody pays for right answers, reward).",
  },
  target: { kind: "text", value: "VALUE", help: "Tell when each first reached this value of the measure; one is proposed by default." },
  paired: { kind: "flag", help: "Look at one difference for each seed, where all were trained from the same seeds." },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

interface ValueOfKind {
  flag: boolean;
  text: string | undefined;
  integer: number | undefined;
  amount: number | "all" | undefined;
  list: readonly string[];
}
type ValueOf<Spec extends OptionSpec> = Spec extends { readonly choices: readonly (infer Choice)[] }
  ? Choice | undefined
  : ValueOfKind[Spec["kind"]];
export type OptionValues<Specs extends OptionSpecs> = { readonly [K in keyof Specs]: ValueOf<Specs[K]> };
/** Values of options that are not known yet. */
export type AnyValues = Readonly<Record<string, ValueOfKind[keyof ValueOfKind]>>;

export interface Call<Values> {
  /** As many as the verb names, or one fewer where the last may be left out. */
  readonly operands: readonly string[];
  readonly options: Values;
  readonly progress: Progress;
  readonly interrupt: Interrupt;
}

interface VerbDefinition<Specs extends OptionSpecs> {
  readonly name: string;
  /** One line. */
  readonly help: string;
  /** Names of its operands; one in brackets may be left out, and of one that ends in dots there may be several. */
  readonly operands: readonly string[];
  readonly options: Specs;
  run(call: Call<OptionValues<Specs>>): Promise<Report>;
}

export interface Verb extends Omit<VerbDefinition<OptionSpecs>, "run"> {
  run(call: Call<AnyValues>): Promise<Report>;
}

/** A verb from its definition; the values it gets have the types of its options. */
export function defineVerb<const Specs extends OptionSpecs>(definition: VerbDefinition<Specs>): Verb {
  // The parser gives each option a value of its kind (commandLine.ts).
  return { ...definition, run: (call) => definition.run(call as Call<OptionValues<Specs>>) };
}
