// What stands in the place of words in braces: "{thing}" in a line makes a problem of each thing, "{country}" one of each
// country, "{a}" and "{b}" one of each pair of different numbers.

const THINGS = [
  ...["salt", "music", "glass", "coffee", "rivers", "birds", "clocks", "shoes", "bread", "snow", "trees", "paper"],
  ...["gold", "bicycles", "rain", "books", "the moon", "honey", "chess", "doors", "spiders", "tea", "maps", "candles"],
  ...["whales", "gardens", "silk", "mirrors", "trains", "apples", "sleep", "the sea", "wolves", "bridges", "cheese", "kites"],
  ...["volcanoes", "letters", "dust", "islands"],
] as const;

/** Countries with one capital that is a single word. */
const CAPITALS: Readonly<Record<string, string>> = {
  Peru: "Lima",
  France: "Paris",
  Egypt: "Cairo",
  Japan: "Tokyo",
  Italy: "Rome",
  Spain: "Madrid",
  Germany: "Berlin",
  Kenya: "Nairobi",
  Norway: "Oslo",
  Greece: "Athens",
  Cuba: "Havana",
  Russia: "Moscow",
  China: "Beijing",
  Canada: "Ottawa",
  Poland: "Warsaw",
  Austria: "Vienna",
  Portugal: "Lisbon",
  Ireland: "Dublin",
  Sweden: "Stockholm",
  Finland: "Helsinki",
  Denmark: "Copenhagen",
  Hungary: "Budapest",
  Turkey: "Ankara",
  Iraq: "Baghdad",
  Iran: "Tehran",
  Thailand: "Bangkok",
  Vietnam: "Hanoi",
  Chile: "Santiago",
  Australia: "Canberra",
  Belgium: "Brussels",
  Ukraine: "Kyiv",
  Syria: "Damascus",
};

/** A prompt with its answer, which is empty where a line has none. */
export interface Prompt {
  readonly question: string;
  readonly answer: string;
}

/** The words that a line's braces stand for in one problem. */
type Filling = Readonly<Record<string, string>>;

interface Kind {
  /** Words in braces that a question has where its problems are of this kind. */
  readonly asks: readonly string[];
  /** Those that an answer may have then. */
  readonly answers: readonly string[];
  fillings(largest: number): readonly Filling[];
}

function pairs(largest: number): readonly Filling[] {
  const numbers = Array.from({ length: largest }, (_, i) => i + 1);
  return numbers.flatMap((a) =>
    numbers
      .filter((b) => b !== a)
      .map((b) => ({ a: String(a), b: String(b), sum: String(a + b), larger: String(Math.max(a, b)), smaller: String(Math.min(a, b)) })),
  );
}

const KINDS: readonly Kind[] = [
  { asks: ["thing"], answers: ["thing"], fillings: () => THINGS.map((thing) => ({ thing })) },
  {
    asks: ["country"],
    answers: ["country", "capital"],
    fillings: () => Object.entries(CAPITALS).map(([country, capital]) => ({ country, capital })),
  },
  { asks: ["a", "b"], answers: ["a", "b", "sum", "larger", "smaller"], fillings: pairs },
];

const BRACES = /\{([a-z]+)\}/g;

const bracedIn = (text: string): readonly string[] => [...text.matchAll(BRACES)].map(([, name = ""]) => name);

/** A text with its braces filled; those of other words stay as they are. */
export function filled(text: string, filling: Filling): string {
  return text.replace(BRACES, (braced, name: string) => filling[name] ?? braced);
}

/**
 * What fills a question and its answer, one for each problem; one of nothing where no braces stand for anything. Null
 * where they would be more than `most`; the rule where an answer's braces have nothing to follow.
 */
export function fillingsOf({ question, answer }: Prompt, largest: number, most: number): readonly Filling[] | string | null {
  const asked = bracedIn(question);
  const kinds = KINDS.filter(({ asks }) => asks.some((name) => asked.includes(name)));
  // What an answer says of a question has to follow from what that shows.
  const known = kinds.flatMap(({ asks, answers }) => (asks.every((name) => asked.includes(name)) ? answers : asked));
  for (const name of bracedIn(answer)) {
    const kind = KINDS.find(({ answers }) => answers.includes(name));
    if (kind && !known.includes(name))
      return `may have {${name}} in an answer where its question has ${kind.asks.map((each) => `{${each}}`).join(" and ")}`;
  }
  const sides = kinds.map(({ fillings }) => fillings(largest));
  // Counted first: three kinds together make millions.
  if (sides.reduce((count, side) => count * side.length, 1) > most) return null;
  return sides.reduce<readonly Filling[]>((all, side) => all.flatMap((one) => side.map((other) => ({ ...one, ...other }))), [{}]);
}
