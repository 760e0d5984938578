// A trajectory as the conversation it is: every message with its role, the completion as tokens.
import { Bot, Settings2, UserRound, Wrench } from "lucide-react";
import type { ReactNode } from "react";
import type { MessageRecord, TrajectoryRecord } from "../../protocol/records.ts";
import { formatNumber } from "../charts/format.ts";
import "./conversation.css";

const ROLES: Readonly<Record<MessageRecord["role"], { readonly name: string; readonly Icon: typeof Bot }>> = {
  system: { name: "System", Icon: Settings2 },
  user: { name: "User", Icon: UserRound },
  assistant: { name: "Assistant", Icon: Bot },
  tool: { name: "Tool", Icon: Wrench },
};

interface TurnProps {
  readonly speaker: MessageRecord["role"];
  readonly agent?: string | undefined;
  readonly note?: string;
  readonly children: ReactNode;
}

function Turn({ speaker, agent, note, children }: TurnProps) {
  const { name, Icon } = ROLES[speaker];
  return (
    <li className={`turn turn-${speaker}`}>
      <p className="turn-role">
        <Icon size={16} aria-hidden /> {name}
        {agent ? `, ${agent}` : ""}
        {note && <span className="turn-note"> {note}</span>}
      </p>
      {children}
    </li>
  );
}

export interface ConversationProps {
  readonly messages: readonly MessageRecord[];
  /** The completion, drawn as tokens. */
  readonly children: ReactNode;
}

export function Conversation({ messages, children }: ConversationProps) {
  const turns = messages.map((message, index) => ({ ...message, place: index }));
  return (
    <ol className="conversation" aria-label="Conversation">
      {turns.map(({ role, agent, content, place }) => (
        <Turn key={place} speaker={role} agent={agent}>
          <p className="turn-text">{content}</p>
        </Turn>
      ))}
      <Turn speaker="assistant" note="sampled now">
        {children}
      </Turn>
    </ol>
  );
}

const STOPS: Readonly<Record<TrajectoryRecord["stopReason"], string>> = {
  completed: "The policy ended its turn itself.",
  "max-tokens": "Cut off by the completion limit.",
  "max-turns": "Ended by the limit of turns.",
  "max-calls": "Ended by the limit of tool calls.",
  "max-context": "Ended because the model's context was full.",
  "parse-error": "Ended because the environment could not read what the policy said.",
};

/** Reward part by part, its sum, and how the completion ended. */
export function RewardTable({ trajectory, answer }: { readonly trajectory: TrajectoryRecord; readonly answer: string }) {
  return (
    <div className="reward">
      <table>
        <caption className="visually-hidden">Reward</caption>
        <thead>
          <tr>
            <th scope="col">Reward part</th>
            <th scope="col">Value</th>
            <th scope="col">Weight</th>
            <th scope="col">Adds</th>
          </tr>
        </thead>
        <tbody>
          {trajectory.rewardParts.map(({ name, value, weight }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value === null ? "could not score" : formatNumber(value)}</td>
              <td>{formatNumber(weight)}</td>
              <td>{value === null ? "–" : formatNumber(value * weight)}</td>
            </tr>
          ))}
          <tr className="reward-total">
            <th scope="row" colSpan={3}>
              Total
            </th>
            <td>{trajectory.reward === null ? "none" : formatNumber(trajectory.reward)}</td>
          </tr>
        </tbody>
      </table>
      <p className="note">
        Expected {answer || "no fixed answer"}; this one was {trajectory.success ? "right" : "wrong"}. {STOPS[trajectory.stopReason]}
      </p>
    </div>
  );
}
