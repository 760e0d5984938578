// What the kernels know about a row (a token position), two vec4u each. A row's keys and values lie
// in the slots of two runs: a shared prefix, and the row's own run up to and including itself. In
// training slots are rows; in decoding they are places in the cache. Position = prefix + own - 1.

/** u32 words per row. */
export const rowInfoWords = 8;

/** Words 0-3: the runs of slots a row attends to. */
export const rowRuns = { prefixStart: 0, prefixLength: 1, ownStart: 2, ownLength: 3 } as const;

/**
 * Words 4-7 in training: first row after the row's segment, then the pairs (row, count) of later rows
 * that attend to the whole segment as their prefix, stored behind all rows as [rangeFirst, rangeEnd).
 */
export const trainingWords = { segmentEnd: 4, rangeFirst: 5, rangeEnd: 6, token: 7 } as const;

/** Words 4-7 in decoding: the row's place in the turn, 1 once a stop token ended it, its own length when the turn began. */
export const decodingWords = { place: 4, stopped: 5, turnStart: 6, token: 7 } as const;

/** u32 words of a sampled token: the token, the bits of its log-prob and of the entropy it was drawn at. */
export const sampledWords = 3;

/** WGSL: slot of the j-th key a row with these runs attends to. */
export const slotFunction = "fn slotOf(runs: vec4u, j: u32) -> u32 { return select(runs.z + j - runs.y, runs.x + j, j < runs.y); }";
