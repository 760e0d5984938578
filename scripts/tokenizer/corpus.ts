// The text the tokenizer is trained on: sentences of the kinds that questions, answers, tool calls and
// searches are made of. It stands apart from the registered tasks, because a tokenizer that changed
// with them would orphan every checkpoint. Marks are left out, since they are never merged.
import { Random } from "../../src/rl/random.ts";

const NAMES = [
  "Ada",
  "Ben",
  "Clara",
  "Daniel",
  "Emma",
  "Farid",
  "Grace",
  "Hugo",
  "Iris",
  "Jonas",
  "Kira",
  "Leo",
  "Mara",
  "Noah",
  "Olga",
  "Paul",
];
const PLACES = ["Berlin", "Cairo", "Lima", "Oslo", "Paris", "Porto", "Quito", "Rome", "Seoul", "Tunis", "Vienna", "Zagreb"];
const FIRMS = ["Northwind", "Bluestone", "Silverline", "Redwood", "Clearwater", "Brightside"];
const THINGS = ["river", "museum", "bridge", "company", "mountain", "garden", "library", "station", "language", "painting"];
const WORDS = ["apple", "banana", "candle", "dragon", "engine", "forest", "guitar", "harbor", "island", "jungle", "kettle", "lantern"];
const JOBS = ["painter", "teacher", "engineer", "writer", "doctor", "pilot"];
const QUESTION_COUNT = 400;
const SENTENCE_COUNT = 1600;

type Sentence = (random: Random) => string;

const number = (random: Random) => String(random.below(random.pick([10, 100, 1000])));

const SENTENCES: readonly Sentence[] = [
  (r) => `{"name": "calculate", "arguments": {"expression": "${number(r)} ${r.pick(["+", "-", "*", "/"])} ${number(r)}"}}`,
  (r) => `{"name": "search", "arguments": {"query": "Where was ${r.pick(NAMES)} born?"}}`,
  () =>
    'You can call these tools:\n{"type": "function", "function": {"name": "calculate", "description": "Evaluate an arithmetic expression.", "parameters": {"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]}}}\n',
  () => 'To call one, write:\n\n{"name": NAME, "arguments": OBJECT}\n',
  (r) => `The result is ${number(r)}.`,
  (r) => `error: the arguments must be an object with the field ${r.pick(["expression", "query"])}`,
  (r) => `Who founded the company ${r.pick(FIRMS)}, and in which city was the founder born?`,
  (r) => `${r.pick(NAMES)} was born in ${r.pick(PLACES)} in ${1900 + r.below(100)} and worked as a ${r.pick(JOBS)}.`,
  (r) => `${r.pick(FIRMS)} is a company in ${r.pick(PLACES)}. It was founded by ${r.pick(NAMES)} in ${1900 + r.below(120)}.`,
  (r) => `The capital has a ${r.pick(THINGS)} that was built in ${1500 + r.below(500)}.`,
  (r) => `Expert: which ${r.pick(THINGS)} in ${r.pick(PLACES)} is the oldest?`,
  (r) => `First I need to know where the ${r.pick(THINGS)} is. Then I can answer the question.`,
  (r) => `Spell the word "${r.pick(WORDS)}" backwards.`,
  (r) => `How many times does the letter ${r.pick([..."abcdefghij"])} appear in "${r.pick(WORDS)}"?`,
  (r) => `Sort these numbers from smallest to largest: ${number(r)}, ${number(r)}, ${number(r)}, ${number(r)}.`,
  (r) => `What is the greatest common divisor of ${number(r)} and ${number(r)}?`,
  (r) => `Use the numbers ${number(r)}, ${number(r)}, ${number(r)} to reach ${number(r)}. Use each number at most once.`,
  (r) => `My guess is ${number(r)}. ${r.pick(["Too high.", "Too low.", "Right!"])} Guess again.`,
  (r) => `You are at row ${r.below(5)}, column ${r.below(5)}. Move ${r.pick(["up", "down", "left", "right"])} to reach the goal.`,
  (r) => `The answer of the solver is ${r.pick(["right", "wrong"])}, because ${number(r)} + ${number(r)} = ${number(r)}.`,
  (r) => `Let me think step by step. ${number(r)} * ${number(r)} = ${number(r)}, so the answer is \\boxed{${number(r)}}.`,
  (r) =>
    `You are a helpful assistant. ${r.pick(["Give the final answer in \\boxed{}.", "Answer in one word.", "Think before you answer."])}`,
  (r) => `\\frac{${number(r)}}{${number(r)}} of ${number(r)} is ${number(r)}.`,
  (r) => `${r.pick(NAMES)} has ${number(r)} ${r.pick(WORDS)}s and buys ${number(r)} more. How many does ${r.pick(["he", "she"])} have now?`,
];

/** A short exchange as the chat template spells it, without its marks: the bulk of what small models read. */
function arithmeticTurns(random: Random): readonly string[] {
  const expression = `${number(random)} ${random.pick(["+", "-", "*"])} ${number(random)}`;
  const question = random.pick([`What is ${expression}?`, `Compute ${expression}.`, `${expression} = ?`, `How much is ${expression}?`]);
  return ["user\n", question, "assistant\n", `\\boxed{${number(random)}}`];
}

/** All training texts; the same for a seed. */
export function tokenizerCorpus(seed: number): readonly string[] {
  const random = new Random(seed);
  return [
    ...Array.from({ length: QUESTION_COUNT }, () => arithmeticTurns(random)).flat(),
    ...Array.from({ length: SENTENCE_COUNT }, () => random.pick(SENTENCES)(random)),
  ];
}
