// A link that leads to a recording: "#/replay?" with where it comes from (`run`, the recording itself; `from`, an address of a file and
// how many `bytes` it should have; or `example`, one of those that come with the page), and with what is to be seen of it: a screen, the
// place `at` which it stands as that screen's own address says it, and the `range` of steps that charts show.

import { orThrow } from "../../../protocol/problems.ts";
import { decode, encode, oneOf, type Param, type PlaceOf, whole, word } from "../../engine/address/params.ts";
import { hashOf, SCREENS, type Screen } from "../../engine/route.ts";
import { zoomTo } from "../../kit/charts/chartView.ts";
import type { StepRange } from "../../kit/charts/series/series.ts";

/** The longest part of an address behind "#" that is made here; longer ones are cut by programs that pass links on. */
export const MOST_LINK = 32_768;
/** What of it everything but the recording may take. */
const PLACE_LINK = 1_024;
/** A recording of so many bytes fits into a link: four letters hold three. */
export const MOST_LINKED_BYTES = Math.floor(((MOST_LINK - PLACE_LINK) * 3) / 4);
/** The largest file that is fetched from elsewhere. */
export const MOST_FETCHED = 64 * 2 ** 20;

export type ReplaySource =
  | { readonly kind: "run"; readonly bytes: Uint8Array }
  | { readonly kind: "from"; readonly url: URL; readonly bytes: number | null }
  | { readonly kind: "example"; readonly id: string };

/** What is to be seen of it. */
export interface ReplayPlace {
  readonly screen: Screen;
  readonly at: URLSearchParams;
  readonly range: StepRange | null;
}

export interface ReplayLink extends ReplayPlace {
  readonly source: ReplaySource;
}

/** Bytes as letters that an address holds as they are (RFC 4648, "base64url", without padding). */
export function lettersOf(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function bytesOf(letters: string): Uint8Array {
  if (!/^[A-Za-z0-9_-]+$/.test(letters)) throw new Error("the link was changed on its way: its recording has other signs than a link's");
  return orThrow(
    () => Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0)),
    (cause) => new Error("the link was cut short on its way", { cause }),
  );
}

const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])$/;

function addressOf(text: string, page: string): URL {
  const url = orThrow(
    () => new URL(text, page),
    (cause) => new Error(`the link must name an address of a file after from=, got "${text.slice(0, 80)}"`, { cause }),
  );
  const isOwn = url.origin === new URL(page).origin;
  if (!isOwn && url.protocol !== "https:" && !(url.protocol === "http:" && LOCAL.test(url.hostname)))
    throw new Error(`the link must name an address that begins with https, got "${url.protocol}//${url.host}"`);
  if (url.username || url.password) throw new Error("the link must name an address without a user and a password");
  return url;
}

function sourceIn({ run, from, example, bytes }: PlaceOf<typeof LINK>, page: string): ReplaySource {
  if (run) return { kind: "run", bytes: bytesOf(run) };
  if (from) return { kind: "from", url: addressOf(from, page), bytes };
  if (example) return { kind: "example", id: example };
  throw new Error("the link must bring a recording (run), name an address of one (from) or an example");
}

const range: Param<StepRange | null> = {
  name: "range",
  otherwise: null,
  read(text) {
    const [, from, to] = /^(\d{1,9})-(\d{1,9})$/.exec(text) ?? [];
    return from !== undefined && to !== undefined && Number(from) < Number(to) ? [Number(from), Number(to)] : null;
  },
  write: (steps) => steps && `${steps[0]}-${steps[1]}`,
};

/** What a link says. The recording comes last, where a program that cuts links cuts it. */
const LINK = {
  screen: oneOf("screen", SCREENS, "train"),
  at: word("at"),
  range,
  example: word("example"),
  from: word("from"),
  bytes: whole("bytes"),
  run: word("run"),
};

/** The place alone, as a file that was handed on names it. */
export const placeText = ({ screen, at, range }: ReplayPlace): string =>
  encode(LINK, { screen, at: at.size > 0 ? at.toString() : null, range }).toString();

/** The place that a file names. */
export function readPlace(text: string): ReplayPlace {
  const { screen, at, range } = decode(LINK, new URLSearchParams(text));
  return { screen, at: new URLSearchParams(at ?? ""), range };
}

/** Reads a link. Throws a sentence where it leads to no recording. @param page the address of the page. */
export function readReplayLink(hash: string, page: string): ReplayLink {
  const text = hash.slice(hash.indexOf("?") + 1);
  return { source: sourceIn(decode(LINK, new URLSearchParams(text)), page), ...readPlace(text) };
}

export function replayHash(source: Partial<Pick<PlaceOf<typeof LINK>, "run" | "from" | "bytes" | "example">>, place: ReplayPlace): string {
  return `#/replay?${new URLSearchParams([...new URLSearchParams(placeText(place)), ...encode(LINK, source)])}`;
}

/** The address of the place within the page. */
export const placeHash = ({ screen, at }: ReplayPlace): string => hashOf(screen, at);

/** Shows a place of the run that is here. */
export function goToPlace(place: ReplayPlace): void {
  zoomTo(place.range);
  window.location.hash = placeHash(place);
}
