// The configuration being edited: preset, edits, and the edits before and after them for undo and redo.
import { create } from "zustand";
import type { RunConfig } from "../../../../protocol/config.ts";
import { type Draft, isSameKind } from "./draftConfig.ts";

export interface DraftFacts {
  readonly draft: Draft;
  /** Earlier drafts, oldest first. */
  readonly past: readonly Draft[];
  /** Drafts that were taken back, the next one first; an edit forgets them. */
  readonly future: readonly Draft[];
  /** What the run on screen was started with, live changes included; null without a run. */
  readonly applied: RunConfig | null;
  /** The preset that run began from; "" without a run. */
  readonly appliedPreset: string;
  /** What of the address could not be used, in sentences, if anything. */
  readonly addressProblem: string | null;
  /** The field of the form that somebody wants to see, by its dotted name; null for none. */
  readonly wantedField: string | null;
}

const UNDO_DEPTH = 50;

export const FIRST_DRAFT: DraftFacts = {
  draft: { presetId: "", edits: {} },
  past: [],
  future: [],
  applied: null,
  appliedPreset: "",
  addressProblem: null,
  wantedField: null,
};

export const useDraft = create<DraftFacts>()(() => FIRST_DRAFT);

/**
 * Whether a draft is about the run on screen, so that its live settings reach it. Another preset, task, model
 * or algorithm is for the next run: its learning rate would ruin this one.
 */
export function isOfTheRun(
  { draft, applied, appliedPreset }: Pick<DraftFacts, "draft" | "applied" | "appliedPreset">,
  config: RunConfig,
): boolean {
  return applied !== null && draft.presetId === appliedPreset && isSameKind(applied, config);
}

/** Replaces the draft and remembers the one before. */
export function setDraft(draft: Draft): void {
  useDraft.setState(({ draft: before, past }) => ({
    draft,
    past: [...past, before].slice(-UNDO_DEPTH),
    future: [],
    addressProblem: null,
    wantedField: null,
  }));
}

/** Goes back one edit; nothing happens at the first. */
export function undoDraft(): void {
  useDraft.setState(({ draft, past, future }) => {
    const before = past.at(-1);
    return before ? { draft: before, past: past.slice(0, -1), future: [draft, ...future] } : {};
  });
}

/** Takes the last undo back; nothing happens where none was, or an edit came since. */
export function redoDraft(): void {
  useDraft.setState(({ draft, past, future }) => {
    const [after, ...rest] = future;
    return after ? { draft: after, past: [...past, draft], future: rest } : {};
  });
}
