// JSON of a schema, which a model that people know nearly writes and talks around.
import source from "../../../examples/templates/jsonSchema.ts?raw";
import { BESIDE_SMOLLM2, type Template, withHeldOut } from "./template.ts";

const PEOPLE =
  "Maria 31, Aisha 45, Ken 60, Olga 28, Paulo 19, Lena 52, Ravi 37, Chen 41, Omar 66, Eva 23, Jack 15, Hugo 71, Yuki 27, Anna 48, Leo 8, Mia 55, Ali 63, Ruth 39, Ivan 44, Zoe 16, Noah 58";

// The first three are those of the runs that were measured.
const HELD_OUT = "Sara 9, Nina 34, Tom 12, Rosa 26, Karl 54, Amina 38, Bela 17, Dora 62";

const about = (people: string) => people.split(", ").map((person) => ({ question: `${person.replace(" ", " is ")} years old.` }));

const question = "Maria is 31 years old.";

export const jsonSchema: Template = {
  id: "json-schema",
  title: "JSON of a schema",
  summary: "From a sentence about somebody, the model is paid for JSON with exactly a name and an age, each of its kind.",
  lookFor:
    "Words around the braces, missing fields and further ones: which of them goes first? What is in the fields is not checked: is it still true?",
  measured:
    "Measured, three seeds, on three of the eight held-out people: valid JSON goes from none or one in 12 to 67 % and twice to 92 % in 10 steps.",
  config: {
    ...BESIDE_SMOLLM2,
    task: "json-schema",
    algorithm: "grpo",
    maxCompletionTokens: 24,
    promptsPerStep: 2,
    learningRate: 6e-4,
    steps: 10,
    evalEvery: 10,
    customTasks: {
      "json-schema": {
        title: "JSON of a schema",
        system: "Write JSON with a name and an age.",
        problems: withHeldOut(about(PEOPLE), about(HELD_OUT)),
      },
    },
    customRewards: {
      valid: {
        title: "Validates",
        source,
        cases: [
          { question, text: '{"name": "Maria", "age": 31}', earns: 1 },
          { question, text: '{"name": "Maria", "age": "31"}', earns: 0.6 },
          { question, text: '{"name": "Maria", "age": 31, "city": "Rome"}', earns: 0.8 },
          { question, text: "Maria is 31.", earns: 0 },
        ],
      },
    },
  },
};
