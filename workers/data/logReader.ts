// The worker that reads a log of another program: in a thread of its own, since a long one takes seconds, which the page ends when it is
// told to.
import { errorText } from "../../src/protocol/problems.ts";
import { type GivenLog, type LogReply, readGiven } from "../../src/rl/logs/readingThread.ts";

const reply = (told: LogReply): void => self.postMessage(told);

self.onmessage = async ({ data }: MessageEvent<GivenLog>) => {
  try {
    reply({ type: "read", reading: await readGiven(data, (share) => reply({ type: "share", share })) });
  } catch (error) {
    reply({ type: "problem", message: errorText(error) });
  }
};
