// The place of the question on the Train screen; its code loads when it is opened.
import { Suspense, useState } from "react";
import { Disclosure, DisclosurePanel } from "react-aria-components";
import { FoldHead } from "../controls/FoldHead.tsx";
import { lazyPart } from "../lazyPart.tsx";
import { FaultBoundary } from "../shell/FaultBoundary.tsx";

const AskPanel = lazyPart(
  () => import("./AskPanel.tsx"),
  (module) => module.AskPanel,
);

export function AskFold() {
  const [isOpen, setOpen] = useState(false);
  return (
    <Disclosure className="fold" isExpanded={isOpen} onExpandedChange={setOpen}>
      <FoldHead level={2} note="start and now side by side">
        Ask the model
      </FoldHead>
      <DisclosurePanel>
        {isOpen && (
          <FaultBoundary part="The question">
            <Suspense fallback={<p className="screen-wait">Opening …</p>}>
              <AskPanel />
            </Suspense>
          </FaultBoundary>
        )}
      </DisclosurePanel>
    </Disclosure>
  );
}
