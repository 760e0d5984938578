// The lessons, in the order in which they build on each other.
import type { Lesson } from "../lesson/lesson.tsx";
import { baseline } from "./baseline.ts";
import { critic } from "./critic.ts";
import { dapo } from "./dapo.ts";
import { deadGroups } from "./deadGroups.ts";
import { fewNumbers } from "./fewNumbers.ts";
import { groupAdvantage } from "./groupAdvantage.ts";
import { kl } from "./kl.ts";
import { klPurpose } from "./klPurpose.ts";
import { lengthBias } from "./lengthBias.ts";
import { nothingMoves } from "./nothingMoves.ts";
import { policyGradient } from "./policyGradient.ts";
import { ratio } from "./ratio.ts";
import { rewardHacking } from "./rewardHacking.ts";
import { toolMask } from "./toolMask.ts";

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
  klPurpose,
  nothingMoves,
  toolMask,
  critic,
  fewNumbers,
];
