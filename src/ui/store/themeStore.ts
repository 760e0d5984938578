// Light, dark or as the system has it; remembered on this machine and put on the root element.
import { create } from "zustand";
import { recall, remember } from "./remembered.ts";

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
