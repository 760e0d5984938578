// The answer whose token is explained. One turn is its tokens; of a conversation each turn is a line that says who
// spoke and what came of it, and the turn of the token is unfolded into its tokens.
import { memo, useCallback, useMemo, useState } from "react";
import type { MessageRecord } from "../../../../protocol/records.ts";
import { useSelect } from "../../../engine/store/useRunView.ts";
import { Speaker } from "../../rollouts/conversation/Conversation.tsx";
import { conversationParts, type InsertedPart, type SampledPart } from "../../rollouts/conversation/turns.ts";
import { turnTexts } from "../../rollouts/group/rowTexts.ts";
import { tokenChannel } from "../../tokens/channels.ts";
import { TokenText } from "../../tokens/TokenText.tsx";
import { type TokenFacts, tokenFacts } from "../../tokens/tokenFacts.ts";
import { reachedPhase, type TokenStory } from "../story/story.ts";

const nothing = () => {};

interface TurnTokensProps {
  readonly label: string;
  readonly tokens: readonly TokenFacts[];
  readonly pinned: number;
  readonly limit: number;
}

/** Drawn anew only where something of it changed: a long answer takes a while. */
const TurnTokens = memo(function TurnTokens({ label, tokens, pinned, limit }: TurnTokensProps) {
  const select = useSelect();
  const onPin = useCallback((tokenIndex: number | null) => tokenIndex !== null && select({ tokenIndex }), [select]);
  return (
    <TokenText
      label={`${label}, coloured by their advantage; choose one to explain`}
      tokens={tokens}
      channel={tokenChannel("advantage")}
      limit={limit}
      pinned={pinned}
      onPin={onPin}
      onPoint={nothing}
    />
  );
});

/** A part of a conversation on one line. */
interface TurnLine {
  readonly speaker: MessageRecord["role"];
  readonly agent: string | undefined;
  readonly note: string | undefined;
  readonly text: string;
}

/** What is said of each part while it is folded. @param texts of the policy's turns. */
export function turnLine(part: SampledPart | InsertedPart, texts: readonly string[]): TurnLine {
  if (part.kind === "inserted") {
    const [first] = part.messages;
    const text = part.messages.map(({ content }) => content).join(" ");
    return { speaker: first?.role ?? "user", agent: first?.agent, note: undefined, text };
  }
  const { turn, report, message, tokens } = part;
  const isTrained = tokens.some(({ trained }) => trained);
  const note = `turn ${turn + 1} of ${texts.length}${isTrained ? "" : ", not trained"}`;
  return { speaker: "assistant", agent: report?.agent ?? message?.agent, note, text: texts[turn] || "∅" };
}

interface PartRowProps extends Omit<TurnTokensProps, "tokens" | "label"> {
  readonly part: SampledPart | InsertedPart;
  readonly line: TurnLine;
}

function PartRow({ part, line, pinned, limit }: PartRowProps) {
  const { speaker, agent, note, text } = line;
  const holdsToken = pinned >= part.first && pinned < part.first + part.tokens.length;
  const [isUnfolded, setUnfolded] = useState(false);
  const isOpen = holdsToken || isUnfolded;
  return (
    <li className={`explain-turn turn-${speaker}`}>
      <button
        type="button"
        className="explain-turn-line flex flex-wrap items-baseline w-full"
        aria-expanded={isOpen}
        disabled={holdsToken}
        onClick={() => setUnfolded(!isOpen)}
      >
        <Speaker speaker={speaker} agent={agent} note={note} /> {!isOpen && <span className="mono min-w-0 wrap-anywhere">{text}</span>}
      </button>
      {isOpen && <TurnTokens label={`Tokens of ${note ?? "what was said to it"}`} tokens={part.tokens} pinned={pinned} limit={limit} />}
    </li>
  );
}

interface AnswerTurnsProps {
  readonly token: TokenStory;
  /** Size of the largest advantage of the step. */
  readonly mostAdvantage: number;
}

export function AnswerTurns({ token, mostAdvantage }: AnswerTurnsProps) {
  const { trajectory, story, facts, member } = token;
  const tokens = useMemo(() => tokenFacts(trajectory, story.config, reachedPhase(story.step)), [trajectory, story]);
  const parts = useMemo(() => conversationParts(trajectory, tokens), [trajectory, tokens]);
  const texts = useMemo(() => turnTexts(trajectory), [trajectory]);
  const drawn = { pinned: facts.index, limit: mostAdvantage };
  if (parts.length === 1) return <TurnTokens {...drawn} label={`Tokens of answer ${member + 1}`} tokens={tokens} />;
  return (
    <ol className="grid gap-half" aria-label={`Turns of answer ${member + 1}`}>
      {parts.map((part) => (
        <PartRow key={`${member} ${part.first}`} {...drawn} part={part} line={turnLine(part, texts)} />
      ))}
    </ol>
  );
}
