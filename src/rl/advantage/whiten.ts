// Whitening of token advantages over the batch, as verl's masked_whiten: (A - mean) / sqrt(var + 1e-8)
// with the unbiased variance over trained tokens.

/** Shifts and scales the tokens with mask 1 in place; with fewer than two of them nothing changes. */
export function whitenTokens(values_K: Float64Array, mask_K: ArrayLike<number>): void {
  let count = 0;
  let sum = 0;
  for (let k = 0; k < values_K.length; k++) {
    if (!mask_K[k]) continue;
    count += 1;
    sum += values_K[k]!;
  }
  if (count < 2) return;
  const mean = sum / count;
  let squares = 0;
  for (let k = 0; k < values_K.length; k++) if (mask_K[k]) squares += (values_K[k]! - mean) ** 2;
  const scale = 1 / Math.sqrt(squares / (count - 1) + 1e-8);
  for (let k = 0; k < values_K.length; k++) if (mask_K[k]) values_K[k] = (values_K[k]! - mean) * scale;
}
