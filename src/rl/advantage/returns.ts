// Credit carried back from rewards to the tokens that earned them. Tokens that are not trained (tool
// replies between two turns) are stepped over: they neither stop the flow of credit nor discount it.

/** Discounted return-to-go of each trained token, G_t = r_t + γ·G_(next trained token); 0 elsewhere. */
export function discountedReturns(
  rewards_K: ArrayLike<number>,
  mask_K: ArrayLike<number>,
  sequenceStart_Q: Int32Array,
  discount: number,
): Float64Array {
  const returns_K = new Float64Array(rewards_K.length);
  for (let q = 0; q + 1 < sequenceStart_Q.length; q++) {
    let running = 0;
    for (let k = sequenceStart_Q[q + 1]! - 1; k >= sequenceStart_Q[q]!; k--) {
      if (!mask_K[k]) continue;
      running = rewards_K[k]! + discount * running;
      returns_K[k] = running;
    }
  }
  return returns_K;
}

/** The same where each sequence earns one reward, at its last trained token; NaN (unscorable) counts as 0. */
export function discountedEnds(
  terminal_Q: ArrayLike<number>,
  mask_K: ArrayLike<number>,
  sequenceStart_Q: Int32Array,
  discount: number,
): Float64Array {
  const returns_K = new Float64Array(mask_K.length);
  for (let q = 0; q + 1 < sequenceStart_Q.length; q++) {
    let running = Number.isNaN(terminal_Q[q]!) ? 0 : terminal_Q[q]!;
    for (let k = sequenceStart_Q[q + 1]! - 1; k >= sequenceStart_Q[q]!; k--) {
      if (!mask_K[k]) continue;
      // A sum with 0, as in the stream of all rewards: it leaves no negative zero.
      returns_K[k] = 0 + running;
      running *= discount;
    }
  }
  return returns_K;
}

/**
 * Generalised advantage estimation (Schulman et al. 2016, arXiv 1506.02438, eq. 16):
 * δ_t = r_t + γ·V_(t+1) - V_t, A_t = δ_t + γλ·A_(t+1), where t + 1 is the next trained token and V is 0
 * after the last, unless the last reward has what a conversation that was cut off would have gone on to (Pardo et al. 2018, "Time Limits
 * in Reinforcement Learning", arXiv 1712.00378, eq. 4). Returns are A_t + V_t, before any whitening.
 */
export function generalizedAdvantages(
  rewards_K: ArrayLike<number>,
  values_K: ArrayLike<number>,
  mask_K: ArrayLike<number>,
  sequenceStart_Q: Int32Array,
  discount: number,
  lambda: number,
): { readonly advantages_K: Float64Array; readonly returns_K: Float64Array } {
  const advantages_K = new Float64Array(rewards_K.length);
  const returns_K = new Float64Array(rewards_K.length);
  for (let q = 0; q + 1 < sequenceStart_Q.length; q++) {
    let nextValue = 0;
    let nextAdvantage = 0;
    for (let k = sequenceStart_Q[q + 1]! - 1; k >= sequenceStart_Q[q]!; k--) {
      if (!mask_K[k]) continue;
      const value = values_K[k]!;
      nextAdvantage = rewards_K[k]! + discount * nextValue - value + discount * lambda * nextAdvantage;
      nextValue = value;
      advantages_K[k] = nextAdvantage;
      returns_K[k] = nextAdvantage + value;
    }
  }
  return { advantages_K, returns_K };
}
