// Rollouts of other programs that the page opens when it is served with them: whole files, since the page reads them where it gets them.
import { CommandError } from "../lab/exit.ts";

/** The server holds them in memory. */
const MOST_BYTES = 2 ** 29;

type ServedFiles = readonly (readonly [path: string, bytes: Uint8Array])[];

/** The files of a path that holds rollouts. Throws a CommandError where it is missing, too large, or holds none, with what was said of it as a run. */
export async function servedTraces(path: string, noRun: string): Promise<ServedFiles> {
  const { openTraces } = await import("../../traces/openTraces.ts");
  const { traceFilesOf } = await import("./traceFiles.ts");
  const files = await traceFilesOf([path]);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MOST_BYTES)
    throw new CommandError(
      `${path} must have at most ${MOST_BYTES / 2 ** 20} MB to be served, got ${Math.ceil(bytes / 2 ** 20)}: serve the page alone and drop the files on it`,
    );
  await openTraces(files, {}).catch((error: unknown) => {
    throw error instanceof Error && error.name === "TraceError" ? new CommandError(`${noRun}, and ${error.message}`) : error;
  });
  return Promise.all(files.map(async (file) => [file.path, await file.read(0, file.size)] as const));
}
