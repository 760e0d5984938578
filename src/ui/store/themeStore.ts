// Light, dark or as the system has it; remembered on this machine and put on the root element.
import { create } from "zustand";
import { recall, remember } from "./remembered.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "rollout-lab-theme";

export const useTheme = create<{ readonly theme: Theme }>()(() => ({
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
    root.dataset.theme = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
  };
  apply();
  dark.addEventListener("change", apply);
  const unsubscribe = useTheme.subscribe(apply);
  return () => {
    dark.removeEventListener("change", apply);
    unsubscribe();
  };
}
