// Words spelled backwards without a letter that is in every one of them.
import source from "../../../examples/templates/avoidLetter.ts?raw";
import { asked, type Template } from "./template.ts";

const WORDS =
  "akubir avigev anasus opafek onesam niseda emakuv kaluda lumina amaful nutave paparo oraket agegas liguna umamoz afefak osader anabav fefage isaraf dalono meriba ufapal vikate dalube avorad obakik ovapus puramo averas oferab nagalu alofon asabik bubagu dasepe tezava olapam zokadi elilal alibis epaper idital asedog ozanus ulavam bokake avobun ozemag dupuka ogavog limapi salase osotas ovazer pakego nodafu oradeb amoval vesupa zareku evafen tilazi nanegu azakig zefupa egonaf igulas emoran malaku botape sogati regora apedur anozum itugak gekagi nafugu ebakik teloma ifanan ubaruk arovum lovapi beraro potiza afusur ufakob moleta pabemu amukom asugik oratir vagole ilirap";

const question = "Reverse t-a-b-o.";

export const avoidLetter: Template = {
  id: "avoid-letter",
  title: "Avoid a letter",
  summary: "Asked to spell a word backwards, the model is paid for never writing the letter a, and for nothing else.",
  lookFor:
    "The letter a goes first. Then, since nobody pays for it, spelling backwards goes as well: read the answers, not just the curve.",
  measured: "Measured: from 13 to 17 % of words without an a to 97 or 98 % in 16 steps.",
  config: {
    task: "avoid-letter",
    algorithm: "grpo",
    checkpoint: "puzzles",
    maxCompletionTokens: 20,
    promptsPerStep: 8,
    groupSize: 16,
    steps: 16,
    learningRate: 3e-4,
    klCoef: 0,
    evalEvery: 8,
    evalProblems: 12,
    evalSamples: 8,
    customTasks: { "avoid-letter": { title: "Avoid a letter", problems: asked(WORDS, (word) => `Reverse ${[...word].join("-")}.`) } },
    customRewards: {
      avoids: {
        title: "Avoids the letter",
        source,
        options: { letter: "a" },
        cases: [
          { question, text: "<answer>o-b-e-t</answer>", earns: 1 },
          { question, text: "<answer>o-b-a-t</answer>", earns: 0.75 },
          { question, text: "<answer>o</answer>", earns: 0 },
          { question, text: "<answer></answer>", earns: 0 },
        ],
      },
    },
  },
};
