// How a thing in the form stands to the library: not kept, as kept, or different, with what can be done about it in a press.
import { useEffect, useState } from "react";
import { type OwnThing, titleOf } from "../../../../protocol/custom/ownThings.ts";
import { changeDraft } from "../../../engine/draftActions.ts";
import { dateText } from "../../../engine/saves/saveTexts.ts";
import { resolveDraft } from "../../../engine/store/draft/draftConfig.ts";
import { FIRST_TITLE, withOwnTask, withTaskNamed } from "../../../engine/store/draft/taskDraft.ts";
import { catalogNow } from "../../../engine/store/useRunView.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { Problem } from "../../../kit/controls/States.tsx";
import { TextInput } from "../../../kit/controls/TextInput.tsx";
import { useCustomize } from "../customizeStore.ts";
import { freeName } from "../reward/ownRewards.ts";
import { Difference, thingDifference } from "./Difference.tsx";
import { takeThing } from "./formThings.ts";
import { type KeptState, keepThing, keptStateOf, newestOf, readLibrary } from "./libraryStore.ts";
import "./library.css";

const versionText = ({ version: { n, at } }: Extract<KeptState, { readonly version: unknown }>) => `version ${n}, ${dateText(at)}`;

function keptStateText(keptState: KeptState): string {
  if (keptState.is === "unknown") return "";
  if (keptState.is === "not kept") return "Not in your library yet.";
  if (keptState.is === "kept") return `In your library as it is here: ${versionText(keptState)}.`;
  if (keptState.is === "different") return `Differs from what your library has: ${versionText(keptState)}.`;
  return `This is an earlier one: ${versionText(keptState)}. The newest is version ${newestOf(keptState.thing).n}.`;
}

interface KeptMarkProps {
  readonly thing: OwnThing;
}

/** A first task of one's own has no name yet: it gets one before it is kept. */
function NameFirst({ thing }: KeptMarkProps) {
  const things = useCustomize(({ library }) => library.things);
  const keep = (title: string) => {
    const taken = (things ?? []).filter(({ kind }) => kind === thing.kind).map(({ name }) => name);
    const named = { ...thing, name: freeName(title, taken), content: { ...thing.content, title: title.slice(0, 60) } };
    void keepThing(named).then((isKept) => {
      if (isKept)
        changeDraft((draft) => {
          const catalog = catalogNow();
          const titled = withOwnTask(catalog, draft, (own) => ({ ...own, title: title.slice(0, 60) }));
          return withTaskNamed(titled, named.name, resolveDraft(catalog, titled).shown);
        });
    });
  };
  return <TextInput label="Name to keep it under" value="" onChange={(typed) => typed.trim() !== "" && keep(typed.trim())} />;
}

export function KeptMark({ thing }: KeptMarkProps) {
  const things = useCustomize(({ library }) => library.things);
  const problem = useCustomize(({ library }) => library.problem);
  const [isNaming, setNaming] = useState(false);
  const [isCompared, setCompared] = useState(false);
  useEffect(() => void readLibrary(), []);
  const keptState = keptStateOf(things, thing);
  const isNameless = thing.kind === "task" && titleOf(thing) === FIRST_TITLE;
  const keep = () => (isNameless ? setNaming(true) : void keepThing(thing));
  const kept = "version" in keptState ? keptState : null;
  const keptThing: OwnThing | null = kept && { ...thing, content: (kept.is === "older" ? newestOf(kept.thing) : kept.version).content };
  return (
    <div className="kept-mark stack">
      <div className="line kept-line">
        <p className="aside" role="status">
          {keptStateText(keptState)}
        </p>
        {keptState.is === "not kept" && <Button onPress={keep}>Keep it</Button>}
        {keptState.is === "different" && <Button onPress={keep}>Keep as version {newestOf(keptState.thing).n + 1}</Button>}
        {keptThing && kept?.is !== "kept" && (
          <>
            <Button kind="quiet" onPress={() => setCompared(!isCompared)}>
              {isCompared ? "Hide what differs" : "Show what differs"}
            </Button>
            <Button kind="quiet" onPress={() => takeThing(keptThing)}>
              Take the kept one
            </Button>
          </>
        )}
      </div>
      {isNaming && isNameless && <NameFirst thing={thing} />}
      <Problem text={problem} isOfField />
      {isCompared && keptThing && kept?.is !== "kept" && (
        <Difference label={`What differs in ${titleOf(thing)}`} lines={thingDifference(keptThing, thing)} />
      )}
    </div>
  );
}
