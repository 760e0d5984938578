// Rollouts that somebody published as a data set of the Hugging Face hub. It is the one way of this screen that asks another host, so it
// says which, and what that host hears.
import { useState } from "react";
import { Input, Label, TextField } from "react-aria-components";
import { bytesText } from "../../protocol/memory.ts";
import { Button } from "../kit/controls/Button.tsx";
import { Choice } from "../kit/controls/Choice.tsx";
import { Fold } from "../kit/controls/Fold.tsx";
import { ProgressLine } from "../kit/controls/States.tsx";
import { HUB_HOST, type HubBringing, useHub } from "./hubBringing.ts";

/** Which rows are meant, where there are several parts. */
function Parts({ facts: { dataset, parts, chosen, work }, choose, bring }: HubBringing) {
  if (parts.length < 2) return null;
  return (
    <>
      <Choice
        label={`Part of ${dataset}`}
        value={String(chosen)}
        options={parts.map(({ config, split }, i) => ({ id: String(i), title: `${config}: ${split}` }))}
        onChange={(id) => choose(Number(id))}
      />
      <div className="actions">
        <Button isResting={work !== null} onPress={bring}>
          Bring these rows
        </Button>
      </div>
    </>
  );
}

/** What is under way, with its end, or why nothing came. */
function Coming({ facts: { dataset, work, problem }, stop }: HubBringing) {
  const bringing = work === "asking" ? null : work;
  const share = bringing && bringing.share !== null ? (bringing.file + bringing.share) / bringing.files : null;
  return (
    <>
      <div role="status">
        {work !== null && (
          <p className="line">
            {bringing
              ? `Bringing ${dataset}: ${bytesText(bringing.doneBytes)}${bringing.files > 1 ? `, file ${bringing.file + 1} of ${bringing.files}` : ""} …`
              : `Asking ${HUB_HOST} for ${dataset} …`}{" "}
            <Button kind="quiet" onPress={stop}>
              Stop
            </Button>
          </p>
        )}
      </div>
      {share !== null && <ProgressLine label="Brought from the hub" percent={Math.round(100 * share)} />}
      <div role="alert">{problem !== null && <p className="save-problem">{problem}</p>}</div>
    </>
  );
}

export function FromHub() {
  const [name, setName] = useState("");
  const hub = useHub();
  const ask = () => hub.ask(name.trim());
  return (
    <Fold title="Bring a data set of the Hugging Face hub" level={2}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        <TextField className="field" value={name} onChange={setName}>
          <Label className="field-label">Name of the data set, as OWNER/NAME</Label>
          <Input className="input" spellCheck="false" autoComplete="off" />
        </TextField>
        <p className="note">
          This asks {HUB_HOST}, and the hosts that it keeps files on, for the Parquet files of the data set. They hear its name and, as any
          host does, the address you are at. No key and nothing of this page is sent; what comes is read here and not kept.
        </p>
        <div className="actions">
          <Button isResting={name.trim() === ""} onPress={ask}>
            Ask {HUB_HOST}
          </Button>
        </div>
        <Parts {...hub} />
        <Coming {...hub} />
      </form>
    </Fold>
  );
}
