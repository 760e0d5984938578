// Links to recordings: what is put into one comes out, and what is none is refused with a sentence.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SCREENS } from "../../../../src/ui/engine/route.ts";
import {
  lettersOf,
  MOST_LINK,
  MOST_LINKED_BYTES,
  placeHash,
  placeText,
  readPlace,
  readReplayLink,
  replayHash,
} from "../../../../src/ui/runs/replay/replayLink.ts";

const PAGE = "https://lab.example/app/#/train";
const NOWHERE = { screen: "train", at: new URLSearchParams(), range: null } as const;

describe("a link to a recording", () => {
  it("brings its bytes, screen, place and range of steps, whatever they are", () => {
    const place = fc.record({ step: fc.nat(99_999), prompt: fc.integer({ min: 1, max: 64 }), token: fc.integer({ min: 1, max: 4096 }) });
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 2000 }),
        fc.constantFrom(...SCREENS),
        place,
        fc.nat(50),
        (bytes, screen, at, from) => {
          const query = new URLSearchParams(Object.entries(at).map(([name, value]) => [name, String(value)]));
          const hash = replayHash({ run: lettersOf(bytes) }, { screen, at: query, range: [from, from + 7] });
          const link = readReplayLink(hash, PAGE);
          expect(link.source).toEqual({ kind: "run", bytes });
          expect([link.screen, link.at.toString(), link.range]).toEqual([screen, query.toString(), [from, from + 7]]);
          expect(placeHash(link)).toBe(`#/${screen}?${query}`);
          // No program that passes it on has to write anything of it otherwise.
          expect(hash).toMatch(/^[#/?\w=&%.+-]+$/);
        },
      ),
    );
  });

  it("names its place alone as a file does, wherever that is", () => {
    fc.assert(
      fc.property(fc.constantFrom(...SCREENS), fc.nat(99_999), fc.option(fc.nat(50)), (screen, step, from) => {
        const range = from === null ? null : ([from, from + 3] as const);
        const place = { screen, at: new URLSearchParams({ step: String(step), token: "3", phase: "ratio" }), range };
        const read = readPlace(placeText(place));
        expect([read.screen, read.at.toString(), read.range]).toEqual([screen, place.at.toString(), range]);
      }),
    );
    expect(readPlace("screen=nowhere&range=9-2")).toMatchObject({ screen: "train", range: null });
  });

  it("that carries as much as may be carried is as long as a link may be", () => {
    const hash = replayHash({ run: lettersOf(new Uint8Array(MOST_LINKED_BYTES).fill(255)) }, NOWHERE);
    expect(hash.length).toBeLessThanOrEqual(MOST_LINK);
    expect(hash.length).toBeGreaterThan(MOST_LINK - 1_100);
  });

  it("names a file of another host or of its own, with its size where it says one", () => {
    const source = (query: string) => readReplayLink(`#/replay?${query}`, PAGE).source;
    expect(source("from=https%3A%2F%2Fother.example%2Fa.rollout&bytes=1200")).toEqual({
      kind: "from",
      url: new URL("https://other.example/a.rollout"),
      bytes: 1200,
    });
    expect(source("from=runs/a.rollout")).toMatchObject({ url: new URL("https://lab.example/app/runs/a.rollout"), bytes: null });
    expect(source("from=http://localhost:8000/a.rollout&bytes=many")).toMatchObject({ bytes: null });
    expect(source("example=calculator")).toEqual({ kind: "example", id: "calculator" });
  });

  it.each([
    ["", /must bring a recording \(run\), name an address/],
    ["run=a b", /was changed on its way/],
    ["run=abcde", /was cut short on its way/],
    ["from=http://other.example/a", /must name an address that begins with https, got "http:\/\/other\.example"/],
    ["from=javascript:alert(1)", /begins with https, got "javascript:\/\/"/],
    ["from=data:text/plain,a", /begins with https/],
    ["from=https://me:secret@other.example/a", /without a user and a password/],
    ["from=https://", /must name an address of a file after from=, got "https:\/\/"/],
  ])("%s is refused", (query, sentence) => {
    expect(() => readReplayLink(`#/replay?${query}`, PAGE)).toThrow(sentence);
  });
});
