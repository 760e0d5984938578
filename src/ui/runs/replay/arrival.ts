// What a link to a recording does: it opens what it brings. Something is asked first where a file would be fetched from another place, and
// where a run trains in the page that would be put aside. Loads when such a link is opened.
import { changedFields } from "../../../protocol/config/configFacts.ts";
import { bytesText } from "../../../protocol/memory.ts";
import { errorText } from "../../../protocol/problems.ts";
import { reset } from "../../engine/actions.ts";
import { engine } from "../../engine/client.ts";
import { openFetchWorker } from "../../engine/openWorkers.ts";
import { isReplayLink, parseRoute, settingsIn } from "../../engine/route.ts";
import { noteLink, openAtPlace, SHOWN } from "../../engine/saves/saveActions.ts";
import { isOver } from "../../engine/saves/saveTexts.ts";
import { resolveDraft } from "../../engine/store/draft/draftConfig.ts";
import { draftFromQuery } from "../../engine/store/draft/draftQuery.ts";
import { isTraining } from "../../engine/store/runFacts.ts";
import { openDialog } from "../../kit/dialog/dialogStore.ts";
import { recallHere } from "../../kit/remembered.ts";
import { exampleFile, ownFile } from "./examples.ts";
import { openRecording, useBrought } from "./openRecording.ts";
import { MOST_FETCHED, type ReplayLink, type ReplaySource, readReplayLink } from "./replayLink.ts";

/** A file of another place, by a worker that can do nothing else. */
function fetched(url: URL, mostBytes: number): Promise<Uint8Array> {
  const worker = openFetchWorker();
  return new Promise<Uint8Array>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Uint8Array | string>) =>
      typeof data === "string" ? reject(new Error(data)) : resolve(data);
    worker.onerror = () => reject(new Error("the part of the page that fetches files could not be loaded"));
    worker.postMessage({ url: url.href, mostBytes });
  }).finally(() => worker.terminate());
}

async function bytesOf(source: ReplaySource): Promise<readonly [name: string, bytes: Uint8Array]> {
  if (source.kind === "run") return ["link.rollout", source.bytes];
  if (source.kind === "example") return [`${source.id}.rollout`, await exampleFile(source.id)];
  const { url, bytes } = source;
  const file = await fetched(url, bytes ?? MOST_FETCHED);
  if (bytes !== null && file.length !== bytes)
    throw new Error(`the file must have ${bytesText(bytes, 1000)}, as the link says, got ${bytesText(file.length, 1000)}`);
  return [decodeURIComponent(url.pathname.split("/").at(-1) || url.host), file];
}

/** Whether an address of Train has settings that are not the recording's: the form has them by now, and the recording gives way. */
function meansOtherRun({ screen, at }: ReplayLink): boolean {
  const settings = settingsIn(at);
  const { catalog } = engine.facts.getState();
  const { config } = engine.view.facts.getState();
  if (screen !== "train" || settings.size === 0 || !catalog || !config) return false;
  const { config: named } = resolveDraft(catalog, draftFromQuery(catalog, settings).draft);
  return named !== null && changedFields(named, { ...config, changes: [] }).length > 0;
}

/** Opens what the link brings; what is wrong with it is shown. */
export async function follow(link: ReplayLink, hash: string | null = null): Promise<void> {
  useBrought.setState({ link, linkProblem: null, isFetching: true });
  try {
    const [name, bytes] = await bytesOf(link.source);
    const isOfPage = isBesidePage(link.source);
    const runId = await openRecording(name, bytes, link, isOfPage);
    if (hash !== null) noteLink(runId, hash);
    if (isOfPage && meansOtherRun(link)) reset();
    useBrought.setState({ link: null, isFetching: false });
  } catch (error) {
    useBrought.setState({ linkProblem: errorText(error), isFetching: false });
    openDialog("replay");
  }
}

/** Whether a file lies with the page, as a recording that was published with it does: fetching it tells nobody anything new. */
function isBesidePage(source: ReplaySource): boolean {
  return source.kind === "from" && source.url.search === "" && source.url.href.startsWith(ownFile("").href);
}

/** Follows the link in an address, or asks first. */
export async function arrive(hash: string): Promise<void> {
  try {
    const link = readReplayLink(hash, window.location.href);
    if ((link.source.kind !== "from" || isBesidePage(link.source)) && !isTraining(engine.view.facts.getState()))
      return await follow(link, hash);
    useBrought.setState({ link, linkProblem: null, isFetching: false });
  } catch (error) {
    useBrought.setState({ link: null, linkProblem: errorText(error), isFetching: false });
  }
  openDialog("replay");
}

/**
 * After a reload of a screen that shows a place of a run: opens the run again at that place, one that is over from its save, a recording
 * from the link that brought it. A run with steps to take is offered by the screen.
 */
export async function reopen(): Promise<void> {
  const shown = recallHere(SHOWN);
  if (shown === null) return;
  if (isReplayLink(shown)) {
    const { screen, query } = parseRoute(window.location.hash);
    const link = new URLSearchParams(shown.slice(shown.indexOf("?") + 1));
    link.set("screen", screen);
    link.set("at", query.toString());
    return arrive(`#/replay?${link}`);
  }
  const save = (await engine.told(({ saves }) => saves)).find(({ runId }) => runId === shown);
  const { runId, state } = engine.view.facts.getState();
  // Whoever has begun something by now wants that.
  const isIdle = runId === null && state === "idle" && !engine.awaits("start");
  if (save && isOver(save) && isIdle) await openAtPlace(shown);
}
