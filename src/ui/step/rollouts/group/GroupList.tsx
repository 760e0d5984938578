// The G completions of one prompt side by side: reward and its parts, the advantage as a bar from the
// middle, length, how it ended and whether it was right.

import { type RefObject, useEffect, useRef } from "react";
import { ListBox, ListBoxItem } from "react-aria-components";
import { counted, measureText, signedMeasureText } from "../../../../protocol/quantities.ts";
import type { GroupRecord } from "../../../../protocol/records.ts";
import { useRewardTitle } from "../../../engine/store/inTitles.ts";
import { useTokenWord } from "../../../engine/store/useRunView.ts";
import { RightMark, SignedBar } from "../../../kit/controls/Signed.tsx";
import { sampledTokens } from "../../group/groupShape.ts";
import { rowTexts } from "./rowTexts.ts";

export interface GroupListProps {
  readonly group: GroupRecord;
  /** Trajectory indices in the order shown. */
  readonly order: readonly number[];
  /** Fills half a bar: the largest of the step. */
  readonly mostAdvantage: number;
  readonly selected: number;
  /** Whether the step has come to its advantages. */
  readonly isCompared: boolean;
  readonly onSelect: (trajectoryIndex: number) => void;
}

/**
 * Keeps the selected row in sight: of the list, whose order may put it anywhere, and of the window where the row
 * has come to lie below it. A list under the pointer is somebody's to scroll.
 */
function useSelectedInSight(list: RefObject<HTMLDivElement | null>, selected: number, order: readonly number[]): void {
  const place = order.indexOf(selected);
  const before = useRef<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at again when the row moves
  useEffect(() => {
    // The list draws its rows in a second pass.
    const frame = requestAnimationFrame(() => {
      const box = list.current;
      const row = box?.querySelector("[role=option][data-selected]");
      if (!box || !row || box.matches(":hover")) return;
      const seen = box.getBoundingClientRect();
      const { top, bottom } = row.getBoundingClientRect();
      const down = Math.min(0, top - seen.top) + Math.max(0, bottom - seen.bottom);
      box.scrollTop += down;
      // Not what the page opens with, nor what a step moves by itself: only another row than before, in a list that has been come to.
      const isOther = before.current !== null && before.current !== selected;
      before.current = selected;
      if (isOther && seen.top < window.innerHeight) window.scrollBy(0, Math.max(0, bottom - down + MARGIN - window.innerHeight));
    });
    return () => cancelAnimationFrame(frame);
  }, [list, selected, place, order.length]);
}

/** Pixels between the selected row and the end of the window. */
const MARGIN = 8;

export function GroupList({ group, order, mostAdvantage, selected, isCompared, onSelect }: GroupListProps) {
  const list = useRef<HTMLDivElement>(null);
  useSelectedInSight(list, selected, order);
  const titleOf = useRewardTitle();
  const word = useTokenWord();
  const largest = Math.max(1e-12, mostAdvantage);
  const texts = rowTexts(group.trajectories);
  return (
    <ListBox
      ref={list}
      className="group-list"
      aria-label={counted(group.trajectories.length, "completion")}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[selected]}
      onSelectionChange={(keys) => keys !== "all" && [...keys].forEach((key) => void onSelect(Number(key)))}
    >
      {order.map((index) => {
        const trajectory = group.trajectories[index]!;
        return (
          <ListBoxItem key={index} id={index} className="group-item items-center" textValue={`Completion ${index + 1}: ${trajectory.text}`}>
            <span className="group-item-text two-lines mono">{texts[index]}</span>
            {trajectory.success !== null && <RightMark isRight={trajectory.success} className="group-item-mark" />}
            <span className="group-item-facts facts note col-span-full">
              <span>#{index + 1}</span>
              <span>reward {trajectory.reward === null ? "unscored" : measureText(trajectory.reward)}</span>
              {trajectory.rewardParts.length > 1 &&
                trajectory.rewardParts.map(({ name, value }) => (
                  <span key={name}>
                    {titleOf(name)} {value === null ? "–" : measureText(value)}
                  </span>
                ))}
              <span>{counted(sampledTokens(trajectory), word)}</span>
              {trajectory.stopReason === "max-tokens" && <span>cut off</span>}
            </span>
            {isCompared && trajectory.advantage !== null && <Advantage advantage={trajectory.advantage} largest={largest} />}
            {!isCompared && <span className="note">advantage not computed yet</span>}
          </ListBoxItem>
        );
      })}
    </ListBox>
  );
}

/** The advantage as a bar, and as a number with its glyph behind it. */
function Advantage({ advantage, largest }: { readonly advantage: number; readonly largest: number }) {
  return (
    <span className="advantage grid col-span-full items-center gap-1">
      <SignedBar value={advantage} most={largest} />
      <span className="advantage-value">
        A {signedMeasureText(advantage)} <span aria-hidden="true">{advantage > 0 ? "▲" : advantage < 0 ? "▼" : ""}</span>
      </span>
    </span>
  );
}
