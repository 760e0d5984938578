// Light, dark or as the system has it; remembered on this machine and put on the root element.
import { create } from "zustand";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "rollout-lab-theme";

function remembered(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === value) ?? "system";
  } catch {
    // Storage can be forbidden; the system's choice is then a known default.
    return "system";
  }
}

export const useTheme = create<{ readonly theme: Theme }>()(() => ({
  theme: typeof localStorage === "undefined" ? "system" : remembered(),
}));

/** Chooses a theme and remembers it where that is allowed. */
export function setTheme(theme: Theme): void {
  useTheme.setState({ theme });
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Not remembered; it still holds for this visit.
  }
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
