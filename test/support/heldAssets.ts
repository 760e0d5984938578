// Files of public/ that arrive only when a test lets them: a run that needs them is being prepared until then.
import { createNodeHost } from "./nodeHost.ts";

export interface HeldAssets {
  readAsset(path: string): Promise<Uint8Array>;
  /** From now on files wait for `release`. */
  hold(): void;
  release(): void;
}

export function heldAssets(): HeldAssets {
  const { readAsset } = createNodeHost();
  let released: Promise<void> = Promise.resolve();
  let release = () => {};
  return {
    readAsset: async (path) => {
      await released;
      return readAsset(path);
    },
    hold: () => {
      released = new Promise((resolve) => {
        release = resolve;
      });
    },
    release: () => release(),
  };
}
