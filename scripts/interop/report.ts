// docs/interop.md: one section for each check, written by the checks themselves. A check that was not asked for keeps
// the section of its last time.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../environment.mjs";
import type { Check } from "./check.ts";
import { checks } from "./index.ts";

export interface Outcome {
  readonly check: Check;
  readonly versions: Readonly<Record<string, string | null>>;
  readonly isHeld: boolean;
  readonly seen: string;
  readonly seconds: number;
}

const HEAD = `# Other programs

What was seen with the real programs. \`npm run test:interop\` writes this file: it sets up Python environments of its own under \`.cache/interop\`, installs the newest versions that pip finds, and runs one check for each section; \`--only NAME\` runs some, \`--python FILE\` uses a Python that is there. It is no part of \`npm test\`, which holds the exported texts, the rewards in Python and the way a training is followed to what they should be without these programs.
`;

const mark = (name: string) => `<!-- ${name} -->`;

function sectionOf({ check, versions, isHeld, seen }: Outcome): string {
  const { python, ...packages } = versions;
  const named = Object.entries(packages).map(([name, version]) => `${name} ${version ?? "(missing)"}`);
  const day = new Date().toISOString().slice(0, 10);
  return `${mark(check.name)}\n## ${check.title}\n\n${isHeld ? "" : "**Does not hold:** "}${seen}\n\n${day}, Python ${python}, ${named.join(", ")}.\n`;
}

/** Sections of the file as it is, by check. */
function sections(text: string): ReadonlyMap<string, string> {
  const parts = text.split(/(?=<!-- [a-z-]+ -->\n)/).slice(1);
  return new Map(parts.map((part) => [/<!-- ([a-z-]+) -->/.exec(part)?.[1] ?? "", `${part.trimEnd()}\n`]));
}

export function writeDocument(outcomes: readonly Outcome[]): void {
  const path = join(projectRoot, "docs", "interop.md");
  const before = sections(existsSync(path) ? readFileSync(path, "utf8") : "");
  const now = new Map(outcomes.map((outcome) => [outcome.check.name, sectionOf(outcome)]));
  const written = checks.flatMap(({ name }) => now.get(name) ?? before.get(name) ?? []);
  writeFileSync(path, [HEAD, ...written].join("\n"));
}
