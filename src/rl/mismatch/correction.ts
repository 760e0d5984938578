// What a correction for samplers and trainers that differ is: whether a token's weight is taken away or cut, by thresholds that
// somebody may move. Each is one object in a file beside this one.

/** A number that decides, with the range in which it is tried. */
export interface Threshold {
  readonly key: string;
  readonly title: string;
  /** What the paper or its authors' code has. */
  readonly usual: number;
  readonly least: number;
  readonly most: number;
  readonly step: number;
}

/** One trained token as both know it: r = trainer / sampler, and the two probabilities, in [0, 1]. */
export interface TokenOfBoth {
  readonly ratio: number;
  readonly sampler: number;
  readonly trainer: number;
  /** NaN where nobody recorded it. */
  readonly advantage: number;
}

/** +1 the trainer gives it too much, -1 too little, 0 it keeps its weight. */
export type Side = -1 | 0 | 1;

export interface MismatchCorrection {
  readonly id: string;
  readonly title: string;
  /** "drops": it trains nothing. "cuts": its weight is held at the threshold. */
  readonly does: "drops" | "cuts";
  /** The rule in one sentence. */
  readonly help: string;
  readonly source: string;
  readonly thresholds: readonly Threshold[];
  /** It cannot decide about a token whose advantage nobody recorded. */
  readonly needsAdvantage?: true;
  readonly side: (token: TokenOfBoth, thresholds: Readonly<Record<string, number>>) => Side;
}
