// The recorded runs that come with the page, each a file that loads when it is opened. The first screen plays the first of them by its
// card: scripts/examples makes that from the same file, which a test holds it to.
/** One answer of a group. */
export interface CardAnswer {
  /** What was said; of a number in a box the number. */
  readonly said: string;
  readonly isRight: boolean;
  readonly advantage: number;
}

/** One question of a step with all answers to it, some right and some wrong. */
export interface CardMoment {
  readonly step: number;
  readonly question: string;
  readonly answers: readonly CardAnswer[];
}

export interface ExampleCard {
  /** The last step of the run. */
  readonly steps: number;
  /** Of each step: its number and the share of right answers. */
  readonly curve: readonly (readonly [step: number, right: number])[];
  readonly moments: readonly CardMoment[];
}

export interface Example {
  readonly id: string;
  readonly title: string;
  /** One sentence: what there is to see. */
  readonly says: string;
}

export const EXAMPLES: readonly Example[] = [
  { id: "arithmetic", title: "Sums", says: "A small model learns to add and to subtract, and hears only right or wrong." },
  { id: "calculator", title: "Calculator", says: "It learns to call a calculator and to pass on the result: a tool in two turns." },
  { id: "search", title: "Search", says: "It learns to follow a trail through documents, one search leading to the next." },
  {
    id: "wrong-reward",
    title: "Rewarding the wrong thing",
    says: "A run that fails: the reward rises step by step while right answers vanish, and the diagnosis says so.",
  },
  {
    id: "capitals",
    title: "Capitals",
    says: "SmolLM2, a pretrained model of 135 million weights, learns to name the capital it is asked for.",
  },
];

/** Address of a file that lies with the page: in its folder, or below what the build's addresses begin with. */
export const ownFile = (path: string): URL => new URL(import.meta.env.BASE_URL + path, document.baseURI);

/** The bytes of an example. Rejects where there is none of that name, or it does not come. */
export async function exampleFile(id: string): Promise<Uint8Array> {
  if (!EXAMPLES.some((example) => example.id === id))
    throw new Error(`there is no example "${id}": there are ${EXAMPLES.map((example) => example.id).join(", ")}`);
  const answer = await fetch(ownFile(`examples/${id}.rollout`));
  if (!answer.ok) throw new Error(`the example ${id} did not come: ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}
