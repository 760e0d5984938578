// How workers of the page reach the hub, and the beginning of a file there. Apart from what checks whole files, so that a worker that only
// brings rows carries nothing of it.
import { answerOf, Denied, type HubAccess } from "../../src/model/hub/hub.ts";
import { isPage, pageInstead } from "../../src/protocol/models/fetched.ts";

export const hub: HubAccess = {
  fetch: (url, init) => fetch(url, init),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  base: import.meta.env.VITE_HUB_ENDPOINT || "https://huggingface.co",
};

/** So large a file is brought before its model is wanted. */
export const SMALL_BYTES = 16 * 2 ** 20;

/** The first bytes of weights, in which their header lies. */
export async function headOf(url: string, what: string, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const first = async (length: number) => {
    const response = await answerOf(hub, url, what, { headers: { range: `bytes=0-${Math.min(length, bytes) - 1}` } });
    if (isPage(response)) throw new Denied(pageInstead(what));
    const reader = response.body!.getReader();
    const head = new Uint8Array(Math.min(length, bytes));
    for (let at = 0; at < head.length; ) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`${what} broke off`);
      head.set(value.subarray(0, head.length - at), at);
      at += value.length;
    }
    await reader.cancel();
    return head;
  };
  const head = await first(2 ** 18);
  const length = 8 + Number(new DataView(head.buffer).getBigUint64(0, true));
  return length <= head.length ? head : first(Math.min(length, SMALL_BYTES));
}
