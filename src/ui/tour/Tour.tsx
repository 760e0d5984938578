// The tour as a card that stands beside the page and covers none of its controls for good: it says what to do
// next and points at it. Loads where it is shown.
import { useEffect } from "react";
import { Button } from "../controls/Button.tsx";
import { parseRoute, useHash } from "../route.ts";
import { endTour } from "../shell/tourStore.ts";
import { useRun, useRunView, useSelection } from "../store/useRunView.ts";
import { useVersion } from "../store/versioned.ts";
import { isKnown } from "../train/groupShape.ts";
import { LAST_PLACE, STOPS, stopAt, type TourFacts } from "./stops.ts";
import "./tour.css";

function useTourFacts(): TourFacts {
  const { screen } = parseRoute(useHash());
  const { groups } = useRunView();
  useVersion(groups);
  const newest = groups.latestStep === null ? null : groups.at(groups.latestStep);
  return {
    screen,
    state: useRun((facts) => facts.state),
    kind: useRun((facts) => facts.config?.kind ?? "reinforcement"),
    // An older step of the run may be looked at while the newest is still being sampled.
    hasGroup: newest !== null && (newest.step > 1 || isKnown("advantage", newest.phase)),
    hasToken: useSelection(({ tokenIndex }) => tokenIndex !== null),
  };
}

/** Puts a mark on what a stop is about, as soon as it is there, and brings it into sight. */
function usePointer(target: string | null): void {
  useEffect(() => {
    if (target === null) return;
    let marked: Element | null = null;
    const look = () => {
      const found = document.querySelector(target);
      if (found === marked) return;
      marked?.removeAttribute("data-tour-target");
      // Only once: a page that scrolls by itself again and again cannot be read.
      if (!marked) found?.scrollIntoView({ block: "nearest" });
      marked = found;
      marked?.setAttribute("data-tour-target", "");
    };
    look();
    const timer = setInterval(look, 250);
    return () => {
      clearInterval(timer);
      marked?.removeAttribute("data-tour-target");
    };
  }, [target]);
}

export function Tour() {
  const id = stopAt(useTourFacts());
  const stop = id === null ? null : STOPS[id];
  const isLast = stop?.place === LAST_PLACE;
  usePointer(stop?.target ?? null);
  return (
    <aside className="tour" aria-label="Tour" hidden={stop === null}>
      <div role="status">
        <h2>{stop?.title}</h2>
        <p>{stop?.text}</p>
      </div>
      <div className="tour-end">
        <span className="fine-print">
          {stop?.place} of {LAST_PLACE}
        </span>
        <Button kind={isLast ? "primary" : "quiet"} onPress={endTour}>
          {isLast ? "Done" : "Skip the tour"}
        </Button>
      </div>
    </aside>
  );
}
