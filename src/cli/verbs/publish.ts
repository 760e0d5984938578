// Writes a run into a folder that any static host serves: the page opens on its recording.
import { basename } from "node:path";
import { CommandError } from "../lab/exit.ts";
import { defineVerb } from "../lab/verb.ts";
import { packageScript } from "../packageFiles.ts";

export const publish = defineVerb({
  name: "publish",
  help: "Write a run into a folder for any static host: the page opened on its recording, a report, and charts and conversations for frames.",
  operands: ["RUN"],
  options: {
    to: {
      kind: "text",
      value: "DIR",
      help: "Folder to write to: a new or an empty one, or one that publish has made, which is written anew; needed.",
    },
    weights: { kind: "flag", help: "Take the weights along, so that going on from the recording's end repeats nothing." },
    most: { kind: "integer", value: "BYTES", min: 1, help: "Leave out conversations until the recording fits." },
  },
  async run({ operands, options, progress }) {
    const { to } = options;
    if (to === undefined || to === "") throw new CommandError("publish needs --to DIR, the folder to write to");
    const { earlierFiles, writePublished } = await import("../publish/publishedFolder.ts");
    const earlier = await earlierFiles(to);
    const { findRecorded } = await import("../folder/recordedRun.ts");
    const folder = await findRecorded(operands[0]!);
    const { rollout } = await import("../exports/rollout.ts");
    const [recording] = await rollout.files({ folder, which: "last", progress, hasWeights: options.weights, mostBytes: options.most });
    const { writtenRun } = await import("../exports/records.ts");
    const { publishedFiles, RUN_FOLDER } = await import("../publish/publishedFiles.ts");
    const { runCaption } = await import("../../rl/summary/runName.ts");
    const { catalog } = await import("../../train/catalog.ts");
    const run = await writtenRun(folder);
    // Hosts differ in what they take for a name in an address.
    const name = basename(recording!.name).replaceAll(/[^\w.-]+/g, "-");
    const files = await publishedFiles(run, { name: `${RUN_FOLDER}/${name}`, bytes: recording!.bytes }, runCaption(catalog, run));
    await writePublished(to, earlier, files);
    const list = await packageScript<{ readonly writeOfflineFiles: (folder: string) => void }>("scripts/serve/offlineFiles.mjs");
    list.writeOfflineFiles(to);
    const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
    const { bytesText } = await import("../../protocol/memory.ts");
    return {
      facts: {
        run: folder.path,
        to,
        files: files.length,
        bytes,
        recording: `${RUN_FOLDER}/${name}`,
        report: "report.html",
        frames: "embed/index.html",
      },
      text: `${to}: ${files.length} files, ${bytesText(bytes, 1000)}, for any static host\n  index.html        opens on the recording (${bytesText(recording!.bytes.length, 1000)})\n  report.html       one page to read or print\n  embed/index.html  charts and conversations for papers and slides, with the code to paste`,
    };
  },
});
