// Where the words of the sampler lie, as byte offsets: plain numbers, so that the kernels and
// ../../model/wasm/turn.ts read this one file. Pointers are byte addresses.

/** Address of the words of the open sequences and of the turn being decoded. */
export const SAMPLER = 768;

// The open sequences: a cache and a last hidden row of each prompt, a cache of each sequence.
export const PROMPT_CACHE = 0;
export const PROMPT_CAPACITY = 4;
export const PROMPT_HIDDEN = 8;
export const OWN_CACHE = 12;
export const OWN_CAPACITY = 16;

// The turn.
export const ROW_COUNT = 20;
/** ROW_BYTES for each row. */
export const ROWS = 24;
export const MAX_NEW = 28;
export const TEMPERATURE = 32;
export const TOP_K = 36;
export const TOP_P = 40;
export const MIN_P = 44;
export const STOP_COUNT = 48;
export const STOPS = 52;
// Of each row and possible token.
export const UNIFORMS = 56;
export const TOKENS = 60;
export const LOGPROBS = 64;
export const ENTROPIES = 68;
/** Decoding state of each thread. */
export const STATE = 72;
export const STATE_STRIDE = 76;
export const SAMPLER_BYTES = 80;

// A row of the turn: a sequence that takes it.
export const ROW_SEQUENCE = 0;
export const ROW_PROMPT = 4;
export const ROW_PROMPT_LENGTH = 8;
/** Tokens whose keys and values are in the sequence's cache, or will be after this step. */
export const ROW_CACHED = 12;
// From the next token that is not sampled, to the end of those.
export const ROW_FORCED = 16;
export const ROW_FORCED_END = 20;
export const ROW_SAMPLED = 24;
/** 1 once a stop token was sampled. */
export const ROW_STOPPED = 28;
export const ROW_BYTES = 32;
