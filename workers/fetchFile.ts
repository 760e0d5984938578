// Fetches one file from another place for somebody who agreed to that, and hands its bytes back. It is a worker of its own because the
// page, its engine and whatever runs in them may only reach the lab's own files and the models' hub: this script alone is served with a
// policy that lets it reach other hosts (scripts/serve/answer.mjs), and it has nothing to tell them.
import { errorText } from "../src/protocol/problems.ts";

interface Wanted {
  readonly url: string;
  readonly mostBytes: number;
}

const tooLarge = (mostBytes: number) => new Error(`the file must have at most ${mostBytes} bytes, and has more`);

async function bytesAt({ url, mostBytes }: Wanted): Promise<Uint8Array> {
  const answer = await fetch(url, { credentials: "omit", referrerPolicy: "no-referrer", cache: "no-cache" }).catch(() => {
    throw new Error(`${new URL(url).host} did not answer, or does not let other pages read the file`);
  });
  if (!answer.ok) throw new Error(`${new URL(url).host} answered ${answer.status} instead of the file`);
  if (Number(answer.headers.get("Content-Length") ?? 0) > mostBytes) throw tooLarge(mostBytes);
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = answer.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    length += part.value.length;
    if (length > mostBytes) throw tooLarge(mostBytes);
    parts.push(part.value);
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}

self.onmessage = ({ data }: MessageEvent<Wanted>) => {
  bytesAt(data).then(
    (bytes) => self.postMessage(bytes, { transfer: [bytes.buffer] }),
    (error) => self.postMessage(errorText(error)),
  );
};
