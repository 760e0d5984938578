// What the model and the copy of it that took another step say to the same prompt, drawn with the same numbers.
import type { AskedAnswer, StepOnCopy } from "../../../protocol/asked.ts";
import { measureText } from "../../../protocol/quantities.ts";
import { RightMark } from "../../kit/controls/Signed.tsx";
import { Table } from "../../kit/lists/Table.tsx";
import { showPiece } from "../tokens/drawing.ts";

function Answer({ answer }: { readonly answer: AskedAnswer }) {
  const text = answer.pieces.map((piece) => showPiece(piece).text).join(" ");
  return (
    <>
      <span className="mono">{text || "∅"}</span> {answer.isRight !== null && <RightMark isRight={answer.isRight} />}
    </>
  );
}

const WHOSE = "Answers of the original and of the copy";

export function CopyAnswers({ found }: { readonly found: StepOnCopy }) {
  const { from, gradNorm, values, original, changed: copy } = found;
  const rows = [
    { name: "likeliest", a: original.greedy, b: copy.greedy },
    ...original.samples.map((a, i) => ({ name: `sample ${i + 1}`, a, b: copy.samples[i]! })),
  ];
  const isSame = (a: AskedAnswer, b: AskedAnswer) => a.pieces.join("\n") === b.pieces.join("\n");
  const changed = rows.filter(({ a, b }) => !isSame(a, b)).length;
  return (
    <>
      <p>
        {from === "before"
          ? "The copy began with the weights that sampled this step."
          : "The weights that sampled this step are gone, so the copy began with the present ones. Take a single step to compare both."}{" "}
        {gradNorm !== null && <>Its gradient had a norm of {measureText(gradNorm)}; </>}
        {changed} of {rows.length} answers changed.{" "}
        {values &&
          `The critic predicts ${measureText(values.before)} at this group's tokens on average, and after its own update on the copy ${measureText(values.after)}. `}
        The run is as it was.
      </p>
      <Table region={WHOSE} caption={WHOSE} heads={["Same draws", "Original", "Copy"]}>
        {rows.map(({ name, a, b }) => (
          <tr key={name}>
            <th scope="row" className="note">
              {name}
            </th>
            <td>
              <Answer answer={a} />
            </td>
            <td>
              <Answer answer={b} /> {isSame(a, b) ? <span className="fine-print">same</span> : <b>changed</b>}
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}
