// Keys and values kept while decoding. A cache of `capacity` positions holds, for each layer and
// key/value head, keys as panels of 8 positions ([p][d][c]) and then values row by row. A prompt's
// cache is written once by its prefill and read by all of its sequences; each of those has one of its own.
import { packPositions } from "../layers/attention";
import { headSize, heads, hidden, kvHeads, layers, pad8, qkvWidth } from "../layout";
import { SAMPLER, SAMPLER_PROMPT_CACHE, SAMPLER_PROMPT_CAPACITY, SAMPLER_PROMPT_HIDDEN } from "../memoryMap";
import { finalHidden, firstPrompt, scoredRows, segmentTable, segments } from "../partition";

@inline function headCacheBytes(capacity: i32): usize {
  return ((pad8(capacity) * headSize) as usize) << 3;
}

/** Bytes of a cache of `capacity` positions, all layers. */
export function cacheBytes(capacity: i32): usize {
  return headCacheBytes(capacity) * layers * kvHeads;
}

/** Keys of one layer and head in a cache; values follow at + pad8(capacity) * headSize floats. */
@inline export function cacheKeys(base: usize, index: i32, capacity: i32, layer: i32, kv: i32): usize {
  return base + (index as usize) * cacheBytes(capacity) + ((layer * kvHeads + kv) as usize) * headCacheBytes(capacity);
}

@inline export function cacheValues(keys: usize, capacity: i32): usize {
  return keys + (((pad8(capacity) * headSize) as usize) << 2);
}

/** Writes one layer's keys and values of a prefill's prompts (a segment each) to their caches. */
export function storePromptLayer(layer: i32, qkv: usize): void {
  const base = load<u32>(SAMPLER, SAMPLER_PROMPT_CACHE) as usize;
  const capacity = load<i32>(SAMPLER, SAMPLER_PROMPT_CAPACITY);
  const stride = (qkvWidth as usize) << 2;
  const headBytes = (headSize as usize) << 2;
  for (let s = 0; s < segments; s++) {
    const entry = segmentTable + ((s as usize) << 4);
    const rows = qkv + (load<i32>(entry) as usize) * stride;
    const length = load<i32>(entry, 4);
    for (let kv = 0; kv < kvHeads; kv++) {
      const keys = cacheKeys(base, firstPrompt + s, capacity, layer, kv);
      packPositions(0, 0, rows + headBytes * ((heads + kv) as usize), length, stride, keys);
      const values = cacheValues(keys, capacity);
      const from = rows + headBytes * ((heads + kvHeads + kv) as usize);
      for (let i = 0; i < length; i++) memory.copy(values + (i as usize) * headBytes, from + (i as usize) * stride, headBytes);
    }
  }
}

/** Keeps each prompt's last hidden row, from which its sequences draw their first token. */
export function storePromptHidden(): void {
  const width = (hidden as usize) << 2;
  const to = (load<u32>(SAMPLER, SAMPLER_PROMPT_HIDDEN) as usize) + (firstPrompt as usize) * width;
  memory.copy(to, finalHidden, (scoredRows as usize) * width);
}
