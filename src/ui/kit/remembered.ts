// Small choices that this browser remembers where storage is allowed; elsewhere they hold for the visit: whether single
// keys are shortcuts, whether the settings of a run are in sight, and the theme, light, dark or as the system has it,
// which is put on the root element.
import { create } from "zustand";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

interface Preferences {
  readonly theme: Theme;
  /** What is on screen, the system's choice included. */
  readonly resolved: "light" | "dark";
  /** Whether single keys are shortcuts. */
  readonly shortcuts: boolean;
  /** Whether the settings of a run stand beside it, as they do once somebody has asked for them. */
  readonly form: boolean;
  /** What is wanted while a run trains: that the screen stays awake, and to be told of its end. */
  readonly staysAwake: boolean;
  readonly tellsEnd: boolean;
  /** Why the one or the other cannot be had; null where it can. */
  readonly awakeProblem: string | null;
  readonly tellProblem: string | null;
}

const THEME = "rollout-lab-theme";
const SHORTCUTS = "rollout-lab-shortcuts";
const FORM = "rollout-lab-form";

export const usePreferences = create<Preferences>()(() => ({
  resolved: "light",
  theme: THEMES.find((theme) => theme === recall(THEME)) ?? "system",
  shortcuts: recall(SHORTCUTS) !== "off",
  form: recall(FORM) === "shown",
  staysAwake: false,
  tellsEnd: false,
  awakeProblem: null,
  tellProblem: null,
}));

/** Chooses a theme and remembers it where that is allowed. */
export function setTheme(theme: Theme): void {
  usePreferences.setState({ theme });
  remember(THEME, theme);
}

/** Switches single-key shortcuts on or off and remembers it where that is allowed. */
export function setShortcuts(shortcuts: boolean): void {
  usePreferences.setState({ shortcuts });
  remember(SHORTCUTS, shortcuts ? "on" : "off");
}

/** Shows or hides the settings of a run and remembers it where that is allowed. */
export function setForm(form: boolean): void {
  usePreferences.setState({ form });
  remember(FORM, form ? "shown" : "hidden");
}

/** Shows the settings for this visit, as a link that has some does. */
export function showForm(): void {
  usePreferences.setState({ form: true });
}

/** Keeps data-theme on the root element equal to the choice resolved against the system. */
export function followTheme(root: HTMLElement): () => void {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const { theme } = usePreferences.getState();
    const resolved = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
    root.dataset.theme = resolved;
    if (usePreferences.getState().resolved !== resolved) usePreferences.setState({ resolved });
  };
  apply();
  dark.addEventListener("change", apply);
  const unsubscribe = usePreferences.subscribe(apply);
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
