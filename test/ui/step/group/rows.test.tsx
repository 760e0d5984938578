// What a row of the group says at each phase: nothing that the step has not come to.
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { runConfigSchema } from "../../../../src/protocol/config.ts";
import type { Phase } from "../../../../src/protocol/messages.ts";
import { GroupRows, RowLegend } from "../../../../src/ui/step/group/GroupRows.tsx";
import { group, trajectory } from "../rollouts/groups.ts";

const config = runConfigSchema.parse({});
const GROUP = group([trajectory(1, 0.7, 3), trajectory(0.5, -0.7, 3)]);

function rows(phase: Phase, reached: Phase): string {
  return renderToStaticMarkup(<GroupRows group={GROUP} config={config} phase={phase} reached={reached} mostAdvantage={1} />);
}

describe("a row of the group", () => {
  it("does not say that an answer is right before the answers are scored", () => {
    expect(rows("sample", "sample")).not.toContain(">right<");
    for (const reached of ["score", "advantage", "update"] as const) expect(rows("sample", reached).match(/>right</g)).toHaveLength(1);
  });

  it("says reward and advantage in words: no letter stands alone", () => {
    expect(rows("score", "score")).toContain("= reward 1");
    expect(rows("advantage", "advantage")).toContain("reward 1");
    for (const phase of ["score", "advantage", "update"] as const) {
      const legend = renderToStaticMarkup(<RowLegend phase={phase} group={GROUP} config={config} />);
      expect(legend, phase).not.toMatch(/<button[^>]*>[a-zA-Z]<\/button>/);
    }
  });
});
