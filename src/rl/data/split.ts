// Which problems are held out. The split looks only at what a problem asks, never at a run's seed,
// so that no warm start and no run has ever trained on a problem that any run evaluates on.

/** A well-mixed 32-bit hash of a text (FNV-1a over UTF-16 units, then the finaliser of MurmurHash3). */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** One problem in this many is held out. */
export const HELD_OUT_ONE_IN = 8;

/** Whether the problem with this key belongs to evaluation; `key` names what is asked, not how. */
export function isHeldOut(key: string): boolean {
  return hash32(`held-out/${key}`) % HELD_OUT_ONE_IN === 0;
}
