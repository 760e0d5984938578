// A trajectory as the conversation it is: what opened it, then turn by turn what the policy said as tokens,
// with what came of it, and what was said to it in between as context.
import { Bot, Settings2, UserRound, Wrench } from "lucide-react";
import type { ReactNode } from "react";
import { argumentsText } from "../../../../protocol/custom/exactJson.ts";
import { counted, signedMeasureText } from "../../../../protocol/quantities.ts";
import type { FoundDocument, MessageRecord, TrajectoryRecord, TurnView } from "../../../../protocol/records.ts";
import { useTraced } from "../../../engine/store/useRunView.ts";
import type { TokenFacts } from "../../tokens/tokenFacts.ts";
import { Calls, documentsOf, isTold, TurnViews } from "./TurnReport.tsx";
import { agentsOf, conversationParts, type InsertedPart, type SampledPart } from "./turns.ts";
import "./conversation.css";

const ROLES: Readonly<Record<MessageRecord["role"], { readonly name: string; readonly Icon: typeof Bot }>> = {
  system: { name: "System", Icon: Settings2 },
  user: { name: "User", Icon: UserRound },
  assistant: { name: "Assistant", Icon: Bot },
  tool: { name: "Tool", Icon: Wrench },
};

/** Line colours of agents, in the order of their first word; the name stands beside. */
const AGENT_COLOURS = ["var(--series-1)", "var(--series-2)", "var(--series-3)", "var(--series-4)"];

interface TurnProps {
  readonly speaker: MessageRecord["role"];
  readonly agent?: string | undefined;
  readonly colour?: string | undefined;
  readonly isContext?: boolean;
  readonly note?: string | undefined;
  readonly children: ReactNode;
}

/** Who speaks, by icon and name. */
export function Speaker({ speaker, agent, note }: Pick<TurnProps, "speaker" | "agent" | "note">) {
  const { name, Icon } = ROLES[speaker];
  return (
    <span className="turn-role flex items-center semibold">
      <Icon size={16} aria-hidden /> {name}
      {agent && <span className="turn-agent rounded">{agent}</span>}
      {note && <span className="turn-note soft"> {note}</span>}
    </span>
  );
}

function Turn({ speaker, agent, colour, isContext = false, note, children }: TurnProps) {
  return (
    <li className={`turn turn-${speaker} ${isContext ? "turn-context" : ""}`} style={{ borderLeftColor: colour }}>
      <Speaker speaker={speaker} agent={agent} note={note} />
      {children}
    </li>
  );
}

/** Draws a run of tokens. */
type DrawTokens = (tokens: readonly TokenFacts[], label: string) => ReactNode;

interface SampledTurnProps {
  readonly part: SampledPart;
  /** What of the reward this turn earned by itself, where reward parts say so. */
  readonly own: number | undefined;
  readonly agents: readonly string[];
  /** Of the policy in the conversation. */
  readonly turns: number;
  /** What is shown beside it. */
  readonly views: readonly TurnView[];
  readonly draw: DrawTokens;
}

/** What a message says, and what it calls. */
const messageText = ({ content, toolCalls = [] }: MessageRecord) =>
  [...(content === "" ? [] : [content]), ...toolCalls.map((call) => `${call.name}(${argumentsText(call)})`)].join("\n");

