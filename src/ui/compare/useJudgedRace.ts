// What the race on screen shows by now, worked out again as the racers report.

import { useMemo } from "react";
import type { JudgedRace } from "../../rl/race/recordedRace.ts";
import { useVersion } from "../store/versioned.ts";
import { judgedRace } from "./raceResult.ts";
import { useRaceSetup } from "./raceSetup.ts";
import { raceVersion, useRace } from "./raceStore.ts";

export function useJudgedRace(): JudgedRace {
  const racers = useRace((facts) => facts.racers);
  const axis = useRaceSetup((setup) => setup.axis);
  const target = useRaceSetup((setup) => setup.target);
  const version = useVersion(raceVersion);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the contents of the racers' columns
  return useMemo(() => judgedRace(racers, axis, target), [racers, axis, target, version]);
}
