// Where things lie in the engine's memory, as byte addresses and offsets. The kernels and the TypeScript
// that writes for them both read this one file, so it holds plain numbers and nothing that only one of
// the two compilers knows. Pointers are byte addresses; every word has 4 bytes.

// Blocks that stand at fixed addresses.
/**
 * Words the threads synchronise on: a generation, behind it the thread that broke down, and 64 bytes on the count of
 * those that are done.
 */
export const CONTROL = 64;
/** 0 while all are well; -1 where one has not answered for JOB_PATIENCE. */
export const FAULT = 96;
export const CONTROL_BYTES = 128;
/** Threads that work in stages: how many have arrived at the next meeting, its number, and how many sleep until then. */
export const TEAM = 192;
export const TEAM_ARRIVED = 0;
export const TEAM_ROUND = 4;
export const TEAM_SLEEPERS = 8;
export const TEAM_BYTES = 12;
export const MODEL = 256;
export const SLOTS = 384;
export const JOB = 512;
/** The open sequences and the turn being decoded. */
export const SAMPLER = 768;
export const STEP = 896;
/** Constants of vector arithmetic. */
export const CONSTANTS = 1024;
export const CONSTANTS_BYTES = 64;
/** First byte that is free for weights and activations. */
export const ARENA_START = 2048;

// Shape of the model.
export const MODEL_VOCAB = 0;
export const MODEL_HIDDEN = 4;
export const MODEL_LAYERS = 8;
export const MODEL_HEADS = 12;
export const MODEL_KV_HEADS = 16;
export const MODEL_HEAD_SIZE = 20;
export const MODEL_INNER = 24;
export const MODEL_TIED = 28;
export const MODEL_VALUE_HEAD = 32;
export const MODEL_EPS = 36;
/** Rows of the matrix product's tile: 6 or 4. */
export const MODEL_TILE_ROWS = 40;
export const MODEL_ROPE_TABLE = 44;
export const MODEL_QKV_BIAS = 48;
export const MODEL_HEAD_NORM = 52;
/** Where a frozen base's parts are described; 0 where all weights are trained. */
export const MODEL_FROZEN = 56;
/** Of the adapters beside a frozen base: their rank, and what their product counts. */
export const MODEL_RANK = 60;
export const MODEL_ADAPTER_SCALE = 64;
/** Ids from here on are never sampled: a vocabulary may be padded beyond the tokenizer's. */
export const MODEL_SAMPLED_VOCAB = 68;
export const MODEL_BYTES = 72;

// A part of a frozen base: seven projections of each layer (q, k, v, o, gate, up, down), then the embedding and the head.
export const FROZEN_ADDRESS = 0;
/** As GGUF numbers its types. */
export const FROZEN_TYPE = 4;
/** Byte offsets of a projection's two adapters among all adapters; -1 where it has none. */
export const FROZEN_A = 8;
export const FROZEN_B = 12;
export const FROZEN_BYTES = 16;
export const FROZEN_LAYER_PARTS = 7;

// A weight slot: the policy's is the first, the reference's the second.
/** All weights; beside a frozen base its norms and biases, which both slots share. */
export const SLOT_WEIGHTS = 0;
/** Packed weights; beside a frozen base those of its adapters. */
export const SLOT_FORWARD_PANELS = 4;
export const SLOT_BACKWARD_PANELS = 8;
/** Adapters, and a value head before them. */
export const SLOT_ADAPTERS = 12;
/** 0 where the adapters change nothing and are left out. */
export const SLOT_ADAPTED = 16;
export const SLOT_BYTES = 32;
export const SLOTS_BYTES = 64;

// The job that all threads work on.
export const JOB_KIND = 0;
export const JOB_SLOT = 4;
/** The next item that a thread may take, and how many there are. */
export const JOB_NEXT = 8;
export const JOB_COUNT = 12;
/** Address of the partitions' words, or of a trial's factors. */
export const JOB_PARTITIONS = 16;
export const JOB_TEMPERATURE = 20;
export const JOB_SCRATCH = 24;
export const JOB_SCRATCH_STRIDE = 28;
export const JOB_MAX_KEYS = 32;
export const JOB_THREADS = 36;
/** Decode steps of one call. */
export const JOB_STEPS = 40;
/** Seconds that a job waits for threads of which none gets done. */
export const JOB_PATIENCE = 44;
export const JOB_BYTES = 48;

// Kinds of job.
export const KIND_STOP = 0;
export const KIND_FORWARD = 1;
export const KIND_BACKWARD = 2;
export const KIND_PACK_FORWARD = 3;
export const KIND_PACK_BACKWARD = 4;
export const KIND_REDUCE = 5;
export const KIND_UPDATE = 6;
export const KIND_BEGIN_DECODE = 7;
export const KIND_DECODE = 8;
export const KIND_TRIAL = 9;

// The products of a trial: [rows, depth] · [depth, depth].
export const TRIAL_ROWS = 12;
export const TRIAL_DEPTH = 192;

// The optimizer's step.
export const STEP_COUNT = 0;
export const STEP_WEIGHTS = 4;
export const STEP_GRADIENTS = 8;
export const STEP_GRADIENT_STRIDE = 12;
export const STEP_PARTITIONS = 16;
export const STEP_FIRST = 20;
export const STEP_SECOND = 24;
export const STEP_SQUARES = 28;
/** What happens to the weights before the gradient is cleared: nothing, AdamW or gradient descent. */
export const STEP_KIND = 32;
export const STEP_KIND_CLEAR = 0;
export const STEP_KIND_ADAMW = 1;
export const STEP_KIND_SGD = 2;
export const STEP_SCALE = 36;
export const STEP_KEEP = 40;
export const STEP_BETA1 = 44;
export const STEP_BETA2 = 48;
export const STEP_EPS = 52;
export const STEP_RATE = 56;
/** 1 / sqrt(1 - beta2^t). */
export const STEP_ROOT2 = 60;
/** 1 - beta, each rounded once: 1 minus a rounded beta2 would be off by 5e-5. */
export const STEP_REST1 = 64;
export const STEP_REST2 = 68;
export const STEP_BYTES = 72;

