// The surrogates on offer, in the order they are listed; the first is the default. A new one is a file beside this
// one and an entry in this list.
import { cispo } from "./cispo.ts";
import { clip } from "./clip.ts";
import { reinforce } from "./reinforce.ts";
import { sapo } from "./sapo.ts";
import type { SettingFields, SettingsOf, Surrogate } from "./surrogate.ts";
import { vespo } from "./vespo.ts";

export const surrogates = [clip, reinforce, cispo, sapo, vespo] as const;

type Each = (typeof surrogates)[number];
export type SurrogateId = Each["id"];
type AllOf<Some> = (Some extends unknown ? (some: Some) => void : never) extends (all: infer All) => void ? All : never;
/** The settings of all surrogates. */
export type SurrogateFields = AllOf<Each["settings"]>;
/** Any of them, given the settings of all. */
export type AnySurrogate = Surrogate<string, SettingFields, SettingsOf<SurrogateFields>>;

/** The surrogate that settings name. */
export function surrogateOf({ surrogate }: { readonly surrogate: string }): AnySurrogate {
  const all: readonly AnySurrogate[] = surrogates;
  const found = all.find(({ id }) => id === surrogate);
  if (!found) throw new Error(`internal: there is no surrogate ${surrogate}`);
  return found;
}
