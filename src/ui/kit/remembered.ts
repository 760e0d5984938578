// Small choices that this browser remembers where storage is allowed; elsewhere they hold for the visit. One is the
// theme: light, dark or as the system has it, put on the root element.
import { create } from "zustand";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

interface ThemeFacts {
  readonly theme: Theme;
  /** What is on screen, the system's choice included. */
  readonly resolved: "light" | "dark";
}

const KEY = "rollout-lab-theme";

export const useTheme = create<ThemeFacts>()(() => ({
  resolved: "light",
  theme: THEMES.find((theme) => theme === recall(KEY)) ?? "system",
}));

/** Chooses a theme and remembers it where that is allowed. */
export function setTheme(theme: Theme): void {
  useTheme.setState({ theme });
  remember(KEY, theme);
}

/** Keeps data-theme on the root element equal to the choice resolved against the system. */
export function followTheme(root: HTMLElement): () => void {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const { theme } = useTheme.getState();
    const resolved = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
    root.dataset.theme = resolved;
    if (useTheme.getState().resolved !== resolved) useTheme.setState({ resolved });
  };
  apply();
  dark.addEventListener("change", apply);
  const unsubscribe = useTheme.subscribe(apply);
  return () => {
    dark.removeEventListener("change", apply);
    unsubscribe();
  };
}

/** The choice made on an earlier visit, or null. */
export function recall(key: string): string | null {
  return read(() => localStorage, key);
}

export function remember(key: string, value: string): void {
  write(() => localStorage, key, value);
}

/** The same for this tab alone, over its reloads. */
export function recallHere(key: string): string | null {
  return read(() => sessionStorage, key);
}

export function rememberHere(key: string, value: string): void {
  write(() => sessionStorage, key, value);
}

function read(storage: () => Storage, key: string): string | null {
  try {
    return storage().getItem(key);
  } catch {
    // Storage can be forbidden, or not there; what is chosen on a first visit is then a known default.
    return null;
  }
}

function write(storage: () => Storage, key: string, value: string): void {
  try {
    storage().setItem(key, value);
  } catch {
    // Not remembered; it still holds for this visit.
  }
}
