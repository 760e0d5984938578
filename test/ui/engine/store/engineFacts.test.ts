// What the page knows of the saved runs follows the events of the run that trains.
import { expect, it } from "vitest";
import type { EventOf } from "../../../../src/protocol/messages.ts";
import type { SaveSummary } from "../../../../src/protocol/run/runSummary.ts";
import { stepText } from "../../../../src/ui/engine/saves/saveTexts.ts";
import { savesAfter } from "../../../../src/ui/engine/store/engineFacts.ts";
import { event, tableConfig } from "./events.ts";

const save = (runId: string): SaveSummary => ({
  ...{ runId, name: runId, label: {}, step: 0, savedAt: 1, bytes: 7300, config: { ...tableConfig, steps: 100 } },
});
const saved = (step: number, runId = "run-a") => event({ type: "saved", step, bytes: 9000, kept: [] }, runId) as EventOf<"saved">;

it("the list of saved runs tells the step up to which the run that trains is kept", () => {
  const after = savesAfter([save("run-a"), save("run-b")], saved(12), 99)!;
  expect(after.map(stepText)).toEqual(["step 12 of 100", "step 0 of 100"]);
  expect(after[0]).toMatchObject({ bytes: 9000, savedAt: 99 });
  expect(after[1]).toEqual(save("run-b"));
  expect(savesAfter([save("run-a")], saved(0), 99)![0]).toMatchObject({ bytes: 9000, savedAt: 1 });
});

it("a save of a run that is not listed, or before the store has answered, changes nothing", () => {
  expect(savesAfter([save("run-b")], saved(12), 99)).toEqual([save("run-b")]);
  expect(savesAfter(null, saved(12), 99)).toBeNull();
  const listed = event({ type: "saves", runs: [save("run-b")] }, null) as EventOf<"saves">;
  expect(savesAfter(null, listed, 99)).toEqual([save("run-b")]);
});
