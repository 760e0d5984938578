// The Customize screen: what somebody brings to a run, section by section. It edits the form's draft and starts it with
// the buttons above, like the Train screen.
import { useHash } from "../../engine/address/hash.ts";
import { hashOf, parseRoute, placeIn, placeQuery } from "../../engine/route.ts";
import { useCatalog, useEngine } from "../../engine/store/useRunView.ts";
import { NotThereLine } from "../../kit/controls/NotThere.tsx";
import { FaultBoundary } from "../../kit/faults/FaultBoundary.tsx";
import { type LazyPart, lazyPart } from "../../kit/lazyPart.tsx";
import { DraftStatus } from "../form/DraftStatus.tsx";
import { DraftForm, useDraftView } from "../form/draftView.ts";
import "../form/form.css";
import { OwnPath, PathEnd, PathNext } from "./path/OwnPath.tsx";
import "./customize.css";

const PATH: ReadonlySet<string> = new Set(["data", "model", "reward"]);

/** Comes with the templates themselves, once a task of one's own is open. */
const TemplateNote = lazyPart(() => import("./templates/TemplateNote.tsx"), "TemplateNote");

interface CustomizeSection {
  /** In the address. */
  readonly id: string;
  readonly title: string;
  /** What is brought there, in a sentence. */
  readonly summary: string;
  readonly Part: LazyPart<object>;
}

/** One entry for each thing that somebody can bring; its code loads when it is opened. */
const customizeSections: readonly CustomizeSection[] = [
  {
    id: "templates",
    title: "Templates",
    summary: "Whole tasks that work, to start from: open one, read its code, press Train, and then change what you like.",
    Part: lazyPart(() => import("./templates/TemplatesSection.tsx"), "TemplatesSection"),
  },
  {
    id: "data",
    title: "Prompts and data",
    summary: "What the model is asked: type prompts, bring a file or a data set, with answers or without.",
    Part: lazyPart(() => import("./data/DataSection.tsx"), "DataSection"),
  },
  {
    id: "model",
    title: "Model",
    summary: "The model answers the prompts. The choice decides what it can learn to say.",
    Part: lazyPart(() => import("./model/ModelSection.tsx"), "ModelSection"),
  },
  {
    id: "reward",
    title: "Reward",
    summary: "What an answer earns decides what the model learns. Change the weights of the rules, add rules, or write your own.",
    Part: lazyPart(() => import("./reward/RewardSection.tsx"), "RewardSection"),
  },
  {
    id: "judge",
    title: "Judge",
    summary: "Where no rule can judge an answer, a second model can. Its answer on a scale is a part of the reward.",
    Part: lazyPart(() => import("./judge/JudgeSection.tsx"), "JudgeSection"),
  },
  {
    id: "environment",
    title: "Environment and tools",
    summary: "Your own code answers the model over several turns, with tools that it may call. Play it yourself first.",
    Part: lazyPart(() => import("./environment/EnvironmentSection.tsx"), "EnvironmentSection"),
  },
  {
    id: "library",
    title: "Library",
    summary: "What you made and saved in this browser, with every version. “Use” puts it into the form.",
    Part: lazyPart(() => import("./library/LibrarySection.tsx"), "LibrarySection"),
  },
];

/** The section that an address names, or the templates, which somebody starts from. */
function sectionOf(query: URLSearchParams): CustomizeSection {
  const named = placeIn("customize", query).section;
  return customizeSections.find(({ id }) => id === named) ?? customizeSections[0]!;
}

/** Without settings, so that the form stays as it is: an address says only what can be used, and a form on its way is not yet. */
function hashOfSection(section: string): string {
  return hashOf("customize", placeQuery("customize", { section }));
}

const SECTIONS = customizeSections.map(({ id, title }) => ({ id, title, href: hashOfSection(id) }));

function Customized() {
  const catalog = useCatalog();
  const view = useDraftView();
  const { query } = parseRoute(useHash());
  const { id, title, summary, Part } = sectionOf(query);
  const { task } = view;
  const preset = catalog.presets.find((each) => each.id === view.presetId);
  return (
    <div className="customize grid grid-cols-1 content-start gap-2">
      <header className="customize-head grid gap-1">
        <h1>Customize</h1>
        <p className="soft">
          {task?.isCustom ? `“${task.title}” is yours.` : `Put your own in the place of what “${preset?.title ?? task?.title}” has.`} What
          you set here is in the form on Train too, and the run starts above.
        </p>
      </header>
      {task && <OwnPath hashOf={hashOfSection} section={id} />}
      <nav className="customize-sections flex flex-wrap" aria-label="Parts of Customize">
        {customizeSections
          .filter((section) => !PATH.has(section.id))
          .map((section) => (
            <a key={section.id} href={hashOfSection(section.id)} aria-current={section.id === id ? "page" : undefined}>
              {section.title}
            </a>
          ))}
      </nav>
      <section aria-labelledby="customize-section" className="grid grid-cols-1 gap-1">
        <NotThereLine kind="part" name={placeIn("customize", query).section} known={SECTIONS} />
        <h2 id="customize-section">{title}</h2>
        <p className="soft">{summary}</p>
        <FaultBoundary key={id} part={title} wait="Opening …">
          {task?.isCustom && id !== "templates" && <TemplateNote />}
          {task ? <Part /> : <p>Choose a task on Train first.</p>}
          {task && <PathNext hashOf={hashOfSection} section={id} />}
          {/* Below what is edited: whoever leaves a field by a press on something above must not have that move away under it. */}
          <DraftStatus />
          {task && <PathEnd />}
        </FaultBoundary>
      </section>
    </div>
  );
}

export function CustomizeScreen() {
  const isKnown = useEngine((facts) => facts.catalog !== null);
  if (!isKnown)
    return (
      <p className="screen-wait" role="status">
        The engine is loading …
      </p>
    );
  return (
    <DraftForm>
      <Customized />
    </DraftForm>
  );
}
