// A log that is read in another thread: what is asked of it, and a reading as it comes back. Functions do not cross over, so the program is
// named and the curves are made again from the rows.
import { judgeLog, type LogReading } from "./judgeLog.ts";
import type { OnShare } from "./log.ts";
import { logEvidence } from "./logEvidence.ts";
import { programNamed } from "./programs/index.ts";
import { type ReadLog, readLogFiles, readLogText } from "./readLog.ts";

/** Text that was pasted, or files, which are read where they lie. */
export type GivenLog = { readonly text: string } | { readonly files: readonly GivenLogFile[] };
export interface GivenLogFile {
  readonly path: string;
  readonly file: Blob;
}

type SentReading = Omit<LogReading, "evidence"> & { readonly log: Omit<ReadLog, "program"> & { readonly program: string } };

export type LogReply =
  | { readonly type: "share"; readonly share: number }
  | { readonly type: "read"; readonly reading: SentReading }
  | { readonly type: "problem"; readonly message: string };

/** Reads and judges in the thread where it is called. */
export async function readGiven(given: GivenLog, onShare: OnShare): Promise<SentReading> {
  const log =
    "text" in given
      ? readLogText(given.text, onShare)
      : readLogFiles(
          await Promise.all(given.files.map(async ({ path, file }) => ({ path, bytes: new Uint8Array(await file.arrayBuffer()) }))),
          onShare,
        );
  const { evidence, ...judged } = judgeLog(log);
  return { ...judged, log: { ...evidence.log, program: log.program.id } };
}

/** The reading that was sent. */
export function receivedReading({ log, ...judged }: SentReading): LogReading {
  return { ...judged, evidence: logEvidence({ ...log, program: programNamed(log.program) }) };
}
