// Files of the build as the engine's worker fetches them, wherever on a host the build lies.

import { isPage } from "../src/protocol/models/fetched.ts";
import { errorText } from "../src/protocol/problems.ts";
/** The folder of the page, ending in "/". The built worker lies in assets/, one below; in development nothing is built. */
export const siteFolder = new URL(import.meta.env.DEV ? "/" : "../", self.location.href).href;

const RETRY_AFTER_MS = 400;

/** What came of asking for a file once; `again` where another try may bring it. */
type Attempt = { readonly bytes: Uint8Array } | { readonly problem: string; readonly again: boolean };

async function attempt(address: string): Promise<Attempt> {
  try {
    const response = await fetch(address);
    const { ok, status } = response;
    // A server that answers every unknown address with the page must not pass for the file.
    if (status === 404 || isPage(response)) return { problem: `is missing (${status})`, again: false };
    if (!ok) return { problem: `could not be downloaded (the server answered ${status})`, again: true };
    return { bytes: new Uint8Array(await response.arrayBuffer()) };
  } catch (error) {
    // No connection, or one that broke off on the way.
    return { problem: `could not be downloaded (${errorText(error)})`, again: true };
  }
}

/**
 * Reads files below a folder, given by its address with the slash; each is asked for once more where that may help.
 * Throws naming the file.
 */
export function assetReader(folder: string): (path: string) => Promise<Uint8Array> {
  return async (path) => {
    let result = await attempt(folder + path);
    if ("problem" in result && result.again) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      result = await attempt(folder + path);
    }
    if ("problem" in result) throw new Error(`asset "${path}" ${result.problem}`);
    return result.bytes;
  };
}
