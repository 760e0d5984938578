// What is written behind a number: words that multiply it ("5 million", "2 thirds"), then a unit. Units
// are brought to one spelling, so that "5 km/h" and "5 kilometers per hour" agree; they are not converted.

type Fraction = readonly [numerator: bigint, denominator: bigint];

const ORDINALS = ["half", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"];
/** Powers of ten by their words. */
const POWERS: Readonly<Record<string, number>> = { hundred: 2, thousand: 3, million: 6, billion: 9, trillion: 12 };
const MULTIPLES: ReadonlyMap<string, Fraction> = new Map<string, Fraction>([
  ...ORDINALS.map((word, i): [string, Fraction] => [word, [1n, BigInt(i + 2)]]),
  ["halve", [1n, 2n]],
  ["tenth", [1n, 10n]],
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
  ...{ mm: ["millimeter", "millimetre"], cm: ["centimeter", "centimetre"], m: ["meter", "metre"], km: ["kilometer", "kilometre"] },
  ...{ in: ["inch"], ft: ["foot", "feet"], yd: ["yard"], mi: ["mile"], mg: ["milligram"], g: ["gram"], kg: ["kilogram", "kilo"] },
  ...{ lb: ["pound"], oz: ["ounce"], ml: ["milliliter", "millilitre"], l: ["liter", "litre"], s: ["sec", "second"] },
  ...{ min: ["minute"], h: ["hr", "hour"], am: [], pm: [], dollar: ["usd"], euro: ["eur"], gbp: [], yen: ["jpy"], degree: ["deg"] },
  ...{ "/": ["per"], "%": [] },
};
const CANONICAL: ReadonlyMap<string, string> = new Map(
  Object.entries(SPELLINGS).flatMap(([unit, others]) => [[unit, unit] as const, ...others.map((other) => [other, unit] as const)]),
);
/** Units that may stand right behind the last digit; any other word there may be a variable. */
const GLUED = /^(?:%|[mgshl]|[mck]m|ft|yd|mi|[mk]g|lbs?|oz|ml|sec|min|hrs?|[ap]m|[mk]ph)(?:$|[ /^²³])/;
/** Words after which a text is more than one number. */
const JOINING = new Set(
  "or and to plus minus times over by not but than if pi sqrt sin cos tan log squared cubed mod choose factorial".split(" "),
);

function singular(word: string): string {
  return word.replace(/(x|ch|sh|ss)es$/, "$1").replace(/([a-z]{2})s$/, "$1");
}

/** A word of a unit in its one spelling, or null where it can be none: one or two letters must be a known unit. */
function unitWord(word: string): string | null {
  const [, letters = "", power = ""] = /^([a-z]{1,20}|[/%])(?:\^([23]))?$/.exec(word) ?? [];
  const known = CANONICAL.get(letters) ?? CANONICAL.get(singular(letters));
  if (known === undefined && (letters.length < 3 || JOINING.has(letters))) return null;
  return (known ?? singular(letters)) + (power && `^${power}`);
}

/** What stands behind a number, or null where that is more than a unit. @param rest the text behind the last digit. */
export function parseUnit(rest: string): { readonly multiple: Fraction; readonly unit: string } | null {
  const text = rest.trim().toLowerCase();
  if (text === "") return { multiple: [1n, 1n], unit: "" };
  if (!rest.startsWith(" ") && !GLUED.test(text)) return null;
  const spelled = text
    .replace(/\^\{([23])\}/g, "^$1")
    .replace(/²/g, "^2")
    .replace(/³/g, "^3")
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
