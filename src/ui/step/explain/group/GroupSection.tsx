// The group under an explained token: its answers, what they are compared with, two of them side by side, and
// whether it can teach anything.
import { memo } from "react";
import { useSelect } from "../../../engine/store/useRunView.ts";
import { Fold } from "../../../kit/controls/Fold.tsx";
import { Otherwise } from "../../otherwise/Otherwise.tsx";
import { isCompared, type TokenStory } from "../story/story.ts";
import { Comparison } from "./Comparison.tsx";
import { Difference } from "./Difference.tsx";
import { GroupTable } from "./GroupTable.tsx";
import { Spread } from "./Spread.tsx";

/** It is the same in all phases of a token, so going through them leaves it as it is. */
export const GroupSection = memo(function GroupSection({ token }: { readonly token: TokenStory }) {
  const select = useSelect();
  const { group, member, story } = token;
  const areCompared = isCompared(story.step);
  const mostAdvantage = Math.max(0, ...story.step.summaries.map(({ largestAdvantage }) => largestAdvantage));
  return (
    <section className="explain-group-section stack gap-2" aria-labelledby="explain-group-title">
      <h2 id="explain-group-title" className="title">
        The group of {group.trajectories.length}{" "}
        <span className="note">{areCompared ? "from the largest advantage to the smallest" : "as sampled"}</span>
      </h2>
      <Comparison token={token} />
      <GroupTable
        group={group}
        member={member}
        isCompared={areCompared}
        mostAdvantage={mostAdvantage}
        onSelect={(trajectoryIndex) => select({ trajectoryIndex })}
      />
      <Difference group={group} member={member} isCompared={areCompared} />
      {areCompared && (
        <Fold
          title={group.zeroSpread ? "Why this group has no spread" : "How often a group like this has no spread"}
          defaultExpanded={group.zeroSpread}
        >
          <Spread group={group} config={story.config} />
        </Fold>
      )}
      <Otherwise kind="by-hand" step={story.step} promptIndex={group.promptIndex} trajectoryIndex={member} tokenIndex={null} />
    </section>
  );
});
