// Leads to a field of the form from elsewhere: the Train screen opens, what is folded around the field unfolds,
// and its control has the focus.
import { useEffect } from "react";
import { goTo, parseRoute } from "../../engine/route.ts";
import { useDraft } from "../../engine/store/draft/draftStore.ts";
import { showForm } from "../../kit/remembered.ts";

export function revealField(name: string): void {
  if (parseRoute(window.location.hash).screen !== "train") goTo("train");
  showForm();
  useDraft.setState({ wantedField: name });
}

/** Unfolds what a field lies in, the outermost fold first. */
function unfold(field: Element): void {
  const fold = field.parentElement?.closest(".fold");
  if (!fold) return;
  unfold(fold);
  fold.querySelector<HTMLElement>(".fold-button[aria-expanded=false]")?.click();
}

/** Answers the wish for a field, while the form is there. */
export function useRevealedField(): void {
  const name = useDraft((facts) => facts.wantedField);
  useEffect(() => {
    if (name === null) return;
    useDraft.setState({ wantedField: null });
    const field = document.querySelector(`[data-field="${CSS.escape(name)}"]`);
    if (!field) return;
    unfold(field);
    // A fold opens with the next drawing, and what is hidden takes no focus.
    requestAnimationFrame(() => {
      field.scrollIntoView({ block: "center" });
      field.querySelector<HTMLElement>("input, button")?.focus({ preventScroll: true });
    });
  }, [name]);
}
