// Whether code has become another than the starter or the template that it began as: then their title says nothing of it any more.
import { templates } from "../../../../rl/templates/index.ts";
import { rewardStarters } from "./starters.ts";

/** Less than this share of the lines it began with left, it is other code. */
const LEFT = 1 / 3;

const linesOf = (source: string): readonly string[] => source.split("\n").flatMap((line) => (/\w/.test(line) ? [line.trim()] : []));

/** The share of the lines of one text that stand in another. */
function shareLeft(before: string, now: string): number {
  const kept = new Set(linesOf(now));
  const lines = linesOf(before).filter((line) => !line.startsWith("//"));
  return lines.length === 0 ? 1 : lines.filter((line) => kept.has(line)).length / lines.length;
}

/** The code of all that is shipped under a title. */
function shippedAs(title: string): readonly string[] {
  const rewards = templates.flatMap(({ config, diagnosis }) => Object.values({ ...config.customRewards, ...diagnosis?.mended }));
  return [...rewardStarters, ...rewards].flatMap((each) => (each.title === title ? [each.source] : []));
}

/** Whether a text has hardly a line of what is shipped under its title; false for titles of one's own. */
export function isOtherCode(title: string, source: string): boolean {
  const shipped = shippedAs(title);
  return shipped.length > 0 && shipped.every((each) => shareLeft(each, source) < LEFT);
}

/** The same of all code of a template: of its rewards and its environment. */
export function isOtherThan(shipped: readonly string[], sources: readonly string[]): boolean {
  return sources.length > 0 && shipped.every((each) => sources.every((source) => shareLeft(each, source) < LEFT));
}
