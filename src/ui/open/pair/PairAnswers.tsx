// The chosen prompt with an answer of each run beside the other's, token by token, coloured on one scale.
import { useEffect, useMemo, useRef, useState } from "react";
import { counted, measureText } from "../../../protocol/quantities.ts";
import { goTo, hashOf, type Place } from "../../engine/route.ts";
import { useTraced } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Choice } from "../../kit/controls/Choice.tsx";
import { Conversation, Speaker } from "../../step/rollouts/conversation/Conversation.tsx";
import { RewardTable } from "../../step/rollouts/conversation/RewardTable.tsx";
import { ChannelBar } from "../../step/tokens/ChannelBar.tsx";
import { channelLevel, type TokenChannel, tokenChannel } from "../../step/tokens/channels.ts";
import { scaleLimit } from "../../step/tokens/colourScale.ts";
import { TokenCard } from "../../step/tokens/TokenCard.tsx";
import { TokenText } from "../../step/tokens/TokenText.tsx";
import { type TokenFacts, tokenFacts } from "../../step/tokens/tokenFacts.ts";
import { choiceNow, readAgain } from "../openFiles.ts";
import type { PairProps } from "./PairSides.tsx";
import { answersOf, type PickedAnswer, type PlacedAnswer, placeOfPicked } from "./pairAddress.ts";

interface SideProps {
  readonly side: "left" | "right";
  readonly name: string;
  readonly answers: readonly PlacedAnswer[];
  readonly picked: PickedAnswer;
  readonly onPick: (picked: PickedAnswer) => void;
  readonly tokens: readonly TokenFacts[];
  readonly channel: TokenChannel;
  readonly limit: number;
  readonly pinned: Spot | null;
  readonly onPin: (spot: Spot | null) => void;
  readonly onPoint: (spot: Spot | null) => void;
}

/** A token of one of the two answers, which is known by its tokens. */
interface Spot {
  readonly tokens: readonly TokenFacts[];
  readonly index: number;
}

const factsOf = (shown: PlacedAnswer | null) => (shown ? tokenFacts(shown.trajectory, null, "update") : []);

function PickAnswer({ answers, picked, onPick }: Pick<SideProps, "answers" | "picked" | "onPick">) {
  const rewardText = ({ trajectory: { reward } }: PlacedAnswer) => (reward === null ? "no reward" : `reward ${measureText(reward)}`);
  const options = [
    ...(["best", "worst"] as const).map((id) => ({ id, title: id === "best" ? "Best reward" : "Worst reward" })),
    ...answers.map((answer, at) => ({ id: String(at), title: `#${at + 1}: ${rewardText(answer)}` })),
  ];
  return (
    <Choice
      label={`Of ${counted(answers.length, "answer")}`}
      value={String(picked)}
      options={options}
      onChange={(id) => onPick(id === "best" || id === "worst" ? id : Number(id))}
    />
  );
}

/** The way to the same answer among all others of its step; a run that is not the one on screen is read first. */
function InRollouts({ name, place }: { readonly name: string; readonly place: Place<"rollouts"> }) {
  const shown = useTraced()?.runs?.shown;
  if (name === shown) return <a href={hashOf("rollouts", place)}>See it among the rollouts of its step</a>;
  const open = async () => {
    await readAgain({ ...choiceNow(), run: name });
    goTo("rollouts", place);
  };
  return <Button onPress={() => void open()}>Show {name} on all screens, at this answer</Button>;
}

