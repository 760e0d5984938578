// Writes on a run what somebody calls it, or says what is written there.
import { columns } from "../lab/texts.ts";
import { defineVerb } from "../lab/verb.ts";

export const labelVerb = defineVerb({
  name: "label",
  help: "Name a run, write notes and tags on it, or pin it; without options says what is written.",
  operands: ["RUN"],
  options: {
    name: { kind: "text", value: "TEXT", mayBeEmpty: true, help: "What it is called; an empty text takes the name away." },
    notes: { kind: "text", value: "TEXT", mayBeEmpty: true, help: "Notes; an empty text takes them away." },
    tag: { kind: "list", value: "TAG", help: "Adds a tag." },
    untag: { kind: "list", value: "TAG", help: "Takes a tag away." },
    pin: { kind: "flag", help: "Lists it first." },
    unpin: { kind: "flag", help: "Does so no more." },
  },
  async run({ operands, options }) {
    const { findRun, saveFolder } = await import("../folder/runFolder.ts");
    const { readLabel, writeLabel } = await import("../folder/folderStore.ts");
    const { decodeLabel, encodeLabel, LABEL_FILE, runLabelSchema } = await import("../../protocol/run/runLabel.ts");
    const { parseOrThrow } = await import("../../protocol/problems.ts");
    const folder = await findRun(operands[0]!);
    const file = await readLabel(saveFolder(folder));
    const before = file ? decodeLabel(file, `${folder.path}/${LABEL_FILE}`) : {};
    const { name = before.name, notes = before.notes, tag, untag, pin, unpin } = options;
    const tags = [...new Set([...(before.tags ?? []), ...tag])].filter((each) => !untag.includes(each));
    const isPinned = pin || (before.isPinned === true && !unpin);
    const label = parseOrThrow(runLabelSchema, {
      ...(name ? { name } : {}),
      ...(notes ? { notes } : {}),
      ...(tags.length > 0 ? { tags } : {}),
      ...(isPinned ? { isPinned } : {}),
    });
    if (JSON.stringify(label) !== JSON.stringify(before))
      writeLabel(saveFolder(folder), Object.keys(label).length > 0 ? encodeLabel(label) : null);
    const rows = [
      ["name", label.name ?? "-"],
      ["notes", label.notes ?? "-"],
      ["tags", label.tags?.join(", ") ?? "-"],
      ["pinned", label.isPinned ? "yes" : "no"],
    ];
    return { facts: { run: folder.path, label }, text: columns(rows) };
  },
});
