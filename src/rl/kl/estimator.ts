// What an estimator of the KL to the reference is: the number that one sampled token gives, its slope, and all else that
// anybody asks about it. Each is one object in a file beside this one; the schema, the rules, formulas, sentences and
// exports read it there.

export interface KlEstimator<Id extends string = string> {
  readonly id: Id;
  readonly title: string;
  /** Estimate in nats from a token drawn from the policy, of d = logprob - refLogprob. */
  readonly value: (d: number) => number;
  /** What the loss takes for its derivative with respect to logprob. */
  readonly slope: (d: number) => number;
  /** Counted over whole rows of logits, which only a table has: the loss leaves it to the model, and `value` is what is measured. */
  readonly isOverRows?: true;
  /** The estimate in TeX, by the letter of d; brackets stand around it where it is a sum. */
  readonly tex: (d: string) => string;
  /** What is to be said of it in the loss, as a sentence. */
  readonly inLoss?: string;
  /** Whether TRL's GRPOTrainer estimates by it. */
  readonly trl?: true;
  /** In verl's PPO actor: its kl_loss_type. */
  readonly verl?: string;
}

export function klEstimator<const Id extends string>(written: KlEstimator<Id>): KlEstimator<Id> {
  return written;
}
