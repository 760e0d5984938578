// The prompts of a step, each with its mean reward and how far rewards spread around it.
import { useId, useState } from "react";
import { Input, Label, ListBox, ListBoxItem, SearchField } from "react-aria-components";
import { measureText, shareText } from "../../../../protocol/quantities.ts";
import type { GroupSummary } from "../../../../protocol/records.ts";
import { Choice, optionsOf } from "../../../kit/controls/Choice.tsx";
import { ShowAll } from "../../../kit/lists/longLists.tsx";
import { drawnPrompts, FIRST_PROMPTS, type PromptOrder, shownPrompts } from "./groupOrder.ts";

const NAMES: Readonly<Record<PromptOrder, string>> = { sampled: "As sampled", reward: "Best reward", spread: "Widest spread" };
const ORDERS = optionsOf(NAMES);
const LABEL = (
  <>
    Order<span className="visually-hidden"> of prompts</span>
  </>
);

export interface PromptListProps {
  readonly summaries: readonly GroupSummary[];
  /** Whether the step has come to its rewards. */
  readonly isScored: boolean;
  readonly selected: number;
  readonly onSelect: (promptIndex: number) => void;
}

export function PromptList({ summaries, isScored, selected, onSelect }: PromptListProps) {
  const [search, setSearch] = useState("");
  const [order, setOrder] = useState<PromptOrder>("sampled");
  const [isWhole, setWhole] = useState(false);
  const heading = useId();
  const shown = shownPrompts(summaries, search, order);
  const drawn = isWhole ? shown : drawnPrompts(shown, selected);
  return (
    <section className="prompts" aria-labelledby={heading}>
      <header className="pane-head line">
        <h2 id={heading}>Prompts</h2>
        <Choice className="field-inline" label={LABEL} options={ORDERS} value={order} onChange={(id) => setOrder(id as PromptOrder)} />
      </header>
      <SearchField className="prompt-search" value={search} onChange={setSearch}>
        <Label className="visually-hidden">Search prompts</Label>
        <Input placeholder="Search prompts" />
      </SearchField>
      {shown.length === 0 && <p className="note">No prompt of this step contains “{search}”.</p>}
      <ListBox
        className="prompt-list"
        aria-labelledby={heading}
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[selected]}
        onSelectionChange={(keys) => keys !== "all" && [...keys].forEach((key) => void onSelect(Number(key)))}
      >
        {drawn.map(({ promptIndex, prompt, meanReward, rewardStd, successRate }) => (
          <ListBoxItem key={promptIndex} id={promptIndex} className="prompt-item" textValue={prompt}>
            <span className="wrap-anywhere">{prompt || `Prompt ${promptIndex + 1}`}</span>
            <span className="facts note">
              <span>#{promptIndex + 1}</span>
              {isScored ? (
                <>
                  <span>{Number.isNaN(meanReward) ? "no reward" : `reward ${measureText(meanReward)} ± ${measureText(rewardStd)}`}</span>
                  {!Number.isNaN(successRate) && <span>{shareText(successRate)} right</span>}
                  {rewardStd === 0 && <span className="attention">no spread</span>}
                </>
              ) : (
                <span>not scored yet</span>
              )}
            </span>
          </ListBoxItem>
        ))}
      </ListBox>
      <ShowAll total={shown.length} first={FIRST_PROMPTS} items="prompts" isWhole={isWhole} onChange={setWhole} />
    </section>
  );
}
