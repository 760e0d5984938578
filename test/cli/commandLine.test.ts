// What the words of a command line come to, over every option of every verb.
import { describe, expect, it } from "vitest";
import { COMMON_OPTIONS, readCommandLine } from "../../src/cli/lab/commandLine.ts";
import type { OptionSpec, Verb } from "../../src/cli/lab/verb.ts";
import { verbs } from "../../src/cli/verbs/index.ts";

const read = (...words: readonly string[]) => readCommandLine(words, verbs);
const named = (name: string) => verbs.find((verb) => verb.name === name)!;

const neededBy = ({ operands }: Verb) => operands.filter((operand) => !operand.startsWith("[")).map((operand) => operand.toLowerCase());
/** Each option of each verb, with words that the verb needs besides. */
const options = verbs.flatMap((verb) =>
  Object.entries<OptionSpec>({ ...verb.options, ...COMMON_OPTIONS }).map(([name, spec]) => ({ verb, name, spec, needed: neededBy(verb) })),
);
const valued = options.filter(({ spec }) => spec.kind !== "flag");

/** A value that the option takes. */
function exampleOf(spec: OptionSpec): string {
  if (spec.kind === "text") return spec.choices?.[0] ?? "a b";
  return spec.kind === "integer" || spec.kind === "amount" ? String(Math.max(2, spec.min)) : "ü=1";
}

describe("every option", () => {
  it("stands before or behind the verb, with its value behind a blank or an equals sign", () => {
    for (const { verb, name, spec, needed } of options) {
      const isFlag = spec.kind === "flag";
      const forms = isFlag ? [[`--${name}`]] : [[`--${name}`, exampleOf(spec)], [`--${name}=${exampleOf(spec)}`]];
      const all = forms.flatMap((form) => [
        read(...form, verb.name, ...needed),
        read(verb.name, ...form, ...needed),
        read(verb.name, ...needed, ...form),
      ]);
      for (const each of all) expect([verb.name, name, each]).toEqual([verb.name, name, all[0]]);
      expect(all[0]).toMatchObject({ verb: { name: verb.name }, operands: needed });
      expect(all[0]?.options[name]).not.toBeOneOf([undefined, false, []]);
    }
  });

  it("is a switch for all verbs or for none, so that words before the verb have one meaning", () => {
    const kinds = new Map<string, Set<boolean>>();
    for (const { name, spec } of options) kinds.set(name, (kinds.get(name) ?? new Set()).add(spec.kind === "flag"));
    expect([...kinds].filter(([, found]) => found.size > 1)).toEqual([]);
  });

  it("that takes a value is refused without one, with an empty one and with the next option in its place", () => {
    for (const { verb, name, spec, needed } of valued) {
      const fails = (...words: readonly string[]) => expect(() => read(verb.name, ...needed, ...words), `${verb.name} ${words.join(" ")}`);
      fails(`--${name}`).toThrow(`--${name} needs a value`);
      fails(`--${name}`, "--json").toThrow(`--${name} needs a value`);
      fails(`--${name}`, "-h").toThrow(`--${name} needs a value`);
      if (spec.kind === "text" && spec.mayBeEmpty) continue;
      for (const empty of ["", "  "])
        for (const words of [[`--${name}`, empty], [`--${name}=${empty}`]]) fails(...words).toThrow(`--${name} must not be empty`);
    }
  });

  it("that takes one value is refused with two that differ", () => {
    for (const { verb, name, spec, needed } of valued) {
      if (spec.kind === "list" || spec.kind === "flag") continue;
      const [one, other] = spec.kind === "text" ? (spec.choices ?? ["one", "other"]) : [spec.min + 1, spec.min + 2].map(String);
      const both = (first: string, second: string) => () => read(verb.name, ...needed, `--${name}`, first, `--${name}=${second}`);
      if (other === undefined) continue;
      expect(both(one!, other)).toThrow(`--${name} is given twice, as "${one}" and as "${other}"`);
      expect(both(one!, one!)).not.toThrow();
    }
  });

  it("that is a switch takes no value", () => {
    for (const { verb, name, spec, needed } of options)
      if (spec.kind === "flag") expect(() => read(verb.name, ...needed, `--${name}=yes`)).toThrow(`--${name} takes no value, got "yes"`);
  });
});

describe("a value behind an equals sign", () => {
  it("may begin with dashes, and the refusal of one behind a blank says so", () => {
    expect(read("sample", "run", "--prompt=--x").options.prompt).toBe("--x");
    expect(read("label", "run", "--name=-h").options.name).toBe("-h");
    expect(() => read("sample", "run", "--prompt", "--x")).toThrow("a value that begins so is given as --prompt=--x");
    expect(read("sample", "run", "--prompt", "- x").options.prompt).toBe("- x");
  });
});

describe("help", () => {
  it("is -h too, alone, before and behind a verb", () => {
    expect(read("-h")).toMatchObject({ verb: null, options: { help: true } });
    for (const words of [
      ["-h", "train"],
      ["train", "-h"],
      ["help", "train"],
      ["train", "--help"],
      ["train", "a", "b", "-h"],
    ])
      expect(read(...words)).toMatchObject({ verb: named("train"), options: { help: true } });
  });
});

describe("a word that is not known", () => {
  it.each([
    [["--bogus", "3", "train", "a.yaml"], "unknown option --bogus (see rollout-lab --help)"],
    [["--seed", "3", "list"], "unknown option --seed (see rollout-lab list --help)"],
    [["-x", "train", "a.yaml"], "unknown option -x"],
    [["--seed", "3"], "unknown option --seed (see rollout-lab --help)"],
    [["--json", "trian"], 'did you mean "train"?'],
    [["train", "a.yaml", "--no-json"], "unknown option --no-json"],
    [["train", ""], "CONFIG must not be empty: rollout-lab train CONFIG [options]"],
    [["list", " "], "DIR must not be empty"],
    [["compare", "a", ""], "RUN must not be empty"],
  ])("%j", (words, sentence) => expect(() => read(...words)).toThrow(sentence));

  it("behind -- is an operand, dashes or not", () => {
    expect(read("eval", "--", "--json").operands).toEqual(["--json"]);
  });
});
