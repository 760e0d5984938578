// High-rate data lives outside React. A versioned source counts its changes; components subscribe to
// the count and read the data itself when they draw.
import { useSyncExternalStore } from "react";

export interface Versioned {
  readonly version: number;
  subscribe(listener: () => void): () => void;
}

/** Change counter with listeners; owned by the data it counts for. */
export class VersionCounter implements Versioned {
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
export function useVersion(source: Versioned): number {
  return useSyncExternalStore(source.subscribe, () => source.version);
}
