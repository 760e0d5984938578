// High-rate data lives outside React. A versioned source counts its changes; components subscribe to
// the count and read the data itself when they draw.
import { useSyncExternalStore } from "react";

/** Counts the changes of data, and tells listeners of each. */
export class VersionCounter {
  #version = 0;
  readonly #listeners = new Set<() => void>();

  get version(): number {
    return this.#version;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  bump(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}

/** Redraws the calling component whenever the source changes; returns its version. */
export function useVersion(source: VersionCounter): number {
  return useSyncExternalStore(source.subscribe, () => source.version);
}
