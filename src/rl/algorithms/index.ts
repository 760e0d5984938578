// The algorithms on offer, in the order they are listed.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";
import { bnpo } from "./bnpo.ts";
import { builtin } from "./builtin.ts";
import { cispo } from "./cispo.ts";
import { dapo } from "./dapo.ts";
import { drGrpo } from "./drGrpo.ts";
import { dualClip } from "./dualClip.ts";
import { grpo } from "./grpo.ts";
import { gspo } from "./gspo.ts";
import { luspo } from "./luspo.ts";
import { opo } from "./opo.ts";
import { ppo } from "./ppo.ts";
import { reinforce } from "./reinforce.ts";
import { reinforcePlusPlus } from "./reinforcePlusPlus.ts";
import { reinforcePlusPlusBaseline } from "./reinforcePlusPlusBaseline.ts";
import { rloo } from "./rloo.ts";
import { sapo } from "./sapo.ts";
import { twoSidedClip } from "./twoSidedClip.ts";
import { vespo } from "./vespo.ts";

/** Every algorithm: a name and the switches it sets. */
export const algorithms: readonly AlgorithmEntry[] = [
  grpo,
  drGrpo,
  dapo,
  gspo,
  cispo,
  sapo,
  luspo,
  vespo,
  bnpo,
  rloo,
  reinforce,
  reinforcePlusPlus,
  reinforcePlusPlusBaseline,
  opo,
  twoSidedClip,
  dualClip,
  ppo,
  builtin,
];