// What is sampled. The open sequences: a cache and a last hidden row of each prompt, a cache of each sequence.
export const SAMPLER_PROMPT_CACHE = 0;
export const SAMPLER_PROMPT_CAPACITY = 4;
export const SAMPLER_PROMPT_HIDDEN = 8;
export const SAMPLER_OWN_CACHE = 12;
export const SAMPLER_OWN_CAPACITY = 16;

// The turn.
export const SAMPLER_ROW_COUNT = 20;
/** ROW_BYTES for each row. */
export const SAMPLER_ROWS = 24;
export const SAMPLER_MAX_NEW = 28;
export const SAMPLER_TEMPERATURE = 32;
export const SAMPLER_TOP_K = 36;
export const SAMPLER_TOP_P = 40;
export const SAMPLER_MIN_P = 44;
export const SAMPLER_STOP_COUNT = 48;
export const SAMPLER_STOPS = 52;
// Of each row and possible token.
export const SAMPLER_UNIFORMS = 56;
export const SAMPLER_TOKENS = 60;
export const SAMPLER_LOGPROBS = 64;
export const SAMPLER_ENTROPIES = 68;
/** Decoding state of all threads, and for how many keys of one row. */
export const SAMPLER_STATE = 72;
export const SAMPLER_KEYS = 76;
/** Rows that live on when decode steps are over. */
export const SAMPLER_LIVE = 80;
export const SAMPLER_BYTES = 84;

// A row of the turn: a sequence that takes it.
export const ROW_SEQUENCE = 0;
export const ROW_PROMPT = 4;
export const ROW_PROMPT_LENGTH = 8;
/** Tokens whose keys and values are in the sequence's cache, or will be after this step. */
export const ROW_CACHED = 12;
// From the first token that is not sampled, to the end of those.
export const ROW_FORCED = 16;
export const ROW_FORCED_END = 20;
export const ROW_SAMPLED = 24;
/** 1 once a stop token was sampled. */
export const ROW_STOPPED = 28;
export const ROW_BYTES = 32;

// A partition: counts, the rows it computes, what it computes for each scored token, and its activations.
export const PARTITION_ROWS = 0;
export const PARTITION_SEGMENTS = 4;
/** Distinct rows that are scored. */
export const PARTITION_SCORED_ROWS = 8;
export const PARTITION_SCORED_TOKENS = 12;
/** First prompt of a prefill, or -1. */
export const PARTITION_FIRST_PROMPT = 16;
export const PARTITION_TOKEN_IDS = 20;
export const PARTITION_POSITIONS = 24;
/** Four words for each segment: first row, length, first row of its prefix, length of its prefix. */
export const PARTITION_SEGMENT_TABLE = 28;
export const PARTITION_SCORED_ROW_IDS = 32;
/** For each scored token, which scored row, and the target. */
export const PARTITION_TOKEN_ROW = 36;
export const PARTITION_TARGETS = 40;
export const PARTITION_LOGPROBS = 44;
export const PARTITION_ENTROPIES = 48;
export const PARTITION_VALUES = 52;
export const PARTITION_LOGPROB_GRADIENTS = 56;
export const PARTITION_ENTROPY_GRADIENTS = 60;
export const PARTITION_VALUE_GRADIENTS = 64;
/** This partition's buffer for the gradients of the weights. */
export const PARTITION_GRADIENTS = 68;
/** Bytes from one layer's activations to the next one's; 0 where they are not kept. */
export const PARTITION_LAYER_STRIDE = 72;
// Activations of layer 0.
export const PARTITION_ACT_X = 76;
export const PARTITION_ACT_NORM1 = 80;
export const PARTITION_ACT_INVERSE1 = 84;
export const PARTITION_ACT_QKV = 88;
export const PARTITION_ACT_LOG_SUM = 92;
export const PARTITION_ACT_ATTENTION = 96;
export const PARTITION_ACT_X2 = 100;
export const PARTITION_ACT_NORM2 = 104;
export const PARTITION_ACT_INVERSE2 = 108;
export const PARTITION_ACT_GATE_UP = 112;
export const PARTITION_ACT_INNER = 116;
// Final norm and head, one row for each scored row.
export const PARTITION_GATHERED = 120;
export const PARTITION_FINAL_HIDDEN = 124;
export const PARTITION_FINAL_INVERSE = 128;
export const PARTITION_LOGITS = 132;
/** Four floats for each scored row: log of the sum of exponentials, entropy, and two sums of gradients. */
export const PARTITION_ROW_STATS = 136;
// Gradients in flight: of the residual stream, and two that hold whatever a layer needs.
export const PARTITION_D_X = 140;
export const PARTITION_D_WIDE = 144;
export const PARTITION_D_NARROW = 148;
/** Queries and keys before their norm, and the reciprocal root mean square of each head; no floats without such a norm. */
export const PARTITION_ACT_PLAIN_QK = 152;
export const PARTITION_ACT_HEAD_INVERSE = 156;
/** What adapters make of their inputs, 7 ranks a row, and the gradients of one matrix's; no floats without adapters. */
export const PARTITION_ACT_ADAPTED = 160;
export const PARTITION_D_ADAPTED = 164;
/** Scored tokens in the order of their targets, for a head that works in tiles of ids. */
export const PARTITION_TARGET_ORDER = 168;
export const PARTITION_BYTES = 192;
