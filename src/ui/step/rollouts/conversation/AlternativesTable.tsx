// What the policy might have said in place of the pinned token: its likeliest tokens when it was sampled
// and after the step's update, asked of the engine for the selected completion alone.

import { type Alternatives, alternativesAround } from "../../../../protocol/asked.ts";
import { sharesBeside } from "../../../../protocol/quantities.ts";
import type { GroupRecord } from "../../../../protocol/records.ts";
import { engine } from "../../../engine/client.ts";
import { useAnswer } from "../../../engine/store/useQuestion.ts";
import { useRun, useRunView } from "../../../engine/store/useRunView.ts";
import { Table } from "../../../kit/lists/Table.tsx";
import { repeater } from "../../again/stepRepeater.ts";
import { type OfferedElsewhere, TakeAgain, useRepetition } from "../../again/TakeAgain.tsx";
import { showPiece } from "../../tokens/drawing.ts";
import "./alternatives.css";

interface AlternativesTableProps extends OfferedElsewhere {
  readonly group: GroupRecord;
  readonly trajectoryIndex: number;
  /** The pinned token. */
  readonly index: number;
  /** Whether the step has been through its update, after which there is more to ask for. */
  readonly updated: boolean;
}

function useAlternatives({ group, trajectoryIndex, index, updated }: AlternativesTableProps) {
  // A stretch of a long completion at a time; tokens beside each other are asked for once.
  const [place] = alternativesAround(index, Number.POSITIVE_INFINITY);
  const { step, promptIndex } = group;
  const isAgain = useRepetition(step)?.stage === "there";
  // Asked again once the update has been, or the step was taken again.
  const { answer, problem } = useAnswer([step, promptIndex, trajectoryIndex, place, updated, isAgain].join(), () =>
    repeater.engineOf(step).request({ type: "alternatives", step, promptIndex, trajectoryIndex, index: place }),
  );
  // The last answer stays while the next is awaited; it may be about another completion.
  const isOfThis =
    answer?.step === step && answer.promptIndex === promptIndex && answer.trajectoryIndex === trajectoryIndex && answer.places[0] === place;
  return problem ?? (isOfThis ? answer : null);
}

/** A dash says to who listens what it stands for; why is said below the table. */
function ShareCell({ text, why }: { readonly text: string | undefined; readonly why: string }) {
  if (text !== undefined) return <td>{text}</td>;
  return (
    <td title={why}>
      <span aria-hidden="true">–</span>
      <span className="visually-hidden">not known</span>
    </td>
  );
}

const NO_BEFORE = "The weights that sampled this step are gone, so only the sampled tokens have a probability from that time.";
const NO_AFTER = "This step has not been through its update.";

/** What a record keeps of the token that was said, where the weights are gone. */
function recordedShare(logprobs: readonly number[] | null | undefined, index: number): number | null {
  const logprob = logprobs?.[index];
  return logprob === undefined || !Number.isFinite(logprob) ? null : Math.exp(logprob);
}

/** The likeliest tokens at a place, before and after the update. */
export function LikeliestTokens({
  found,
  group,
  trajectoryIndex,
  index,
}: { readonly found: Alternatives } & Omit<AlternativesTableProps, "updated">) {
  const rows = found.alternatives_T[index] ?? [];
  const trajectory = group.trajectories[trajectoryIndex];
  const said = trajectory?.tokens[index];
  if (rows.length === 0) return null;
  const sampled = recordedShare(trajectory?.channels.oldLogprobs, index);
  const without = [
    ...(rows.some(({ before }) => before === null) ? [NO_BEFORE] : []),
    ...(rows.some(({ after }) => after === null) ? [NO_AFTER] : []),
  ];
  return (
    <>
      <Table
        className="alternatives numbers"
        frame={null}
        headClassName="aside"
        caption="Likeliest tokens here"
        isCaptioned
        heads={["Token", "when sampled", "after the update"]}
      >
        {rows.map(({ token, piece, before, after }) => {
          const shown = showPiece(piece);
          const then = before ?? (token === said ? sampled : null);
          const texts = sharesBeside([then, after].filter((share) => share !== null));
          return (
            <tr key={token} className={token === said ? "alternative-said" : ""}>
              <th scope="row">
                <span className={`mono token-is-${shown.kind}`}>{shown.text}</span>
                {token === said && <span className="note"> said</span>}
              </th>
              <ShareCell text={then === null ? undefined : texts[0]} why={NO_BEFORE} />
              <ShareCell text={after === null ? undefined : texts.at(-1)} why={NO_AFTER} />
            </tr>
          );
        })}
      </Table>
      {without.length > 0 && <p className="fine-print">A dash is not known. {without.join(" ")}</p>}
    </>
  );
}

function Asked(props: AlternativesTableProps) {
  const found = useAlternatives(props);
  const { groups } = useRunView();
  if (found === null) return <p className="note">Asking for the likeliest tokens …</p>;
  const { step } = props.group;
  const lacksSide = typeof found === "string" || found.alternatives_T.flat().some(({ before }) => before === null);
  return (
    <>
      {typeof found === "string" ? <p className="note">Likeliest tokens: {found}.</p> : <LikeliestTokens {...props} found={found} />}
      {lacksSide && props.updated && !props.isOffered && !groups.isKept(step) && <TakeAgain step={step} />}
    </>
  );
}

/** Of the page's own run alone: runs of an experiment are not asked. */
export function AlternativesTable(props: AlternativesTableProps) {
  const view = useRunView();
  const isOnServer = useRun(({ config }) => config?.backend === "tinker");
  if (isOnServer) return <p className="note">Likeliest tokens: a server gives probabilities only for the tokens that were sampled.</p>;
  return view === engine.view ? <Asked {...props} /> : null;
}
