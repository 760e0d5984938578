// A word or value with an explanation on hover and focus, instead of a help button beside every field.
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Focusable, Tooltip, TooltipTrigger } from "react-aria-components";

export function Hint({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  return (
    <TooltipTrigger delay={400}>
      <Focusable excludeFromTabOrder>
        <span className="hint" role="note" data-hint={text}>
          {children}
        </span>
      </Focusable>
      <Tooltip className="tooltip" placement="top start" offset={6}>
        {text}
      </Tooltip>
    </TooltipTrigger>
  );
}

interface Described {
  readonly control: Element;
  readonly field: Element;
  readonly text: string;
}

/** The field whose control has the focus by keyboard, and its hint. */
function describedBy(target: EventTarget | null): Described | null {
  if (!(target instanceof Element) || !target.matches(":focus-visible")) return null;
  const field = target.closest(".field");
  const text = field?.querySelector<HTMLElement>("[data-hint]")?.dataset.hint;
  return field && text ? { control: target, field, text } : null;
}

/**
 * A form whose fields show their hints while their controls have the keyboard's focus, and describe the
 * control by it. One for all fields: they are many, and one has the focus. (The library's tooltip cannot stand
 * without a trigger of its own.)
 */
export function HintedForm({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const form = useRef<HTMLElement>(null);
  const [shown, setShown] = useState<{ readonly text: string; readonly above: number } | null>(null);
  const id = useId();
  useEffect(() => {
    const element = form.current;
    if (!element) return;
    const enter = ({ target }: FocusEvent) => {
      const described = describedBy(target);
      if (!described) return;
      const above = element.getBoundingClientRect().bottom - described.field.getBoundingClientRect().top;
      setShown({ text: described.text, above });
      described.control.setAttribute("aria-describedby", id);
    };
    const leave = ({ target }: FocusEvent) => {
      setShown(null);
      if (target instanceof Element && target.getAttribute("aria-describedby") === id) target.removeAttribute("aria-describedby");
    };
    const dismiss = ({ key }: KeyboardEvent) => key === "Escape" && setShown(null);
    element.addEventListener("focusin", enter);
    element.addEventListener("focusout", leave);
    element.addEventListener("keydown", dismiss);
    return () => {
      element.removeEventListener("focusin", enter);
      element.removeEventListener("focusout", leave);
      element.removeEventListener("keydown", dismiss);
    };
  }, [id]);
  return (
    <section className="config" aria-label={label} ref={form}>
      {children}
      <p id={id} className="tooltip field-hint" hidden={shown === null} style={{ insetBlockEnd: shown?.above }}>
        {shown?.text}
      </p>
    </section>
  );
}
