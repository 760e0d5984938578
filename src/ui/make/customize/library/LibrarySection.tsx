// The library on Customize: everything of one's own that this browser keeps, from which a thing goes into the form with one
// press, and where it is renamed, duplicated, compared, handed on and deleted.
import { useEffect } from "react";
import type { CustomTaskInput } from "../../../../protocol/custom/customTasks.ts";
import { type OwnThing, ownKind, titleOf } from "../../../../protocol/custom/ownThings.ts";
import { counted } from "../../../../protocol/quantities.ts";
import { dateText } from "../../../engine/saves/saveTexts.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { Problem } from "../../../kit/controls/States.tsx";
import { ChooseFiles } from "../../../kit/form/ChooseFiles.tsx";
import { useDraftView } from "../../form/draftView.ts";
import { useCustomize } from "../customizeStore.ts";
import { takeAndShow } from "./formThings.ts";
import { bringOwn } from "./handOn.ts";
import type { KeptThing } from "./libraryDatabase.ts";
import { keptStateOf, keptTitle, newestOf, openThing, readLibrary, undoDelete } from "./libraryStore.ts";
import { ThingDetail } from "./ThingDetail.tsx";
import "./library.css";

/** The newest version as a thing. */
export const newestThing = (kept: KeptThing): OwnThing => ({ kind: kept.kind, name: kept.name, content: newestOf(kept).content });

/** What it consists of. */
function aboutThing({ kind, content }: OwnThing): string {
  if (kind === "reward") {
    const { source = "", cases = [] } = content as { readonly source?: string; readonly cases?: readonly unknown[] };
    const code = counted(source.trimEnd().split("\n").length, "line");
    return cases.length > 0 ? `${code}, ${counted(cases.length, "case")}` : code;
  }
  const { problems = [], data, environment, system = "" } = content as CustomTaskInput;
  const asked = data ? counted(data.rows, "problem") : problems.length > 0 ? counted(problems.length, "problem") : "problems are drawn";
  return [asked, ...(environment ? ["an environment"] : []), ...(system === "" ? [] : ["a system prompt"])].join(", ");
}

function Said() {
  const { said, problem, deleted } = useCustomize((facts) => facts.library);
  return (
    <div className="line library-said">
      <p role="status" className="aside">
        {said}
      </p>
      {deleted.map((thing) => (
        <p key={`${thing.kind}/${thing.name}`} role="status" className="line">
          <span className="aside">{keptTitle(thing)} is deleted. It can be brought back for an hour.</span>
          <Button label={`Undo: ${keptTitle(thing)}`} onPress={() => void undoDelete(thing)}>
            Undo
          </Button>
        </p>
      ))}
      <Problem text={problem} isOfField />
    </div>
  );
}

interface RowProps {
  readonly kept: KeptThing;
  readonly isOpen: boolean;
}

function ThingRow({ kept, isOpen }: RowProps) {
  const view = useDraftView();
  const thing = newestThing(kept);
  const { n, at } = newestOf(kept);
  const given = view.shown[ownKind(kept.kind).field]?.[kept.name];
  const keptState = given === undefined ? null : keptStateOf([kept], { ...thing, content: { ...thing.content, ...given } });
  const runs = new Set(kept.versions.flatMap(({ usedBy }) => usedBy.map(({ runId }) => runId))).size;
  return (
    <li className="library-row grid items-start" data-open={isOpen || undefined}>
      <div className="grid">
        <button
          type="button"
          className="library-title flex items-center wrap-anywhere semibold"
          aria-expanded={isOpen}
          onClick={() => openThing(isOpen ? null : kept)}
        >
          {titleOf(thing)}
        </button>
        <p className="facts aside">
          <span>{ownKind(kept.kind).title}</span>
          <span>{aboutThing(thing)}</span>
          <span>
            version {n}, {dateText(at)}
          </span>
          {runs > 0 && <span>used by {counted(runs, "run")}</span>}
          {keptState && <span>{keptState.is === "kept" ? "in the form" : "in the form, changed there"}</span>}
        </p>
      </div>
      <Button kind={isOpen ? "primary" : "plain"} label={`Use ${titleOf(thing)}`} onPress={() => takeAndShow(thing)}>
        Use
      </Button>
      {isOpen && <ThingDetail kept={kept} />}
    </li>
  );
}

/** The section of Customize that lists what is kept. */
export function LibrarySection() {
  const things = useCustomize(({ library }) => library.things);
  const open = useCustomize(({ library }) => library.open);
  useEffect(() => void readLibrary(), []);
  const bring = (files: readonly File[]) =>
    void bringOwn(files.map((file) => ({ path: file.name, read: async () => new Uint8Array(await file.arrayBuffer()) })));
  const sorted = [...(things ?? [])].sort((a, b) => newestOf(b).at - newestOf(a).at);
  return (
    <div className="stack library">
      <div className="line">
        <ChooseFiles what="Files of code" endings=".ts,.js,.mjs,.mts" isMultiple onChoose={bring}>
          Bring a file …
        </ChooseFiles>
        <span className="aside">A reward or a task as this page saves it, or code of your own; or drop it anywhere.</span>
      </div>
      <Said />
      {things?.length === 0 && (
        <p className="aside">
          Nothing is saved here yet. Press “Keep it” beside a reward, prompts or an environment to put it here, with each version that you
          keep. It stays in this browser until you share it.
        </p>
      )}
      <ul aria-busy={things === null}>
        {sorted.map((kept) => (
          <ThingRow key={`${kept.kind}/${kept.name}`} kept={kept} isOpen={open === `${kept.kind}/${kept.name}`} />
        ))}
      </ul>
    </div>
  );
}
