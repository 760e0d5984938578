// The Explain screen of rollouts that another program wrote: what its files hold of one token, and its answer among the others of
// the group. No settings are known of them, so no formula is set and no phase of an update is told.
import { useMemo } from "react";
import type { StepGroups } from "../../../protocol/messages.ts";
import { hashOf } from "../../engine/route.ts";
import { useSelect, useSelection, useTraced } from "../../engine/store/useRunView.ts";
import { RewardTable } from "../rollouts/conversation/RewardTable.tsx";
import { channelLevel, channelsOf, tokenChannel } from "../tokens/channels.ts";
import { scaleLimit } from "../tokens/colourScale.ts";
import { TokenCard } from "../tokens/TokenCard.tsx";
import { TokenText } from "../tokens/TokenText.tsx";
import { tokenFacts } from "../tokens/tokenFacts.ts";
import { Difference } from "./group/Difference.tsx";
import { GroupTable } from "./group/GroupTable.tsx";
import { tellingPlace } from "./story/telling.ts";
import { WhereBar } from "./WhereBar.tsx";

interface TracedStepProps {
  readonly step: StepGroups;
  readonly oldest: number;
  readonly latest: number;
}

/** What the files do not say of the update. */
function Lacking() {
  const traced = useTraced();
  return (
    <section aria-labelledby="traced-lacking">
      <h2 id="traced-lacking">What the files do not tell</h2>
      <p>
        Which algorithm pushed this token, with which clip and how hard, and what became of its probability: a file of rollouts holds no
        settings and no weights.
      </p>
      <ul>
        {traced?.missing.map(({ what, why }) => (
          <li key={what}>
            {what}: {why}
          </li>
        ))}
      </ul>
      <p>
        <a href={hashOf("open")}>What was found in the files</a>
      </p>
    </section>
  );
}

export function TracedStep({ step, oldest, latest }: TracedStepProps) {
  const select = useSelect();
  const selection = useSelection((all) => all);
  const group = step.groups[Math.min(selection.promptIndex, step.groups.length - 1)]!;
  const member = Math.min(selection.trajectoryIndex, group.trajectories.length - 1);
  const trajectory = group.trajectories[member]!;
  const tokens = useMemo(() => tokenFacts(trajectory, null, step.phase), [trajectory, step.phase]);
  const telling = useMemo(
    () => tellingPlace(step, { promptIndex: group.promptIndex, trajectoryIndex: member }).tokenIndex ?? 0,
    [step, group.promptIndex, member],
  );
  const place = Math.min(selection.tokenIndex ?? telling, tokens.length - 1);
  const mostAdvantage = Math.max(0, ...step.summaries.map(({ largestAdvantage }) => largestAdvantage));
  const [channel = tokenChannel("mask")] = channelsOf(tokens, true);
  const prompt = group.messages.findLast(({ role }) => role === "user")?.content ?? group.exampleId;
  return (
    <div className="explain stack content-start gap-2 min-w-0">
      <WhereBar step={step} oldest={oldest} latest={latest} group={group} member={member} />
      <header className="explain-head grid">
        <p className="explain-kicker aside">{prompt}</p>
        <h1>What the files hold of this token</h1>
        <TokenText
          label={`Answer ${member + 1}, coloured by ${channel.title}`}
          tokens={tokens}
          channel={channel}
          limit={channel.id === "advantage" ? mostAdvantage : scaleLimit(tokens.map((token) => channelLevel(channel, token)))}
          pinned={place}
          onPin={(tokenIndex) => select({ step: step.step, promptIndex: group.promptIndex, trajectoryIndex: member, tokenIndex })}
          onPoint={() => {}}
        />
      </header>
      <div className="explain-columns stack items-start">
        <section className="explain-panel stack content-start" aria-label="What the answer earned">
          <RewardTable trajectory={trajectory} answer={group.answer} config={null} />
        </section>
        <TokenCard token={tokens[place] ?? null} template={tokens[0]} pinned count={tokens.length} config={null} />
        <section className="explain-group-section stack gap-2" aria-labelledby="explain-group-title">
          <h2 id="explain-group-title" className="title">
            The group of {group.trajectories.length}
          </h2>
          <GroupTable
            group={group}
            member={member}
            isCompared
            mostAdvantage={mostAdvantage}
            onSelect={(trajectoryIndex) => select({ trajectoryIndex })}
          />
          <Difference group={group} member={member} isCompared />
        </section>
      </div>
      <Lacking />
    </div>
  );
}
