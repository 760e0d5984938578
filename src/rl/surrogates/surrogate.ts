// What a surrogate is: how a token's loss follows from its ratio and its advantage, and all else that anybody asks
// about it. Each is one object in a file beside this one; forms, formulas, sentences, metrics, exports and the rules
// of servers read it there.
import type { z } from "zod";
import type { Declared, FieldFacts } from "../../protocol/config/field.ts";
import type { NoEffect } from "../../protocol/config/noEffect.ts";
import type { ObjectiveSums } from "../objective/sums.ts";
import type { ClipState, ObjectiveInput, Ratios, SurrogateArrays } from "../objective/types.ts";

/** Settings of the configuration by name, with ranges, defaults and help. */
export type SettingFields = Readonly<Record<string, Declared<z.ZodType, FieldFacts>>>;

/** The settings that a surrogate reads: its own, and which one is chosen how often. */
export type SettingsOf<Fields extends SettingFields> = { readonly [Key in keyof Fields]: z.output<Fields[Key]> } & {
  readonly surrogate: string;
  readonly innerEpochs: number;
  readonly minibatches: number;
};

/** Facts of every setting of a surrogate. */
export const weighs = { inObjective: true, weighsTokens: true } as const;

/** Where a setting of a surrogate changes nothing. */
export function only(id: string, why = `used by the ${id} surrogate only`): NoEffect {
  return { when: { surrogate: { not: id } }, why };
}

/** Whether a setting breaks a rule or is lost elsewhere, which, and the rule or the reason. */
export type SettingRule<Key> = readonly [applies: boolean, field: Key | "surrogate", why: string];

/** One writing of a loss in TeX, by letters or by the numbers of a token: names for what a formula is made of. */
export interface LossWriting {
  readonly isFilled: boolean;
  /** Sign of the token's advantage. */
  readonly isPositive: boolean;
  readonly isNegative: boolean;
  readonly ratio: string;
  readonly advantage: string;
  /** Log-prob of the token in training. */
  readonly logprob: string;
  /** The sign between two factors. */
  readonly times: string;
  /** What a whole sequence is weighed with. */
  readonly weight: (letters: string) => string;
  /** A setting, and one that a reader finds among the settings shown beside the formula. */
  readonly setting: (letters: string, value: number) => string;
  readonly bound: (letters: string, ...values: readonly number[]) => string;
  /** Around what no gradient goes through. */
  readonly detached: (tex: string) => string;
}

/** What the objective found out about a trained token. */
interface TokenAtHand {
  readonly ratio: number;
  readonly advantage: number;
  readonly clipState: ClipState;
}

/** A loss that servers of the Tinker API know by name. */
export interface ServerLoss {
  readonly name: string;
  /** Bounds of the ratio; null where it has none. */
  readonly clip: readonly [low: number, high: number] | null;
  /** Its derivative with respect to a token's log-prob. */
  readonly slope: (advantage: number, ratio: number) => number;
}

type Options = Readonly<Record<string, string | number | boolean>>;

export interface Surrogate<Id extends string, Fields extends SettingFields, Settings = SettingsOf<Fields>> {
  readonly id: Id;
  readonly title: string;
  readonly settings: Fields;
  /** Rules that bind several settings, where this surrogate is chosen. */
  readonly rules?: (settings: Settings) => readonly SettingRule<keyof Settings>[];

  /** What the importance ratio is to the loss: nothing, a weight that is held fixed, or what the gradient flows through. */
  readonly ratio: "unused" | "detached" | "moves";
  /** Whether a weight of the whole sequence is differentiated; left out where the loss has none. */
  readonly movesSequence?: (settings: Settings) => boolean;
  /** Fills `out` for every trained token; entries of other tokens stay 0. One loop, as this is what a step spends its time in. */
  readonly fill: (input: ObjectiveInput, ratios: Ratios, settings: Settings, out: SurrogateArrays) => void;

  /** Metrics of its own, read off the sums of a step; those that are shares are named, and the one that says what it holds back. */
  readonly metrics?: (sums: ObjectiveSums) => Readonly<Record<string, number>>;
  readonly shares?: readonly string[];
  readonly heldShare?: { readonly key: string; readonly label: string };

  readonly formula: (writing: LossWriting, settings: Settings) => string;
  /** The settings that the formula names as bounds. */
  readonly bounds: (settings: Settings) => readonly (keyof Settings)[];
  /** What holds pushes back once the policy has moved; null where nothing ever does. */
  readonly brake: ((settings: Settings) => string) | null;
  /** Why a token is held or let go. */
  readonly whyHeld: (token: TokenAtHand, settings: Settings) => string;
  /** A clip state in a few words; left out where it never clips. */
  readonly clipWords?: (state: ClipState, settings: Settings) => string;

  /**
   * In TRL's GRPOTrainer: its name there, the aggregation that comes with it, its options and what is lost. Left out
   * where TRL has nothing like it.
   */
  readonly trl?: {
    /** Left out where the aggregation names the loss. */
    readonly loss?: string;
    readonly aggregation?: string;
    readonly options?: (settings: Settings) => Options;
    readonly lost?: (settings: Settings) => readonly SettingRule<keyof Settings>[];
  };
  /** In verl's PPO actor. */
  readonly verl?: { readonly options: (settings: Settings) => Options };
  /** At a server of the Tinker API; a text says why not under these settings. */
  readonly tinker?: (settings: Settings) => ServerLoss | string;
}

/** A surrogate as it is written; what its functions read follows from its settings. */
export function surrogate<const Id extends string, Fields extends SettingFields>(written: Surrogate<Id, Fields>): Surrogate<Id, Fields> {
  return written;
}
