// A calculator that has to be asked: the model may call the tool calculate, and then says the answer.

interface State {
  calls: number;
}

// What the model may call, each with what it is given. What `run` returns is said to the model; an error it throws, too.
export const tools = [
  {
    name: "calculate",
    description: "Works out a sum such as 12 + 30.",
    parameters: { expression: "string" },
    run({ expression }: { expression: string }, state: State) {
      const found = /^\s*(-?\d+)\s*([-+*])\s*(-?\d+)\s*$/.exec(expression);
      if (!found) throw new Error("write it as 12 + 30");
      state.calls += 1;
      const [a, b] = [Number(found[1]), Number(found[3])];
      return found[2] === "+" ? a + b : found[2] === "-" ? a - b : a * b;
    },
  },
];

// Makes a problem: what the model is asked, and the answer that only this code sees.
export function draw({ random }: { random: { below(count: number): number } }) {
  const [a, b] = [random.below(90) + 10, random.below(90) + 10];
  return { question: `What is ${a} + ${b}?`, answer: String(a + b) };
}

// Called once as a conversation begins. What it returns as state is handed on from turn to turn.
export function start() {
  return { state: { calls: 0 } };
}

// Called after each turn; nothing to return while tools are called, whose answers are said by themselves.
export function step({ text, calls, problem }: { text: string; calls: readonly unknown[]; problem: { answer: string } }) {
  if (calls.length > 0) return undefined;
  // The whole number must be the answer: one that only holds it somewhere would be paid for listing numbers.
  const right = /-?\d+/.exec(text)?.[0] === problem.answer;
  return { done: true, reward: right ? 1 : 0, success: right };
}
