// The addresses of lessons: "#/learn?lesson=ratio&clip=0.1&hide=passes" opens one with values fixed and
// controls hidden. What an address says that no lesson has is left out.
import { CONFIG_VERSION } from "../../protocol/config/migrations.ts";
import { hashOf } from "../engine/route.ts";
import type { Lesson } from "./lesson/lesson.tsx";
import type { Values } from "./lesson/parts.ts";

export function lessonHash(id: string): string {
  return hashOf("learn", new URLSearchParams({ lesson: id }));
}

/** The Train screen with a lesson's settings. */
export function trainHash(lesson: Lesson, values: Values): string {
  return hashOf("train", new URLSearchParams({ version: String(CONFIG_VERSION), ...lesson.train(values) }));
}

/** The values that an address fixes, within what the controls allow. */
export function fixedIn(lesson: Lesson, query: URLSearchParams): Values {
  const fixed: Record<string, number> = {};
  for (const { id, min, max, options } of lesson.controls) {
    const text = query.get(id);
    const value = Number(text);
    if (text === null || text.trim() === "" || !Number.isFinite(value)) continue;
    if (options && !Number.isInteger(value)) continue;
    fixed[id] = Math.min(options ? options.length - 1 : max, Math.max(options ? 0 : min, value));
  }
  return fixed;
}

/** The controls that an address hides, by id. */
export function hiddenIn(query: URLSearchParams): readonly string[] {
  return (query.get("hide") ?? "").split(",").filter((id) => id !== "");
}
