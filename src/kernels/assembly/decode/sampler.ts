// Draws one token from a row of logits: top-k, top-p, min-p, then the inverse CDF in id order over
// the kept, renormalised probabilities, as ../../rl/rollout/sampleToken.ts describes. The log-prob and the entropy
// reported are those of the unfiltered distribution.
import { sampledVocab, vocab } from "../layout";
import { heap, probabilities } from "../scratch";
import { log1, sum4 } from "../simd";
import { exponentials, largest, lastMoment } from "../layers/softmax";

export let sampledLogprob: f32 = 0;
export let sampledEntropy: f32 = 0;

/** The first id whose logit is `top`. */
function firstEqual(z: usize, top: f32): i32 {
  for (let i = 0; i < vocab; i++) if (load<f32>(z + ((i as usize) << 2)) == top) return i;
  return 0; // only where a logit is not a number
}

@inline function weight(id: i32): f32 {
  return load<f32>(probabilities + ((id as usize) << 2));
}
@inline function heapAt(i: i32): i32 {
  return load<i32>(heap + ((i as usize) << 2));
}
/** Whether a comes before b: more likely, or as likely with a lower id. */
@inline function before(a: i32, b: i32): bool {
  const pa = weight(a);
  const pb = weight(b);
  return pa > pb || (pa == pb && a < b);
}

function siftDown(from: i32, size: i32): void {
  let i = from;
  const id = heapAt(i);
  while (true) {
    let child = 2 * i + 1;
    if (child >= size) break;
    if (child + 1 < size && before(heapAt(child + 1), heapAt(child))) child++;
    if (!before(heapAt(child), id)) break;
    store<i32>(heap + ((i as usize) << 2), heapAt(child));
    i = child;
  }
  store<i32>(heap + ((i as usize) << 2), id);
}

/** Takes the most likely id off the heap and parks it just past the end. */
function pop(size: i32): i32 {
  const id = heapAt(0);
  store<i32>(heap, heapAt(size - 1));
  if (size > 1) siftDown(0, size - 1);
  store<i32>(heap + (((size - 1) as usize) << 2), id);
  return id;
}

/** Sets to zero all but the top k, and of those all but the fewest that reach share p. */
function dropUnlikely(topK: i32, topP: f32): void {
  for (let i = 0; i < vocab; i++) store<i32>(heap + ((i as usize) << 2), i);
  for (let i = (vocab >> 1) - 1; i >= 0; i--) siftDown(i, vocab);
  let size = vocab;
  let total: f64 = 0;
  if (topK > 0 && topK < vocab) {
    for (let taken = 0; taken < topK; taken++) total += weight(pop(size--)) as f64;
    for (let i = 0; i < size; i++) store<f32>(probabilities + ((heapAt(i) as usize) << 2), 0);
    if (topP >= 1) return;
    // The k taken ones lie behind the heap, most likely last.
    let reached: f64 = 0;
    for (let i = vocab - 1; i >= size; i--) {
      const id = heapAt(i);
      if (i < vocab - 1 && reached >= (topP as f64) * total) store<f32>(probabilities + ((id as usize) << 2), 0);
      else reached += weight(id) as f64;
    }
    return;
  }
  if (topP >= 1) return;
  for (let i = 0; i < vocab; i++) total += weight(i) as f64;
  let reached: f64 = 0;
  while (size > 0 && (size == vocab || reached < (topP as f64) * total)) reached += weight(pop(size--)) as f64;
  for (let i = 0; i < size; i++) store<f32>(probabilities + ((heapAt(i) as usize) << 2), 0);
}

/** First id whose cumulated weight exceeds u times the total: whole blocks of 16 first, then one by one. */
function inverseCdf(u: f32): i32 {
  let total: f64 = 0;
  for (let i = 0; i < vocab; i += 16) total += blockSum(i) as f64;
  const target = total * (u as f64);
  let reached: f64 = 0;
  let last = 0;
  for (let i = 0; i < vocab; i += 16) {
    const sum = blockSum(i) as f64;
    if (reached + sum <= target) {
      reached += sum;
      continue;
    }
    const end = min(i + 16, vocab);
    for (let id = i; id < end; id++) {
      const w = weight(id);
      if (w == 0) continue;
      reached += w as f64;
      last = id;
      if (reached > target) return id;
    }
  }
  // Rounding left the target unreached: the last kept token.
  for (let id = vocab - 1; id > last; id--) if (weight(id) > 0) return id;
  return last;
}

@inline function blockSum(i: i32): f32 {
  if (i + 16 <= vocab) {
    const at = probabilities + ((i as usize) << 2);
    return sum4(f32x4.add(f32x4.add(v128.load(at), v128.load(at, 16)), f32x4.add(v128.load(at, 32), v128.load(at, 48))));
  }
  let sum: f32 = 0;
  for (; i < vocab; i++) sum += weight(i);
  return sum;
}

/**
 * Chooses a token and leaves its log-prob in sampledLogprob, the entropy in sampledEntropy: log of the sum less the
 * mean exponent, neither of which can be on the wrong side of 0. Temperature 0 takes the most likely token. Ids past the
 * tokenizer's count in both and are never taken.
 */
export function sampleRow(z: usize, temperature: f32, topK: i32, topP: f32, minP: f32, u: f32): i32 {
  const by: f32 = temperature > 0 ? 1 / temperature : 1;
  const top = largest(z, vocab);
  const sum = exponentials(z, vocab, top, by, true, probabilities);
  if (sampledVocab < vocab) memory.fill(probabilities + ((sampledVocab as usize) << 2), 0, ((vocab - sampledVocab) as usize) << 2);
  let token = 0;
  if (temperature > 0) {
    if (topK > 0 || topP < 1) dropUnlikely(topK, topP);
    if (minP > 0) {
      // The most likely token weighs exp(0) = 1.
      for (let i = 0; i < vocab; i++) if (weight(i) < minP) store<f32>(probabilities + ((i as usize) << 2), 0);
    }
    token = inverseCdf(u);
  } else {
    token = firstEqual(z, sampledVocab < vocab ? largest(z, sampledVocab) : top);
  }
  const logSum = log1(sum as f64) as f32;
  sampledLogprob = (load<f32>(z + ((token as usize) << 2)) - top) * by - logSum;
  sampledEntropy = logSum - lastMoment / sum;
  return token;
}
