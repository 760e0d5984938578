// The recorded examples that come with the page: small enough, whole, and each with a card whose numbers are the recording's.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cardOf } from "../../scripts/examples/cardOf.ts";
import { meanOf } from "../../src/rl/advantage/statistics.ts";
import { diagnoses } from "../../src/rl/diagnosis/index.ts";
import { historyOf } from "../../src/rl/verdict/history.ts";
import { saveInFile } from "../../src/train/save/importedSave.ts";
import { readGroups } from "../../src/train/save/kept/groupFile.ts";
import { readSave } from "../../src/train/save/readSave.ts";
import { EXAMPLES, type ExampleCard } from "../../src/ui/runs/replay/examples.ts";

const FOLDER = "public/examples";
const FIRST = EXAMPLES[0]!.id;
const opened = async (id: string) => {
  const { runId, files } = saveInFile(new Uint8Array(readFileSync(`${FOLDER}/${id}.rollout`)));
  return { runId, saved: readSave(runId, files) };
};

describe("the recorded examples", () => {
  it("are those that the page names, the first with its card, and under 400 kB", () => {
    const wanted = [...EXAMPLES.map(({ id }) => `${id}.rollout`), `${FIRST}.json`];
    expect(readdirSync(FOLDER).sort()).toEqual(wanted.sort());
    for (const { id } of EXAMPLES) expect(statSync(`${FOLDER}/${id}.rollout`).size, id).toBeLessThan(400_000);
    expect(statSync(`${FOLDER}/${FIRST}.json`).size).toBeLessThan(12_000);
  });

  it.each(EXAMPLES.map(({ id }) => id))("%s is read whole, conversations too", async (id) => {
    const { saved } = await opened(id);
    expect(saved.lost).toBeUndefined();
    expect(saved.kept.length).toBeGreaterThanOrEqual(10);
    for (const { step, file } of saved.kept) expect((await readGroups(file, step, saved.config)).groups.length).toBeGreaterThan(0);
    // What is shared names no place of the machine that it was made on.
    expect(JSON.stringify(saved.config)).not.toMatch(/"\/|\\\\|work/);
  });

  it("have a card of the first that says what is in it: from its first moment on groups that can be learnt from, and that get better", async () => {
    const { saved } = await opened(FIRST);
    const card = JSON.parse(readFileSync(`${FOLDER}/${FIRST}.json`, "utf8")) as ExampleCard;
    expect(card).toEqual(await cardOf(saved));
    expect(saved.steps.map(({ step }) => step)).toEqual(card.curve.map(([step]) => step));
    expect(card.moments.length).toBeGreaterThanOrEqual(6);
    const right = card.moments.map(({ answers }) => answers.filter(({ isRight }) => isRight).length / answers.length);
    for (const { answers } of card.moments)
      for (const { isRight, advantage } of answers) expect(Math.sign(advantage)).toBe(isRight ? 1 : -1);
    const third = Math.floor(right.length / 3);
    expect(meanOf(right.slice(-third))).toBeGreaterThan(meanOf(right.slice(0, third)) + 0.25);
  });

  it("show a run that learns, tools, and one that fails with its diagnosis", async () => {
    const rise = async (id: string) => {
      const { evaluations } = (await opened(id)).saved;
      return evaluations.at(-1)!.sampledAccuracy - evaluations[0]!.sampledAccuracy;
    };
    for (const id of ["arithmetic", "calculator", "search", "capitals"]) expect(await rise(id), id).toBeGreaterThan(0.2);
    const failing = historyOf((await opened("wrong-reward")).saved);
    expect(diagnoses.filter((each) => each.find(failing) !== null).map(({ id }) => id)).toContain("reward-hacking");
  });
});
