// The rollouts of a step under other rewards, as a fold of the Rollouts screen; its code loads when it is
// opened. Only the page's own engine keeps steps that can be scored again.
import { useState } from "react";
import { Disclosure, DisclosurePanel } from "react-aria-components";
import { engine } from "../client.ts";
import { FoldHead } from "../controls/Button.tsx";
import { lazyPart } from "../lazyPart.tsx";
import { FaultBoundary } from "../shell/faults/FaultBoundary.tsx";
import { useRunView } from "../store/useRunView.ts";
import type { RescoreProps } from "./RescorePanel.tsx";

const RescorePanel = lazyPart(() => import("./RescorePanel.tsx"), "RescorePanel");

export function RescoreSection(props: RescoreProps) {
  const [open, setOpen] = useState(false);
  if (useRunView() !== engine.view) return null;
  return (
    <Disclosure className="fold counterfactual-fold" isExpanded={open} onExpandedChange={setOpen}>
      <FoldHead level={2}>The same rollouts under other rewards</FoldHead>
      <DisclosurePanel>
        {open && (
          <FaultBoundary part="Other rewards" wait="Opening …">
            <RescorePanel {...props} />
          </FaultBoundary>
        )}
      </DisclosurePanel>
    </Disclosure>
  );
}
