// Which symbol is looked at. Within one scope the parts of formulas and the numbers elsewhere that carry the
// same name are marked together, whichever of them the pointer or the focus is on.
import { createContext, type ReactNode, use, useMemo, useState } from "react";

export interface SymbolFocus {
  readonly marked: string | null;
  readonly mark: (name: string | null) => void;
}

const Scope = createContext<SymbolFocus>({ marked: null, mark: () => {} });

/** Ties the formulas and numbers within it; scopes do not see each other. */
export function SymbolScope({ children }: { readonly children: ReactNode }) {
  const [marked, mark] = useState<string | null>(null);
  const value = useMemo(() => ({ marked, mark }), [marked]);
  return <Scope value={value}>{children}</Scope>;
}

export function useSymbolFocus(): SymbolFocus {
  return use(Scope);
}

/** Attributes of anything that stands for a symbol: it marks while it is looked at, and is marked with the others. */
export function symbolProps({ marked, mark }: SymbolFocus, name: string) {
  return {
    "data-symbol": name,
    ...(marked === name ? { "data-marked": "" } : {}),
    onPointerEnter: () => mark(name),
    onPointerLeave: () => mark(null),
    onFocus: () => mark(name),
    onBlur: () => mark(null),
  };
}

interface SymbolNumberProps {
  readonly name: string;
  readonly children: ReactNode;
  readonly className?: string;
}

/** A number on screen that a symbol of a formula stands for. */
export function SymbolNumber({ name, children, className = "" }: SymbolNumberProps) {
  const focus = useSymbolFocus();
  return (
    <span className={`symbol-number ${className}`} {...symbolProps(focus, name)}>
      {children}
    </span>
  );
}
