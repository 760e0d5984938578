// What a run would take of the memory, as the engine estimates it before anything is built.

/** A share of the memory that a run needs. */
export interface MemoryPart {
  readonly title: string;
  readonly bytes: number;
}

/** A part of a run: of what its backend takes, or of what the engine holds beside it. */
export interface RunPart extends MemoryPart {
  readonly holder: "backend" | "engine";
}

/** The estimate for one configuration. */
export interface MemoryEstimate {
  /** Title of the backend it holds for. */
  readonly backend: string;
  /** At its peak: the sum of the parts. */
  readonly bytes: number;
  readonly parts: readonly RunPart[];
  /** Why it cannot be started, as a sentence; null where it fits. */
  readonly problem: string | null;
  /** What is better known before it is started; null where nothing is. */
  readonly notice: string | null;
}

const UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** Bytes as people read them, two or three digits: "3.2 GB". @param kilo 1024 for memory, 1000 for files. */
export function bytesText(bytes: number, kilo: 1024 | 1000 = 1024): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= kilo;
    unit++;
  }
  return `${value.toFixed(value < 9.95 && unit > 0 ? 1 : 0)} ${UNITS[unit]}`;
}
