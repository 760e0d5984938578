// The lessons that are walked in a browser: the ids of the list, read off its files, which bring styles that only a page can load.
// A test without a browser holds that they are the list's.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const read = (name: string) => readFileSync(join(import.meta.dirname, "../../src/ui/learn/lessons", `${name}.ts`), "utf8");
const index = read("index");
const listed = /lessons: readonly Lesson\[\] = \[([^\]]*)\]/.exec(index)?.[1] ?? "";

export const LESSON_IDS: readonly string[] = [...listed.matchAll(/\w+/g)].map(([name]) => {
  const file = new RegExp(`import \\{ ${name} \\} from "\\./(\\w+)\\.ts"`).exec(index)?.[1] ?? name;
  return /defineLesson\(\{\n {2}id: "([^"]+)"/.exec(read(file))?.[1] ?? name;
});
