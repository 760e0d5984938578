// The engine's one memory, handed out from the bottom up. Fixed blocks (weights, optimizer state) come
// first; a memory cannot shrink, so one that is given back waits for the next that fits into it. Above
// them lies the work of one request, which the next request overwrites, unless it is held.
import { ARENA_START } from "../assembly/memoryMap.ts";

const PAGE = 65536;
const FIRST_PAGES = 16;
/** What the modules declare as their limit: 2 GiB. */
const MAX_PAGES = 32768;
export const MOST_BYTES = MAX_PAGES * PAGE;
const ALIGN = 128;
/** Vector loads at the end of a matrix may look this far past it. */
const OVERREAD = 256;

const aligned = (bytes: number) => Math.ceil(bytes / ALIGN) * ALIGN;

interface Block {
  readonly at: number;
  /** A multiple of ALIGN. */
  readonly bytes: number;
}

/**
 * JavaScript engines do not count a WebAssembly memory among what is worth collecting, and let one lie that nobody
 * holds. A buffer of its size, up to so much, is counted in its place; nobody writes to it, so that it takes no memory. It is made
 * anew only where the memory has doubled: each one brings the next collection nearer, and a memory grows by many small pieces.
 */
const MOST_COUNTED_BYTES = 64 * 2 ** 20;

/** Owned state: a WebAssembly memory and how much of it is taken. */
export class Arena {
  readonly memory: WebAssembly.Memory;
  #fixedEnd = ARENA_START;
  #cursor = ARENA_START;
  /** Highest end of the request's blocks. */
  #most = ARENA_START;
  #isHeld = false;
  /** Fixed blocks that were given back. */
  #free: readonly Block[] = [];
  #counted = new ArrayBuffer(0);

  /** @param shared whether several threads use it. */
  constructor(shared: boolean) {
    const limits = { initial: FIRST_PAGES, maximum: MAX_PAGES };
    this.memory = new WebAssembly.Memory(shared ? { ...limits, shared } : limits);
  }

  /** A block that stays; ends the current request. Its bytes are zero. Returns its address. */
  reserve(bytes: number): number {
    this.#checkNotHeld();
    this.#cursor = this.#fixedEnd;
    const at = this.#fromFree(aligned(bytes)) ?? this.take(bytes);
    this.#fixedEnd = this.#cursor;
    this.#most = this.#cursor;
    // An earlier request or owner may have written here.
    this.clear(at, bytes);
    return at;
  }

  /** Ends what `reserve` began. */
  giveBack(at: number, bytes: number): void {
    this.#free = [...this.#free, { at, bytes: aligned(bytes) }];
  }

  /** The start of the smallest free block that is large enough; the rest of it stays free. */
  #fromFree(bytes: number): number | null {
    const fitting = this.#free.filter((block) => block.bytes >= bytes);
    if (fitting.length === 0) return null;
    const best = fitting.reduce((one, other) => (other.bytes < one.bytes ? other : one));
    const rest = { at: best.at + bytes, bytes: best.bytes - bytes };
    this.#free = [...this.#free.filter((block) => block !== best), ...(rest.bytes > 0 ? [rest] : [])];
    return best.at;
  }

  /** Starts a request: everything taken before may be overwritten. */
  begin(): void {
    this.#checkNotHeld();
    this.#cursor = this.#fixedEnd;
    this.#most = this.#fixedEnd;
  }

  /** Keeps what the request took, though others come: until `release`, they throw instead of overwriting it. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
  }

  #checkNotHeld(): void {
    if (this.#isHeld) throw new Error("internal: sequences are open, and the memory they hold is needed");
  }

  /** The end of what is taken, for a later backTo. */
  here(): number {
    return this.#cursor;
  }

  /** Gives back what the request took after a `here`. */
  backTo(here: number): void {
    this.#cursor = here;
  }

  /** A block for the current request, with whatever was there before. Returns its address, a multiple of 128. */
  take(bytes: number): number {
    const at = this.#cursor;
    const end = at + aligned(bytes);
    this.ensure(end + OVERREAD);
    this.#cursor = end;
    this.#most = Math.max(this.#most, end);
    return at;
  }

  /** Makes the memory at least so large; throws a sentence where it cannot be. */
  protected ensure(bytes: number): void {
    const missing = Math.ceil((bytes - this.memory.buffer.byteLength) / PAGE);
    if (missing <= 0) return;
    try {
      this.memory.grow(missing);
      const counted = Math.min(this.memory.buffer.byteLength, MOST_COUNTED_BYTES);
      if (2 * this.#counted.byteLength <= counted) this.#counted = new ArrayBuffer(counted);
    } catch {
      throw new Error(`this model and batch need ${Math.ceil(bytes / 2 ** 20)} MiB of memory, more than can be had here`);
    }
  }

  protected clear(at: number, bytes: number): void {
    this.bytes(at, bytes).fill(0);
  }

  /** Bytes in use by weights, optimizer and the last request, at its largest. */
  get used(): number {
    return this.#free.reduce((used, block) => used - block.bytes, this.#most);
  }

  // Views are made when needed: growing the memory detaches older ones.
  bytes(at: number, count: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, at, count);
  }
  words(at: number, count: number): Int32Array {
    return new Int32Array(this.memory.buffer, at, count);
  }
  floats(at: number, count: number): Float32Array {
    return new Float32Array(this.memory.buffer, at, count);
  }
  doubles(at: number, count: number): Float64Array {
    return new Float64Array(this.memory.buffer, at, count);
  }
}

/** An arena whose memory does not grow: it counts what is taken, and what is written into it is lost. */
export class CountingArena extends Arena {
  /** What the memory would have grown to, in whole pages. */
  peakBytes = FIRST_PAGES * PAGE;

  constructor() {
    super(false);
  }

  protected override ensure(bytes: number): void {
    this.peakBytes = Math.max(this.peakBytes, Math.ceil(bytes / PAGE) * PAGE);
  }

  protected override clear(): void {
    // There is nothing to clear.
  }

  /** Whether these bytes are among the fixed blocks, which the kernels read. */
  #isReal(at: number, bytes: number): boolean {
    return at >= 0 && at + bytes <= ARENA_START;
  }

  override bytes(at: number, count: number): Uint8Array {
    return this.#isReal(at, count) ? super.bytes(at, count) : new Uint8Array(count);
  }
  override words(at: number, count: number): Int32Array {
    return this.#isReal(at, 4 * count) ? super.words(at, count) : new Int32Array(count);
  }
  override floats(at: number, count: number): Float32Array {
    return this.#isReal(at, 4 * count) ? super.floats(at, count) : new Float32Array(count);
  }
  override doubles(at: number, count: number): Float64Array {
    return this.#isReal(at, 8 * count) ? super.doubles(at, count) : new Float64Array(count);
  }
}
