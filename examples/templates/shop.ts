// A shop with two tools. The model writes the name of a tool and what it is given: PRICE and a thing tells what that costs,
// PAY and an amount buys what was asked for.

const THINGS = ["lamp", "chair", "cup", "book", "coat", "drum", "kite", "mirror", "piano", "rug", "spoon", "table"];
// Asked for in evaluations alone.
const HELD_OUT = ["basket", "clock", "desk", "flute", "ladder", "pillow", "stove", "watch"];
const DEAREST = 40;

interface Random {
  pick<T>(list: readonly T[]): T;
  below(count: number): number;
}

interface Turn {
  text: string;
  problem: { question: string; answer: string };
  state: { told: boolean };
}

// Makes a problem: what the model is asked, and the price that only this code sees.
export function draw({ random }: { random: Random }) {
  const thing = random.pick([...THINGS, ...HELD_OUT]);
  return { question: `Buy a ${thing}.`, answer: String(1 + random.below(DEAREST)), heldOut: HELD_OUT.includes(thing) };
}

// Opens a conversation: nothing was asked yet.
export function start() {
  return { state: { told: false } };
}

/** What the first tool says. */
function priceOf(thing: string, { question, answer }: Turn["problem"]): string {
  return question.includes(` ${thing}.`) ? `It costs ${answer} coins.` : `There is no ${thing} here.`;
}

// Answers a turn of the model. One call a turn and nothing beside it: whoever writes both at once pays without having asked.
export function step({ text, problem, state }: Turn) {
  const [, tool, given = ""] = /^(PRICE|PAY) ([a-z]+|\d+)\.?$/.exec(text.trim()) ?? [];
  if (tool === "PRICE") {
    const isRight = !state.told && problem.question.includes(` ${given}.`);
    // A quarter for having asked for the right thing, once.
    return { say: priceOf(given, problem), state: { told: state.told || isRight }, ...(isRight ? { reward: 0.25 } : {}) };
  }
  const isPaid = tool === "PAY" && given === problem.answer;
  // The price cannot be known before it was asked for; a guess that hits is not paid.
  return { done: true, reward: isPaid && state.told ? 0.75 : 0, success: isPaid && state.told };
}
