// Which commands a few typed words mean. Every word must be found; the beginning of a title counts most.
import type { PaletteCommand } from "./commands.ts";

/** How well a word matches a command; 0 where it does not. */
function weightOf(word: string, { title, text = "", words = "" }: PaletteCommand): number {
  const name = title.toLowerCase();
  const at = name.indexOf(word);
  if (at === 0) return 8;
  // At the beginning of a word, or inside one.
  if (at > 0) return /[^\p{L}\p{N}]/u.test(name.charAt(at - 1)) ? 4 : 2;
  return `${text} ${words}`.toLowerCase().includes(word) ? 1 : 0;
}

/**
 * The commands that all words of a query match, the best first and otherwise in their order. Without a word only
 * those that are offered unasked.
 */
export function foundCommands(commands: readonly PaletteCommand[], query: string, most: number): readonly PaletteCommand[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return commands.filter(({ group }) => group === "Action" || group === "Screen").slice(0, most);
  return commands
    .flatMap((command) => {
      const weights = words.map((word) => weightOf(word, command));
      return weights.includes(0) ? [] : [{ command, weight: weights.reduce((a, b) => a + b, 0) }];
    })
    .sort((a, b) => b.weight - a.weight)
    .slice(0, most)
    .map(({ command }) => command);
}
