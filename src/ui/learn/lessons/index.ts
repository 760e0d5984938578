// The lessons, in the order in which they build on each other.
import type { Lesson } from "../lesson/lesson.ts";
import { baseline } from "./baseline.tsx";
import { critic } from "./critic.tsx";
import { dapo } from "./dapo.tsx";
import { deadGroups } from "./deadGroups.tsx";
import { fewNumbers } from "./fewNumbers.tsx";
import { groupAdvantage } from "./groupAdvantage.tsx";
import { kl } from "./kl.tsx";
import { lengthBias } from "./lengthBias.tsx";
import { policyGradient } from "./policyGradient.tsx";
import { ratio } from "./ratio.tsx";
import { rewardHacking } from "./rewardHacking.tsx";
import { toolMask } from "./toolMask.tsx";

export const lessons: readonly Lesson[] = [
  policyGradient,
  baseline,
  groupAdvantage,
  deadGroups,
  ratio,
  kl,
  lengthBias,
  dapo,
  rewardHacking,
  toolMask,
  critic,
  fewNumbers,
];
