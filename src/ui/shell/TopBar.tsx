// Name, screens, what runs and what computes.

import { CircleHelp, Monitor, Moon, Sun } from "lucide-react";
import { capital } from "../../protocol/quantities.ts";
import { useDraftQuery } from "../engine/address/addressSync.ts";
import { useIsLanding, useIsNew } from "../engine/landing.ts";
import { editsSettings, hashOf, isOfRun, type Screen } from "../engine/route.ts";
import { useRunName } from "../engine/saves/saveTexts.ts";
import { Button } from "../kit/controls/Button.tsx";
import { setTheme, THEMES, usePreferences } from "../kit/remembered.ts";
import { BackendBadge } from "./BackendBadge.tsx";
import { CopyLink } from "./CopyLink.tsx";

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

function ThemeSwitch() {
  const theme = usePreferences((facts) => facts.theme);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
  const Icon = THEME_ICONS[theme];
  return (
    <Button
      kind="quiet"
      className="button-icon"
      label={`Theme: ${theme}. Change to ${next}`}
      onPress={() => setTheme(next)}
      hint={`Theme: ${theme}`}
    >
      <Icon size={16} aria-hidden="true" />
    </Button>
  );
}

/** What runs, or ran last. */
function RunName() {
  const name = useRunName();
  return name === null ? null : <p className="top-run ellipsis min-w-0 soft">{name}</p>;
}

const LINKS = ["train", "rollouts", "explain", "learn", "runs", "compare", "customize"] as const satisfies readonly Screen[];

/** Screens without a place of their own in the bar. */
const PART_OF: { readonly [S in Screen]?: Screen } = { time: "rollouts", sweep: "compare", words: "learn", log: "runs", open: "runs" };

interface TopBarProps {
  readonly screen: Screen;
  readonly onHelp: () => void;
}

export function TopBar({ screen, onHelp }: TopBarProps) {
  const query = useDraftQuery();
  const isNew = useIsNew();
  const isLanding = useIsLanding();
  const current = PART_OF[screen] ?? screen;
  return (
    <header className="top flex items-center gap-3">
      <span className="top-name nowrap large">Rollout Lab</span>
      <nav className="top-nav flex gap-2" aria-label="Screens">
        {LINKS.filter((name) => !isNew || !isOfRun(name) || name === current).map((name) => (
          <a key={name} href={hashOf(name, editsSettings(name) ? query : undefined)} aria-current={name === current ? "page" : undefined}>
            {capital(name)}
          </a>
        ))}
      </nav>
      <RunName />
      <div className="top-end flex items-center gap-half min-w-0">
        <BackendBadge />
        {!isLanding && <CopyLink screen={screen} />}
        <ThemeSwitch />
        <Button kind="quiet" className="button-icon" label="Help and shortcuts" onPress={onHelp}>
          <CircleHelp size={16} aria-hidden="true" />
        </Button>
      </div>
    </header>
  );
}
