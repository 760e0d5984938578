// Log-prob and entropy of a token under softmax(logits / temperature), in plain float64.

function logSoftmax(logits_V: Float64Array, temperature: number): Float64Array {
  const scaled = logits_V.map((logit) => logit / temperature);
  const top = Math.max(...scaled);
  const norm = top + Math.log(scaled.reduce((sum, value) => sum + Math.exp(value - top), 0));
  return scaled.map((value) => value - norm);
}

/** In nats. */
export function tokenScores(logits_V: Float64Array, target: number, temperature: number): { logprob: number; entropy: number } {
  const logp = logSoftmax(logits_V, temperature);
  return { logprob: logp[target]!, entropy: -logp.reduce((sum, value) => sum + Math.exp(value) * value, 0) };
}

/** Gradient with respect to the logits, from g on the log-prob and h on the entropy: (g (onehot - p) - h p (log p + H)) / temperature. */
export function tokenScoresGradient(logits_V: Float64Array, target: number, temperature: number, g: number, h: number): Float64Array {
  const logp = logSoftmax(logits_V, temperature);
  const { entropy } = tokenScores(logits_V, target, temperature);
  return logp.map((value, v) => {
    const p = Math.exp(value);
    return (g * ((v === target ? 1 : 0) - p) - h * p * (value + entropy)) / temperature;
  });
}
