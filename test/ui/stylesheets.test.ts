// Styles of rooms that load one after the other meet on one page, whichever came first: a class has one room that says how it looks.
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const ROOT = "src/ui";
/** Classes that a rule of their own gives a look: ".answer {", ".answer,", not within a condition or below another. */
const OWN_RULE = /^\.([a-z][\w-]*)(?=,?$| \{)/gm;

it("no two rooms give one class its looks", () => {
  const roomsOf = new Map<string, Set<string>>();
  for (const file of readdirSync(ROOT, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".css")) continue;
    const room = file.split(/[/\\]/)[0]!;
    for (const [, name = ""] of readFileSync(`${ROOT}/${file}`, "utf8").matchAll(OWN_RULE))
      roomsOf.set(name, (roomsOf.get(name) ?? new Set()).add(room));
  }
  expect(roomsOf.size).toBeGreaterThan(300);
  const shared = [...roomsOf].filter(([, rooms]) => rooms.size > 1);
  expect(shared.map(([name, rooms]) => `${name}: ${[...rooms].join(", ")}`)).toEqual([]);
});
