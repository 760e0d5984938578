// One field of the configuration as the catalog describes it. A panel holds about sixty, so a field
// draws again only when something of its own changes.
import { memo } from "react";
import type { RunConfigKey } from "../../../protocol/config.ts";
import { edit, editEntry } from "../../engine/draftActions.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { useIsDrawn } from "../../kit/controls/Fold.tsx";
import { openDialog } from "../../kit/dialog/dialogStore.ts";
import { FaultBoundary } from "../../kit/faults/FaultBoundary.tsx";
import { FieldInput, type FieldProps } from "../../kit/form/FieldInput.tsx";
import { lazyPart } from "../../kit/lazyPart.tsx";

const ServerNote = lazyPart(() => import("../server/ServerNote.tsx"), "ServerNote");

/** Where a field's value lives in the configuration: at its top, or in one of its records. */
type Home = "config" | "taskOptions" | "rewardWeights";

interface ConfigFieldProps extends FieldProps {
  readonly home: Home;
}

/** A field of the draft. */
export const ConfigField = memo(function ConfigField({ home, ...props }: ConfigFieldProps) {
  const { key, title } = props.field;
  const name = home === "config" ? key : `${home}.${key}`;
  const change = (next: number | string | boolean) => (home === "config" ? edit(key as RunConfigKey, next) : editEntry(home, key, next));
  return (
    <div data-field={name}>
      {useIsDrawn() ? <FieldInput {...props} keepAs={`setting/${name}`} onChange={change} /> : title}
      {home === "config" && key === "backend" && props.value === "tinker" && (
        <FaultBoundary part="The server" isBrief>
          <ServerNote />
        </FaultBoundary>
      )}
      {home === "config" && key === "checkpoint" && <Button onPress={() => openDialog("models")}>Choose a model</Button>}
    </div>
  );
});
