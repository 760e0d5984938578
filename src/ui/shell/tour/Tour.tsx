// The tour as a card beside what it speaks of, or at the foot of the page where there is no room or the browser cannot
// place it: it says what to do next and points at it. Loads where it is shown.
import { type RefObject, useEffect, useRef, useState } from "react";
import { useHash } from "../../engine/address/hash.ts";
import { useIsLanding } from "../../engine/landing.ts";
import { parseRoute } from "../../engine/route.ts";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { useRun, useRunView, useSelection } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { endTour } from "../../kit/dialog/dialogStore.ts";
import { isKnown } from "../../step/group/groupShape.ts";
import { LAST_PLACE, STOPS, type StopId, stopAfter, type TourFacts } from "./stops.ts";
import "./tour.css";

function useTourFacts(): TourFacts {
  const { screen } = parseRoute(useHash());
  const isLanding = useIsLanding();
  const { groups } = useRunView();
  useVersion(groups);
  const newest = groups.latestStep === null ? null : groups.at(groups.latestStep);
  return {
    screen,
    isLanding,
    state: useRun((facts) => facts.state),
    kind: useRun((facts) => facts.config?.kind ?? "reinforcement"),
    // An older step of the run may be looked at while the newest is still being sampled.
    hasGroup: newest !== null && (newest.step > 1 || isKnown("advantage", newest.phase)),
    hasToken: useSelection(({ tokenIndex }) => tokenIndex !== null),
  };
}

/** What of a target must be in sight: of a long list the first rows are enough. */
const SIGHT_PX = 160;

function isInSight(target: Element, card: Element | null): boolean {
  const { top, bottom } = target.getBoundingClientRect();
  const end = window.innerHeight - (card?.clientHeight ?? 0);
  return top >= 0 && Math.min(bottom, top + SIGHT_PX) <= end;
}

/** Puts a mark on what a stop is about, as soon as it is there, and brings it into sight. */
function usePointer(target: string | null, card: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (target === null) return;
    let marked: Element | null = null;
    const look = () => {
      const found = document.querySelector(target);
      if (found === marked) return;
      marked?.removeAttribute("data-tour-target");
      // Only once: a page that scrolls by itself again and again cannot be read. The mark comes first: it has the margins.
      const isFirst = marked === null;
      marked = found;
      marked?.setAttribute("data-tour-target", "");
      if (isFirst && found && !isInSight(found, card.current)) found.scrollIntoView({ block: "nearest" });
    };
    // In a task of its own: where the target is makes the browser lay the page out.
    const first = setTimeout(look);
    const timer = setInterval(look, 250);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
      marked?.removeAttribute("data-tour-target");
    };
  }, [target, card]);
}

/** The stop to show; the furthest one is kept as long as the tour is on. */
function useStop(): StopId | null {
  const [reached, setReached] = useState<StopId | null>(null);
  const stop = stopAfter(reached, useTourFacts());
  if (stop !== null && stop !== "over" && stop !== reached) setReached(stop);
  useEffect(() => {
    if (stop === "over") endTour();
  }, [stop]);
  return stop === "over" ? null : stop;
}

/** What the room grows by, in pixels: a change of it styles every element of the page anew, and cards differ by a line or two. */
const ROOM_STEP = 96;

/** Leaves as much room at the page's end as the largest card so far takes, so that everything can be scrolled out from under it. */
function useRoom(card: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current } = card;
    if (!current) return;
    const { style } = document.documentElement;
    let room = 0;
    const observer = new ResizeObserver(() => {
      if (current.offsetHeight <= room) return;
      room = Math.ceil(current.offsetHeight / ROOM_STEP) * ROOM_STEP;
      style.setProperty("--tour-room", `${room}px`);
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
      style.removeProperty("--tour-room");
    };
  }, [card]);
}

export function Tour() {
  const id = useStop();
  const stop = id === null ? null : STOPS[id];
  const isLast = stop?.place === LAST_PLACE;
  const card = useRef<HTMLElement>(null);
  useRoom(card);
  usePointer(stop?.target ?? null, card);
  return (
    <aside className="tour stack on-surface rounded" aria-label="Tour" hidden={stop === null} ref={card}>
      <div role="status">
        <h2>{stop?.title}</h2>
        <p>{stop?.text}</p>
      </div>
      <div className="tour-end flex items-center justify-between">
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
