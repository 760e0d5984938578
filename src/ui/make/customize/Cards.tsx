// What is chosen from on Customize: cards of what somebody can begin with (templates, models, rewards that work), and tabs of what is
// there of one's own.
import type { ReactNode } from "react";
import "./cards.css";

export function Cards({ children }: { readonly children: ReactNode }) {
  return <ul className="cards grid gap-2">{children}</ul>;
}

interface CardProps {
  readonly title: string;
  /** What it is, the button, and what else is to be said, a row each. */
  readonly children: ReactNode;
}

export function Card({ title, children }: CardProps) {
  return (
    <li className="card grid grid-cols-1 justify-items-start gap-1 framed padded" aria-label={title}>
      <h3>{title}</h3>
      {children}
    </li>
  );
}

interface OwnTabsProps {
  /** By the name that each has in the configuration. */
  readonly things: readonly (readonly [name: string, thing: { readonly title?: string | undefined }])[];
  readonly open: string | undefined;
  readonly onOpen: (name: string) => void;
}

export function OwnTabs({ things, open, onOpen }: OwnTabsProps) {
  return things.map(([name, { title = name }]) => (
    <button key={name} type="button" className="own-tab rounded" aria-pressed={name === open} onClick={() => onOpen(name)}>
      {title}
    </button>
  ));
}
