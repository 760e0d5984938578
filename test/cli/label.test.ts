// A run in a folder is named, tagged and pinned by the words that the page has for it, and the list of runs shows them.

import files from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { saveFilesIn } from "../../src/cli/folder/folderStore.ts";
import { createRunFolder } from "../../src/cli/folder/runFolder.ts";
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { trainInFolder } from "../../src/cli/training/trainInFolder.ts";
import { labelVerb } from "../../src/cli/verbs/label.ts";
import { list } from "../../src/cli/verbs/list.ts";
import { labelIn } from "../../src/protocol/run/runLabel.ts";
import { LABEL } from "../../src/train/host.ts";
import { readImported } from "../../src/train/save/importedSave.ts";

const call = { progress: { tell() {}, doing() {}, at() {}, end() {} }, interrupt: { onAsked() {}, isAsked: false } };
let runs = "";
const train = async (name: string, seed: number) =>
  trainInFolder({
    folder: await createRunFolder(join(runs, name), { name }),
    from: { config: { task: "digit-sum", model: "tabular", promptsPerStep: 1, groupSize: 4, steps: 3, seed }, parent: null },
    host: createNodeHost(),
    trajectories: 1,
    ...call,
  });
const write = (name: string, options: Readonly<Record<string, string | boolean | readonly string[]>>) =>
  labelVerb.run({
    ...call,
    operands: [join(runs, name)],
    options: { tag: [], untag: [], pin: false, unpin: false, name: undefined, notes: undefined, ...options },
  });
const listed = async () => (await list.run({ ...call, operands: [runs], options: {} })).facts as { readonly runs: readonly object[] };

beforeAll(async () => {
  runs = await files.mkdtemp(join(tmpdir(), "label-"));
  await train("a", 0);
  await train("b", 2);
});
afterAll(() => files.rm(runs, { recursive: true, force: true }));

it("a run that nobody has named has the name that its page gives it", async () => {
  const { runs: rows } = await listed();
  expect(rows).toMatchObject([
    { name: expect.stringMatching(/seed 2$/), tags: [], pinned: false, parent: null, notes: null },
    { name: expect.stringMatching(/^Digit sum/), tags: [], pinned: false },
  ]);
});

it("a name, notes, tags and a pin are written beside the save, shown by the list, and taken away again", async () => {
  await write("a", { name: "the good one", notes: "see figure 3", tag: ["paper", "seed check"], pin: true });
  expect(JSON.parse(await files.readFile(join(runs, "a", "label.json"), "utf8"))).toEqual({
    name: "the good one",
    notes: "see figure 3",
    tags: ["paper", "seed check"],
    isPinned: true,
  });
  const { runs: rows } = await listed();
  expect(rows[0]).toMatchObject({ name: "the good one", notes: "see figure 3", tags: ["paper", "seed check"], pinned: true });
  const { facts } = await write("a", { name: "", notes: "", untag: ["paper", "seed check"], unpin: true });
  expect(facts).toMatchObject({ label: {} });
  await expect(files.stat(join(runs, "a", "label.json"))).rejects.toThrow(/ENOENT/);
});

it("what no label can hold is refused by the name of its field, and what was spoilt by hand by that of its file", async () => {
  await expect(write("b", { tag: ["a,b"] })).rejects.toThrow(/tags.*must have no comma/);
  await files.writeFile(join(runs, "b", "label.json"), "{");
  await expect(write("b", { name: "x" })).rejects.toThrow(/label.json is not JSON/);
  // The list shows the run all the same.
  expect((await listed()).runs).toHaveLength(2);
  await files.rm(join(runs, "b", "label.json"));
});

it("what is written on a run goes with its folder, as a page takes it", async () => {
  await write("a", { name: "the good one" });
  const inSave = await saveFilesIn(join(runs, "a", "save"));
  const { files: taken } = await readImported([...inSave].map(([name, bytes]) => ({ name, bytes })));
  expect(labelIn(taken.get(LABEL))).toEqual({ name: "the good one" });
});
