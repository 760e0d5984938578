// The likeliest tokens at a place, where the weights that sampled them are gone.
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { LikeliestTokens } from "../../../../../src/ui/step/rollouts/conversation/AlternativesTable.tsx";
import { recordedStep } from "../../../../rl/recordedStep.ts";

const text = (markup: string) => markup.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

it("knows what was said from its record, and says why the others have a dash", async () => {
  const { groups } = await recordedStep({ model: "tabular", promptsPerStep: 1, groupSize: 2 }, 1);
  const [group] = groups;
  const said = group!.trajectories[0]!.tokens[0]!;
  const other = { token: said + 1, piece: "x", before: null, after: 0.25 };
  const rows = [{ token: said, piece: "y", before: null, after: 0.5 }, other];
  const found = { step: 1, promptIndex: 0, trajectoryIndex: 0, places: [0, 1] as const, alternatives_T: [rows] };
  const drawn = text(renderToStaticMarkup(<LikeliestTokens found={found} group={group!} trajectoryIndex={0} index={0} />));
  expect(drawn).toMatch(/y said [\d.]+ % 50 % x – not known 25 % A dash is not known\. The weights that sampled this step/);
  const whole = { ...found, alternatives_T: [rows.map((row) => ({ ...row, before: 0.1 }))] };
  const both = text(renderToStaticMarkup(<LikeliestTokens found={whole} group={group!} trajectoryIndex={0} index={0} />));
  expect(both).not.toMatch(/–|not known/);
});
