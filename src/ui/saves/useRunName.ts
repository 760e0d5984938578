// What the run on screen is called, as in the list of saved runs.
import { useMemo } from "react";
import { useEngine, useRun } from "../store/useRunView.ts";
import { runName } from "./saveTexts.ts";

/** Null before the first run. */
export function useRunName(): string | null {
  const catalog = useEngine((facts) => facts.catalog);
  const config = useRun((facts) => facts.config);
  return useMemo(() => (catalog && config ? runName(catalog, config) : null), [catalog, config]);
}
