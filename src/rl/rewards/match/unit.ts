// What is written behind a number: words that multiply it ("5 million", "2 thirds"), then a unit. Units
// are brought to one spelling, so that "5 km/h" and "5 kilometers per hour" agree; they are not converted. Any noun may be
// a unit ("3 red balls"); words that make another number of it ("3 below zero", "101 base two") are none.

type Fraction = readonly [numerator: bigint, denominator: bigint];

const ORDINALS = `half third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth
  seventeenth eighteenth nineteenth twentieth`.split(/\s+/);
/** Powers of ten by their words. */
const POWERS: Readonly<Record<string, number>> = {
  hundred: 2,
  thousand: 3,
  lakh: 5,
  million: 6,
  crore: 7,
  billion: 9,
  trillion: 12,
  quadrillion: 15,
  quintillion: 18,
};
const MULTIPLES: ReadonlyMap<string, Fraction> = new Map<string, Fraction>([
  ...ORDINALS.map((word, i): [string, Fraction] => [word, [1n, BigInt(i + 2)]]),
  ["halve", [1n, 2n]],
  ["quarter", [1n, 4n]],
  ["dozen", [12n, 1n]],
  ...Object.entries(POWERS).flatMap(([word, zeros]): [string, Fraction][] => {
    const size = 10n ** BigInt(zeros);
    return [
      [word, [size, 1n]],
      [`${word}th`, [1n, size]],
    ];
  }),
]);

/** Other spellings of each unit, in the singular. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  mm: ["millimeter", "millimetre"],
  cm: ["centimeter", "centimetre"],
  m: ["meter", "metre"],
  km: ["kilometer", "kilometre"],
  in: ["inch"],
  ft: ["foot", "feet"],
  yd: ["yard"],
  mi: ["mile"],
  mg: ["milligram"],
  g: ["gram"],
  kg: ["kilogram", "kilo"],
  lb: ["pound"],
  oz: ["ounce"],
  ml: ["milliliter", "millilitre"],
  l: ["liter", "litre"],
  s: ["sec", "second"],
  min: ["minute"],
  h: ["hr", "hour"],
  am: [],
  pm: [],
  dollar: ["usd"],
  euro: ["eur"],
  gbp: [],
  yen: ["jpy"],
  degree: ["deg"],
  "/": ["per"],
  "%": [],
};
const CANONICAL: ReadonlyMap<string, string> = new Map(
  Object.entries(SPELLINGS).flatMap(([unit, others]) => [[unit, unit] as const, ...others.map((other) => [other, unit] as const)]),
);
/** Units that may stand right behind the last digit; any other word there may be a variable. */
const GLUED = /^(?:%|[mgshl]|[mck]m|ft|yd|mi|[mk]g|lbs?|oz|ml|sec|min|hrs?|[ap]m|[mk]ph)(?:$|[ /^])/;
/** Numbers in words, as far as one may stand behind another number or a word that joins the two. */
const NUMERALS = new Set(
  `zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy eighty ninety half couple`.split(
    " ",
  ),
);
/** Words that make of a number another one, or more than one, of whatever stands before and behind them. */
const CHANGING = new Set(
  `or and to plus minus times over under above below by not but than if of off from less until pi sqrt sin cos tan log root power squared
  cubed mod modulo choose factorial base binary ternary octal decimal hex hexadecimal negative positive freezing short score gross
  reciprocal inverse divided multiplied raised exponent remainder`.split(/\s+/),
);

function singular(word: string): string {
  return word.replace(/(x|ch|sh|ss)es$/, "$1").replace(/([a-z]{2})s$/, "$1");
}

/** A word of a unit in its one spelling, or null where it can be none: one or two letters must be a known unit. */
function unitWord(word: string): string | null {
  const [, letters = "", power = ""] = /^([a-z]{1,20}|[/%])(?:\^([23]))?$/.exec(word) ?? [];
  const known = CANONICAL.get(letters) ?? CANONICAL.get(singular(letters));
  if (known === undefined && (letters.length < 3 || CHANGING.has(letters) || NUMERALS.has(letters) || MULTIPLES.has(singular(letters))))
    return null;
  return (known ?? singular(letters)) + (power && `^${power}`);
}

/** Whether a word makes of a number another one, or more than one. */
export function isChanging(word: string): boolean {
  return CHANGING.has(word);
}

/** Whether a word is a unit that is known by name. */
export function isUnit(word: string): boolean {
  return CANONICAL.has(word) || CANONICAL.has(singular(word));
}

/** Whether a word is a number. */
export function isNumeral(word: string): boolean {
  return NUMERALS.has(word);
}

/** Whether a word behind a number multiplies it. */
export function isMultiple(word: string): boolean {
  return MULTIPLES.has(singular(word));
}

/** What stands behind a number, or null where that is more than a unit. @param rest the text behind the last digit. */
export function parseUnit(rest: string): { readonly multiple: Fraction; readonly unit: string } | null {
  const text = rest.trim().toLowerCase();
  if (text === "") return { multiple: [1n, 1n], unit: "" };
  // "4M" is four million, and no four metres.
  if (!rest.startsWith(" ") && (!GLUED.test(text) || /^M(?![a-zA-Z])/.test(rest))) return null;
  const spelled = text
    .replace(/\^\{([23])\}/g, "^$1")
    .replace(/\bmph\b/, "mi/h")
    .replace(/\bkph\b/, "km/h");
  const words = spelled.replace(/\//g, " / ").trim().split(/ +/);
  let multiple: Fraction = [1n, 1n];
  for (let scale = MULTIPLES.get(singular(words[0]!)); scale; scale = MULTIPLES.get(singular(words[0] ?? ""))) {
    multiple = [multiple[0] * scale[0], multiple[1] * scale[1]];
    words.shift();
  }
  const units = words.map(unitWord);
  if (units.length > 4 || units.includes(null)) return null;
  const unit = units
    .join(" ")
    .replace(/^(?:square|sq) (\S+)$/, "$1^2")
    .replace(/^cubic (\S+)$/, "$1^3");
  return { multiple, unit };
}