function AnswerSide({ side, name, answers, picked, onPick, tokens, channel, limit, pinned, onPin, onPoint }: SideProps) {
  const at = placeOfPicked(answers, picked);
  const shown = at === null ? null : answers[at]!;
  const spotAt = (index: number | null) => (index === null ? null : { tokens, index });
  return (
    <section className="pair-answer grid grid-cols-1 gap-1 min-w-0" aria-labelledby={`pair-${side}`}>
      <h3 id={`pair-${side}`}>
        {name}
        {shown && <span className="note"> step {shown.group.step}</span>}
      </h3>
      {!shown && <p className="note">It was not asked this there.</p>}
      {shown && (
        <>
          <PickAnswer answers={answers} picked={picked} onPick={onPick} />
          <Conversation
            messages={[]}
            trajectory={shown.trajectory}
            tokens={tokens}
            draw={(part, label) => (
              <TokenText
                label={`${name}: ${label}, coloured by ${channel.title}`}
                tokens={part}
                channel={channel}
                limit={limit}
                pinned={pinned?.tokens === tokens ? pinned.index : null}
                onPin={(index) => onPin(spotAt(index))}
                onPoint={(index) => onPoint(spotAt(index))}
              />
            )}
          />
          <RewardTable trajectory={shown.trajectory} answer={shown.group.answer} config={null} />
          <InRollouts
            name={name}
            place={{
              step: shown.group.step,
              promptIndex: shown.group.promptIndex,
              trajectoryIndex: shown.trajectoryIndex,
              tokenIndex: null,
            }}
          />
        </>
      )}
    </section>
  );
}

export function PairAnswers({ answer, place, onGo }: PairProps) {
  const [channelId, setChannel] = useState("advantage");
  const { chosen, left, right } = answer;
  const leftAnswers = useMemo(() => answersOf(chosen?.left ?? []), [chosen]);
  const rightAnswers = useMemo(() => answersOf(chosen?.right ?? []), [chosen]);
  const shownOf = (answers: readonly PlacedAnswer[], picked: PickedAnswer) => answers[placeOfPicked(answers, picked) ?? -1] ?? null;
  const a = shownOf(leftAnswers, place.leftAnswer);
  const b = shownOf(rightAnswers, place.rightAnswer);
  const leftTokens = useMemo(() => factsOf(a), [a]);
  const rightTokens = useMemo(() => factsOf(b), [b]);
  const [pinned, onPin] = useState<Spot | null>(null);
  const [pointed, onPoint] = useState<Spot | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const key = chosen?.prompt.key;
  // Prompts may fill a screen: whoever chooses one comes to its answers.
  useEffect(() => {
    if (key !== undefined) heading.current?.focus();
  }, [key]);
  if (!chosen) return null;
  const channel = tokenChannel(channelId);
  const tokens = [...leftTokens, ...rightTokens];
  const limit = scaleLimit(tokens.map((token) => channelLevel(channel, token)));
  const messages = (a ?? b)?.group.messages ?? [];
  const shared = { channel, limit, pinned, onPin, onPoint };
  // What was pinned in an answer that gave way to another is let go of.
  const isHere = (spot: Spot | null) => spot !== null && (spot.tokens === leftTokens || spot.tokens === rightTokens);
  const spot = isHere(pointed) ? pointed : isHere(pinned) ? pinned : null;
  return (
    <section className="stack" aria-labelledby="pair-chosen">
      <h2 id="pair-chosen" ref={heading} tabIndex={-1}>
        The same prompt in both
      </h2>
      <ol className="conversation" aria-label="Prompt">
        {messages.map(({ role, content, agent }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a message is its place in the conversation
          <li key={at} className={`turn turn-${role}`}>
            <Speaker speaker={role} agent={agent} />
            <p className="turn-text">{content}</p>
          </li>
        ))}
      </ol>
      <ChannelBar tokens={tokens} channel={channel} limit={limit} onChange={setChannel} />
      <div className="pair-answers grid items-start">
        <AnswerSide
          {...{ ...shared, side: "left", name: left.name, answers: leftAnswers, tokens: leftTokens, picked: place.leftAnswer }}
          key={`left ${chosen.prompt.key} ${place.leftAnswer}`}
          onPick={(leftAnswer) => onGo({ leftAnswer, page: place.page })}
        />
        <AnswerSide
          {...{ ...shared, side: "right", name: right.name, answers: rightAnswers, tokens: rightTokens, picked: place.rightAnswer }}
          key={`right ${chosen.prompt.key} ${place.rightAnswer}`}
          onPick={(rightAnswer) => onGo({ rightAnswer, page: place.page })}
        />
      </div>
      <TokenCard
        token={spot?.tokens[spot.index] ?? null}
        template={tokens[0]}
        pinned={spot !== null && spot.tokens === pinned?.tokens && spot.index === pinned.index}
        count={spot?.tokens.length ?? 0}
        config={null}
      />
    </section>
  );
}
