// What is read of a log that somebody gave: a few lines at once, as they are typed; files and long texts in a worker, with how far it is.
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { judgeLog, type LogReading } from "../../../rl/logs/judgeLog.ts";
import { type GivenLog, type LogReply, receivedReading } from "../../../rl/logs/readingThread.ts";
import { readLogText } from "../../../rl/logs/readLog.ts";
import { openLogWorker } from "../../engine/openWorkers.ts";

export type Reading =
  | { readonly is: "nothing" }
  | { readonly is: "reading"; readonly share: number }
  | { readonly is: "read"; readonly reading: LogReading }
  | { readonly is: "failed"; readonly why: string };

/** Characters that are read within a frame. */
const AT_ONCE = 200_000;
const NOTHING: Reading = { is: "nothing" };
const BEGUN: Reading = { is: "reading", share: 0 };

/** The reading of what was given last; a worker that reads something else meanwhile is ended. */
export function useReading(given: GivenLog): Reading {
  const asked = useDeferredValue(given);
  const isLong = "files" in given || given.text.length > AT_ONCE;
  const [told, setTold] = useState<{ readonly of: GivenLog; readonly reading: Reading } | null>(null);
  useEffect(() => {
    if (!isLong) return;
    const worker = openLogWorker();
    const tell = (reading: Reading) => setTold({ of: given, reading });
    worker.onmessage = ({ data }: MessageEvent<LogReply>) => {
      if (data.type === "share") tell({ is: "reading", share: data.share });
      else if (data.type === "problem") tell({ is: "failed", why: data.message });
      else tell({ is: "read", reading: receivedReading(data.reading) });
    };
    worker.onerror = ({ message }) => tell({ is: "failed", why: message || "what reads logs could not be loaded" });
    worker.postMessage(given);
    return () => worker.terminate();
  }, [given, isLong]);
  const short = useMemo(
    (): Reading =>
      "files" in asked || asked.text.length > AT_ONCE || asked.text.trim() === ""
        ? NOTHING
        : { is: "read", reading: judgeLog(readLogText(asked.text)) },
    [asked],
  );
  if (!isLong) return short;
  return told?.of === given ? told.reading : BEGUN;
}
