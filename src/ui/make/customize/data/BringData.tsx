// Brings a file of problems or a data set of the hub, shows its first rows, and asks which columns count.

import { useEffect, useRef, useState } from "react";
import type { CustomTaskInput } from "../../../../protocol/custom/customTasks.ts";
import type { KeptData, ReadColumns, SeenData } from "../../../../protocol/custom/dataReading.ts";
import { counted } from "../../../../protocol/quantities.ts";
import { changeOwnTask } from "../../../engine/draftActions.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { Choice } from "../../../kit/controls/Choice.tsx";
import { NumberInput, TextInput } from "../../../kit/controls/TextInput.tsx";
import { ChooseFiles } from "../../../kit/form/ChooseFiles.tsx";
import { Table } from "../../../kit/lists/Table.tsx";
import { useCustomize } from "../customizeStore.ts";
import { bringFile, bringSplit, complain, forgetRead, keepRows, lookAtDataset } from "./dataStore.ts";

/** Puts problems in the place of those that the task of one's own has: in the configuration, or kept beside it. */
export function takeProblems(held: KeptData["held"]): void {
  const taken: Pick<CustomTaskInput, "problems" | "data"> = "data" in held ? { data: held.data } : { problems: [...held.problems] };
  changeOwnTask(({ data: _, problems: __, ...rest }) => ({ ...rest, ...taken }));
}

const NONE = "\u0000none";

/** The first rows of what was read, and which columns are what. */
function Columns({ seen, name }: { readonly seen: SeenData; readonly name: string }) {
  const [columns, setColumns] = useState<ReadColumns>(seen.likely);
  const [leavesOut, setLeavesOut] = useState(false);
  const options = seen.columns.map((column) => ({ id: column, title: column }));
  const keep = () =>
    keepRows(columns, leavesOut).then(({ held, notes }) => {
      takeProblems(held);
      forgetRead(notes);
    }, complain);
  return (
    <section className="data-seen" aria-label={`First rows of ${name}`}>
      <p className="fine-print">
        {name}: {counted(seen.rows, "row")}
      </p>
      <Table frame="data-rows framed" region="Rows" heads={seen.columns}>
        {seen.first.map((row, r) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name but their place
          <tr key={r}>
            {row.map((cell, c) => (
              <td key={seen.columns[c]}>{cell}</td>
            ))}
          </tr>
        ))}
      </Table>
      <Choice label="Asks" value={columns.question} options={options} onChange={(question) => setColumns({ ...columns, question })} />
      <Choice
        label="Answers"
        value={columns.answer ?? NONE}
        options={[{ id: NONE, title: "No answers" }, ...options]}
        onChange={(id) => setColumns({ ...columns, answer: id === NONE ? null : id })}
      />
      <Choice
        label="Rows that cannot be read"
        value={leavesOut ? "leave-out" : "refuse"}
        options={[
          { id: "refuse", title: "Refuse the file" },
          { id: "leave-out", title: "Leave them out" },
        ]}
        onChange={(id) => setLeavesOut(id === "leave-out")}
      />
      {seen.bad && <p className="aside">{seen.bad}</p>}
      <p className="aside">In an answer that ends with #### 18 after its working, or that has 18 in a box, 18 counts.</p>
      <div className="line">
        <Button kind="primary" onPress={keep}>
          Use these rows
        </Button>
        <Button kind="quiet" onPress={() => forgetRead()}>
          Leave them
        </Button>
      </div>
    </section>
  );
}

function FromHub() {
  const [name, setName] = useState("");
  const [most, setMost] = useState(1000);
  const splits = useCustomize(({ data }) => data.splits);
  const named = useCustomize(({ data }) => data.name);
  return (
    <>
      <TextInput label="Data set of the Hugging Face hub" value={name} onChange={setName} />
      <p className="aside">Such as openai/gsm8k. The page asks the hub's rows service for its rows, and sends only its name.</p>
      <Button
        onPress={() =>
          name.trim() === "" ? complain(new Error("Type the name of a data set first, such as openai/gsm8k.")) : lookAtDataset(name.trim())
        }
      >
        Look at it
      </Button>
      {splits.length > 0 && (
        <>
          <NumberInput
            name="Rows"
            label="At most so many rows"
            value={most}
            onChange={(count) => setMost(Math.max(1, Math.min(100_000, count)))}
          />
          <div className="line">
            {splits.slice(0, 24).map((part) => (
              <Button key={`${part.config}/${part.split}`} onPress={() => bringSplit(named, part, most)}>
                {splits.some(({ config }) => config !== part.config) ? `${part.config}: ${part.split}` : part.split}
              </Button>
            ))}
          </div>
        </>
      )}
    </>
  );
}

export function BringData() {
  const { seen, name, work } = useCustomize((facts) => facts.data);
  const zone = useRef<HTMLDivElement>(null);
  // Files that are dropped here are data; anywhere else on the page they are runs.
  useEffect(() => {
    const element = zone.current;
    const drop = (event: DragEvent) => {
      event.preventDefault();
      event.stopPropagation();
      delete document.documentElement.dataset.dropping;
      const [file] = event.dataTransfer?.files ?? [];
      if (file) bringFile(file);
    };
    element?.addEventListener("drop", drop);
    return () => element?.removeEventListener("drop", drop);
  }, []);
  return (
    <div className="data-bring padded" ref={zone}>
      <div className="line">
        <ChooseFiles what="A file of data" endings=".jsonl,.json,.csv,.tsv,.parquet" onChoose={([file]) => file && bringFile(file)}>
          Bring a file …
        </ChooseFiles>
        <span className="aside">JSONL, JSON, CSV or Parquet; or drop it here.</span>
      </div>
      <FromHub />
      {work && (
        <p className="aside" role="status">
          {work}
        </p>
      )}
      {seen && <Columns key={`${name}/${seen.rows}`} seen={seen} name={name} />}
    </div>
  );
}
