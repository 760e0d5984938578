// The worker that brings rollouts of a data set of the Hugging Face hub: beside the page, which ends it when it is told to.
import { checkParquet, datasetParts, listedParts, PARQUET_FRAME, pathInDataset } from "../../src/model/hub/dataset.ts";
import { answerOf, Denied } from "../../src/model/hub/hub.ts";
import { isPage, pageInstead } from "../../src/protocol/models/fetched.ts";
import { errorText } from "../../src/protocol/problems.ts";
import type { HubReply, HubRequest } from "../../src/protocol/rollouts/hubRollouts.ts";
import { hub } from "../models/hubAccess.ts";

/** A browser holds no more of a page's files than this without trouble. */
const MOST_BYTES = 2 ** 31;
/** So many bytes come before the page hears again. */
const TOLD_BYTES = 2 ** 19;
const reply = (told: HubReply): void => self.postMessage(told);

/** A file as it comes. Rejects with a sentence where it is none, or breaks off. */
async function brought(url: string, what: string, begun: number, told: (done: number, share: number | null) => void): Promise<Blob> {
  const response = await answerOf(hub, url, what);
  if (isPage(response) || !response.body) throw new Denied(pageInstead(what));
  const length = Number(response.headers.get("content-length"));
  let done = 0;
  let last = 0;
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      done += chunk.length;
      if (begun + done > MOST_BYTES)
        return controller.error(new Denied(`${what} must have at most ${MOST_BYTES / 2 ** 20} MB, got more: choose another part of it`));
      if (done - last >= TOLD_BYTES) {
        told(done, length >= done ? done / length : null);
        last = done;
      }
      controller.enqueue(chunk);
    },
  });
  const blob = await new Response(response.body.pipeThrough(counted)).blob().catch((error: unknown) => {
    throw error instanceof Denied ? error : new Error(`${what} broke off after ${done} bytes: ask for it again`);
  });
  const ends = await Promise.all([blob.slice(0, PARQUET_FRAME), blob.slice(-PARQUET_FRAME)].map((end) => end.arrayBuffer()));
  checkParquet(
    what,
    url,
    blob.size,
    ends.map((end) => new Uint8Array(end)),
  );
  return blob;
}

async function answer(request: HubRequest): Promise<HubReply> {
  const { dataset } = request;
  if (request.does === "list") return { type: "parts", ...listedParts(dataset, await datasetParts(hub, dataset)) };
  const { split, urls } = request;
  const files: { path: string; file: File }[] = [];
  let doneBytes = 0;
  for (const [i, url] of urls.entries()) {
    const before = doneBytes;
    const told = (done: number, share: number | null) =>
      reply({ type: "progress", file: i, files: urls.length, doneBytes: before + done, share });
    told(0, 0);
    const blob = await brought(url, `${dataset}, ${split}`, before, told);
    doneBytes += blob.size;
    const path = pathInDataset(dataset, split, i);
    files.push({ path, file: new File([blob], path) });
  }
  return { type: "files", files };
}

self.onmessage = async ({ data }: MessageEvent<HubRequest>) => {
  try {
    reply(await answer(data));
  } catch (error) {
    reply({ type: "problem", message: errorText(error) });
  }
};