function SampledTurn({ part, own, agents, turns, views, draw }: SampledTurnProps) {
  const { turn, message, report, tokens } = part;
  const agent = report?.agent ?? message?.agent;
  const place = turns > 1 ? `turn ${turn + 1} of ${turns}` : "sampled now";
  const frozen = tokens.some(({ trained }) => trained) ? "" : ", not trained";
  const earned = own === undefined ? "" : `, earned ${signedMeasureText(own)}`;
  const calls = report?.calls ?? [];
  // Ids that nothing decodes: what was said stands beside them where the files have it.
  const isUnread = useTraced()?.tokens === "ids" && message !== null;
  return (
    <Turn
      speaker="assistant"
      agent={agent}
      colour={agent && AGENT_COLOURS[agents.indexOf(agent) % AGENT_COLOURS.length]}
      note={`${place}${frozen}${earned}`}
    >
      {isUnread && <p className="turn-text wrap-anywhere keeps-lines">{messageText(message)}</p>}
      {draw(tokens, turns > 1 ? `Tokens of turn ${turn + 1}` : "Completion tokens")}
      {message?.toolCallProblems
        ?.filter((problem) => !calls.some(({ result }) => result === problem))
        .map((problem) => (
          <p key={problem} className="note">
            {problem}
          </p>
        ))}
      {calls.length > 0 && <Calls calls={calls} found={documentsOf(report?.views)} />}
      <TurnViews views={views} />
    </Turn>
  );
}

interface InsertedTurnProps {
  readonly part: InsertedPart;
  /** Documents that the turn before it shows. */
  readonly found: readonly FoundDocument[];
  /** How things stand after it. */
  readonly views: readonly TurnView[];
  readonly draw: DrawTokens;
}

function InsertedTurn({ part, found, views, draw }: InsertedTurnProps) {
  const said = part.messages.map((message, place) => ({ message, place }));
  return (
    <>
      {said.map(({ message: { role, content, agent }, place }) => (
        <Turn key={place} speaker={role} agent={agent} isContext note="context, not trained">
          {isTold(content, found) ? (
            <p className="note">The documents above.</p>
          ) : (
            <p className="turn-text wrap-anywhere keeps-lines">{content}</p>
          )}
        </Turn>
      ))}
      <li className="turn-tokens">
        <details>
          <summary className="note">{counted(part.tokens.length, "token")} of context</summary>
          {draw(part.tokens, "Tokens of the context")}
        </details>
        <TurnViews views={views} />
      </li>
    </>
  );
}

const isBoard = ({ kind }: TurnView) => kind === "board";

/** What is shown beside each part: a board stands after the reply to its move, which is on it. */
export function shownViews(parts: readonly (SampledPart | InsertedPart)[]): readonly (readonly TurnView[])[] {
  return parts.map((part, at) => {
    const before = parts[at - 1];
    if (part.kind === "inserted") return before?.kind === "sampled" ? (before.report?.views ?? []).filter(isBoard) : [];
    const views = part.report?.views ?? [];
    return parts[at + 1] ? views.filter((view) => !isBoard(view)) : views;
  });
}

export interface ConversationProps {
  /** What opened it. */
  readonly messages: readonly MessageRecord[];
  readonly trajectory: TrajectoryRecord;
  readonly tokens: readonly TokenFacts[];
  readonly draw: DrawTokens;
}

export function Conversation({ messages, trajectory, tokens, draw }: ConversationProps) {
  const opening = messages.map((message, place) => ({ ...message, place }));
  const parts = conversationParts(trajectory, tokens);
  const agents = agentsOf(parts);
  const views = shownViews(parts);
  const turns = parts.filter(({ kind }) => kind === "sampled").length;
  return (
    <ol className="conversation" aria-label="Conversation">
      {opening.map(({ role, agent, content, place }) => (
        <Turn key={place} speaker={role} agent={agent}>
          <p className="turn-text wrap-anywhere keeps-lines">{content}</p>
        </Turn>
      ))}
      {trajectory.report?.opening && (
        <li className="turn-opening">
          <TurnViews views={trajectory.report.opening} />
        </li>
      )}
      {parts.map((part, at) => {
        const before = parts[at - 1];
        const found = before?.kind === "sampled" ? documentsOf(before.report?.views) : [];
        const shown = { draw, views: views[at] ?? [] };
        return part.kind === "sampled" ? (
          <SampledTurn key={part.first} {...shown} part={part} own={trajectory.turnRewards?.[part.turn]} agents={agents} turns={turns} />
        ) : (
          <InsertedTurn key={part.first} {...shown} part={part} found={found} />
        );
      })}
    </ol>
  );
}
