// Whether a group can teach anything: how its rewards are spread, and how often chance alone leaves a group of
// this size without any, with this prompt's own chance as the group estimates it.
import { useState } from "react";
import type { RunConfig } from "../../../../protocol/config.ts";
import { shareText } from "../../../../protocol/quantities.ts";
import type { GroupRecord } from "../../../../protocol/records.ts";
import { wilsonInterval } from "../../../../rl/accuracy.ts";
import { noSpreadChance } from "../../../../rl/advantage/statistics.ts";
import { Slider } from "../../../kit/controls/Slider.tsx";
import { Formula } from "../../../kit/formula/Formula.tsx";
import { asShown, handDigits } from "../../../kit/words/arithmetic.ts";
import { zeroSpreadSentence } from "../../rollouts/group/groupOrder.ts";
import { texEquals, texMeasure } from "../formulas/tex.ts";

/** The share of a group's answers that are right, as its own estimate of the prompt's chance. */
export function ownChance({ trajectories }: GroupRecord) {
  const right = trajectories.filter(({ success }) => success).length;
  const [low, high] = wilsonInterval(right, trajectories.length);
  return { right, p: right / Math.max(1, trajectories.length), low, high };
}

const MOST_GROUP = 64;

export function Spread({ group, config }: { readonly group: GroupRecord; readonly config: RunConfig }) {
  const size = group.trajectories.length;
  const [chosen, setChosen] = useState<number | null>(null);
  const G = chosen ?? size;
  const { right, p, low, high } = ownChance(group);
  const chance = noSpreadChance(p, G);
  const { of, result, sign } = handDigits(chance, (decimals) => noSpreadChance(asShown(p, decimals), G));
  // It is least at one half, which the interval may reach across.
  const ends = [noSpreadChance(low, G), noSpreadChance(high, G)];
  const least = low <= 0.5 && high >= 0.5 ? noSpreadChance(0.5, G) : Math.min(...ends);
  return (
    <div className="max-w-text py-1 stack">
      <p>{zeroSpreadSentence(group, config) ?? "The rewards of this group differ, so its answers can be compared."}</p>
      <Formula
        isBlock
        tex="P(\text{no spread}) = p^G + (1-p)^G"
        spoken="The chance of no spread is p to the power of G plus one minus p to the power of G."
      />
      <Formula
        isBlock
        tex={`${texMeasure(p, of)}^{${G}} + ${texMeasure(1 - p, of)}^{${G}} ${texEquals(sign)} ${texMeasure(chance, result)}`}
        spoken={`With p ${shareText(p)} and G ${G} it is ${shareText(chance)}.`}
      />
      <Slider
        className="explain-slider grid items-center"
        label="Group size G"
        text={`${G} answers`}
        minValue={2}
        maxValue={MOST_GROUP}
        value={G}
        onChange={setChosen}
      />
      <p className="note">
        p is estimated from this group alone: {right} of {size} answers are right. The true value may be {shareText(low)} to{" "}
        {shareText(high)} (95 % ), and the chance {shareText(least)} to {shareText(Math.max(...ends))}. The formula holds for answers that
        are just right or wrong. Rewards in between can give a spread where it expects none.
      </p>
    </div>
  );
}
