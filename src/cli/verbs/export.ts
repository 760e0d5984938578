// Writes a run out in a form that other programs read.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { unknownName } from "../../protocol/problems.ts";
import { CommandError, failedFile } from "../lab/exit.ts";
import { columns } from "../lab/texts.ts";
import { CHECKPOINT, defineVerb } from "../lab/verb.ts";

export const exportVerb = defineVerb({
  name: "export",
  help: "Write a run out for other programs: model folder, one file, tables, TensorBoard, MLflow, Weights & Biases, one page of HTML, TRL.",
  operands: ["RUN"],
  options: {
    to: {
      kind: "text",
      value: "FORM",
      help: "What to write: hf, peft, rollout, jsonl, csv, tensorboard, mlflow, wandb, verifiers, report, trl or verl; needed.",
    },
    out: { kind: "text", value: "DIR", help: "Folder to write to (export/FORM in the run's folder, or beside its file)." },
    checkpoint: CHECKPOINT,
    weights: { kind: "flag", help: "With --to rollout: take the weights along." },
    most: { kind: "integer", value: "BYTES", min: 1, help: "With --to rollout: leave out conversations until the file fits." },
  },
  async run({ operands, options, progress }) {
    const { findRecorded } = await import("../folder/recordedRun.ts");
    const { exporters } = await import("../exports/index.ts");
    const exporter = exporters.find(({ name }) => name === options.to);
    if (!exporter) {
      const known = exporters.map(({ name }) => name);
      throw new CommandError(options.to === undefined ? `export needs --to ${known.join("|")}` : unknownName("--to", options.to, known));
    }
    const folder = await findRecorded(operands[0]!);
    const { checkpoint: which = "last" } = options;
    const files = await exporter.files({ folder, which, progress, hasWeights: options.weights, mostBytes: options.most });
    const out = options.out ?? join(folder.isFile ? dirname(folder.path) : folder.path, "export", exporter.name);
    for (const { name, bytes } of files) {
      const path = join(out, name);
      await mkdir(dirname(path), { recursive: true }).catch(failedFile("made", dirname(path)));
      await writeFile(path, bytes).catch(failedFile("written", path));
    }
    const listed = files.map(({ name, bytes }) => ({ path: join(out, name), bytes: bytes.length }));
    return {
      facts: { run: folder.path, to: exporter.name, out, files: listed },
      text: `${out}: ${exporter.help}\n${columns(listed.map(({ path, bytes }) => [`  ${path}`, `${bytes} bytes`]))}`,
    };
  },
});
