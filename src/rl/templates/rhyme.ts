// Rhymes on made-up names. The shipped weights know one thing to do with a name, which is to repeat it.
import source from "../../../examples/templates/rhyme.ts?raw";
import { asked, type Template } from "./template.ts";

const NAMES =
  "Lumom Lores Doron Serat Lined Cumar Ritom Seran Zoras Bares Fanom Jomes Pilin Lanas Limol Pasim Jilor Hanas Ratit Cinit Canan Fesar Litit Kases Vimir Cinir Bolat Dilat Barom Voner Sumes Tedol Sitat Koles Bimin Beser Katar Desom Hanir Zinit Casas Filan Risis Romed Roned Ziter Sedin Files Dumes Siton Rasol Batat Borim Fitim Konin Peras Dilon Fesan Cimol Lilar Berin Jored Cised Liror Redar Bonis Tinar Bason Dasas Lumis Tared Viris Conas Zolan Zonan Ritit Ranas Casat Holir Komom Lumas Poran Hason Bilat Lonim Bisin Desor Dirom Lilir Kimes Soles Fitil Rires Dedon Jaras Herat";

const question = "Repeat Baned.";

export const rhyme: Template = {
  id: "rhyme",
  title: "Rhyme",
  summary: "Asked to repeat a made-up name, the model is paid for one that rhymes with it.",
  lookFor:
    "At first it says the name again, or twice. Then one letter changes, the first, and by the end it rhymes with nearly every name.",
  measured: "Measured: from 0 or 1 % of names that it never trained on to 91 to 100 % in 24 steps.",
  config: {
    task: "rhyme",
    algorithm: "grpo",
    checkpoint: "reading",
    maxCompletionTokens: 12,
    promptsPerStep: 8,
    groupSize: 16,
    steps: 24,
    learningRate: 1e-3,
    klCoef: 0,
    evalEvery: 12,
    evalProblems: 12,
    evalSamples: 8,
    customTasks: { rhyme: { title: "Rhyme", problems: asked(NAMES, (name) => `Repeat ${name}.`) } },
    customRewards: {
      rhymes: {
        title: "Rhymes",
        source,
        cases: [
          { question, text: "<answer>Daned</answer>", earns: 1 },
          { question, text: "<answer>Baned</answer>", earns: 0.2 },
          { question, text: "<answer>Banes</answer>", earns: 0 },
          { question, text: "<answer>Daned, Raned</answer>", earns: 0 },
        ],
      },
    },
  },
};
