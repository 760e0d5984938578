// Starts the page: first what needs no screen, in a task of its own, then the screens.
import "./firstTask.ts";
import { StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./ui/App.tsx";
import { engine } from "./ui/engine/client.ts";
import { goTo, isOfRun, isReplayLink, parseRoute } from "./ui/engine/route.ts";
import { SHOWN } from "./ui/engine/saves/saveActions.ts";
import { ShownRun } from "./ui/engine/store/useRunView.ts";
import { FaultBoundary, reportRecovered } from "./ui/kit/faults/FaultBoundary.tsx";
import { followDrops } from "./ui/kit/files.ts";
import { lazyPart } from "./ui/kit/lazyPart.tsx";
import { recallHere } from "./ui/kit/remembered.ts";
import { LandingRecording } from "./ui/train/Landing.tsx";

const root = document.getElementById("root");
if (!root) throw new Error("internal: index.html has no element with the id root");

const EmbedPage = lazyPart(() => import("./ui/learn/EmbedPage.tsx"), "EmbedPage");
/** A figure alone, in the frame of a slide: it has an engine of its own and needs nothing else of the page. */
const query = new URLSearchParams(window.location.search);
const isEmbedded = query.has("embed");

async function openDropped(dropped: readonly (FileSystemEntry | File)[]): Promise<void> {
  try {
    const { takeDropped } = await import("./ui/shell/droppedFiles.ts");
    await takeDropped(dropped);
  } catch {
    // The screen Runs loads the same code, and says what is wrong with it.
    goTo("runs", new URLSearchParams("bring"));
  }
}

/** A link that brings a recording opens it, on arrival and later. */
function followReplayLinks(): void {
  const look = () => {
    const { hash } = window.location;
    if (isReplayLink(hash)) void import("./ui/runs/replay/arrival.ts").then(({ arrive }) => arrive(hash));
  };
  window.addEventListener("hashchange", look);
  look();
  // A reload shows again what this tab showed.
  const { hash } = window.location;
  if (!isReplayLink(hash) && isOfRun(parseRoute(hash).screen) && recallHere(SHOWN) !== null)
    void import("./ui/runs/replay/arrival.ts").then(({ reopen }) => reopen());
}

if (!isEmbedded) {
  followDrops(openDropped);
  followReplayLinks();
}

/** How long the first picture waits for the recording that moves in it, which index.html asks for beside this script. */
const PATIENCE_MS = 100;

async function draw(place: HTMLElement): Promise<void> {
  if (!isEmbedded && window.location.hash.length < 2)
    await Promise.race([LandingRecording.load(), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
  createRoot(place, { onRecoverableError: reportRecovered }).render(
    <StrictMode>
      <ShownRun view={engine.view}>
        <FaultBoundary part="The page">
          {isEmbedded ? (
            <Suspense fallback={null}>
              <EmbedPage query={query} />
            </Suspense>
          ) : (
            <App />
          )}
        </FaultBoundary>
      </ShownRun>
    </StrictMode>,
  );
}
void draw(root);
