// One kept thing, open: its name, what can be done with it, and its versions with what used them; two of them compared.
import { useState } from "react";
import { type OwnThing, titleOf } from "../../../../protocol/custom/ownThings.ts";
import { errorText } from "../../../../protocol/problems.ts";
import { hashOf } from "../../../engine/route.ts";
import { dateText } from "../../../engine/saves/saveTexts.ts";
import { useEngine } from "../../../engine/store/useRunView.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { Choice } from "../../../kit/controls/Choice.tsx";
import { TextInput } from "../../../kit/controls/TextInput.tsx";
import { changeLibraryFacts } from "../customizeStore.ts";
import { Difference, thingDifference } from "./Difference.tsx";
import { takeAndShow } from "./formThings.ts";
import { saveThing, thingLink } from "./handOn.ts";
import type { KeptThing, KeptVersion } from "./libraryDatabase.ts";
import { deleteThing, freeLibraryName, keepThing, newestOf } from "./libraryStore.ts";

interface DetailProps {
  readonly kept: KeptThing;
}

const thingOf = ({ kind, name }: KeptThing, { content }: KeptVersion): OwnThing => ({ kind, name, content });

/** Does what may fail; why stands above the list. */
async function told(work: () => Promise<string | null>): Promise<void> {
  try {
    changeLibraryFacts({ said: await work(), problem: null });
  } catch (error) {
    changeLibraryFacts({ said: null, problem: errorText(error) });
  }
}

function Actions({ kept }: DetailProps) {
  const thing = thingOf(kept, newestOf(kept));
  const title = titleOf(thing);
  const copy = () => {
    const other = { ...thing.content, title: `${title} copy`.slice(0, 60) };
    void keepThing({ ...thing, name: freeLibraryName(kept.kind, kept.name), content: other }, "Duplicated");
  };
  const save = () => void told(async () => saveThing(thing).then(() => null));
  const link = () =>
    void told(async () => {
      await navigator.clipboard.writeText(thingLink(thing));
      return "Link copied. People who open it read the code before it runs.";
    });
  const hasBoth = kept.kind === "task" && "environment" in thing.content;
  const { problems = [], data } = thing.content as { readonly problems?: readonly unknown[]; readonly data?: unknown };
  const hasPrompts = problems.length > 0 || data !== undefined;
  return (
    <div className="actions">
      {hasBoth && (
        <>
          <Button onPress={() => takeAndShow(thing, "environment")}>Use its environment alone</Button>
          {hasPrompts && <Button onPress={() => takeAndShow(thing, "prompts")}>Use its prompts alone</Button>}
        </>
      )}
      <Button onPress={copy}>Duplicate</Button>
      <Button onPress={save}>Save as a file</Button>
      <Button onPress={link}>Copy a link</Button>
      <Button onPress={() => void deleteThing(kept)}>Delete</Button>
    </div>
  );
}

/** The names of runs that used a version, as links to them. */
function Uses({ usedBy }: Pick<KeptVersion, "usedBy">) {
  const saves = useEngine((facts) => facts.saves);
  if (usedBy.length === 0) return null;
  return (
    <span>
      used by{" "}
      {usedBy.map(({ runId, at }, i) => {
        const save = saves?.find((each) => each.runId === runId);
        return (
          <span key={runId}>
            {i > 0 && ", "}
            {save ? <a href={hashOf("runs", { run: runId })}>{save.name}</a> : `a run of ${dateText(at)}`}
          </span>
        );
      })}
    </span>
  );
}

function Versions({ kept }: DetailProps) {
  const { versions } = kept;
  const newest = newestOf(kept);
  const back = ({ n, content }: KeptVersion) => void keepThing({ ...kept, content }, `As version ${n} was`);
  return (
    <ol className="library-versions" reversed>
      {versions.toReversed().map((version) => (
        <li key={version.n}>
          <p className="facts">
            <span>Version {version.n}</span>
            <span className="aside">{dateText(version.at)}</span>
            <Uses usedBy={version.usedBy} />
          </p>
          <div className="line">
            <Button kind="quiet" label={`Use version ${version.n}`} onPress={() => takeAndShow(thingOf(kept, version))}>
              Use
            </Button>
            {version !== newest && (
              <Button kind="quiet" label={`Go back to this: version ${version.n}`} onPress={() => back(version)}>
                Go back to this
              </Button>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}

function Compared({ kept }: Pick<DetailProps, "kept">) {
  const { versions } = kept;
  const [from, setFrom] = useState(String(versions.at(-2)?.n ?? 1));
  const [to, setTo] = useState(String(newestOf(kept).n));
  const options = versions.map(({ n, at }) => ({ id: String(n), title: `Version ${n}, ${dateText(at)}` }));
  const at = (n: string) => versions.find((each) => String(each.n) === n) ?? newestOf(kept);
  return (
    <section className="stack" aria-label="Compare two versions">
      <div className="library-compared grid">
        <Choice label="Compare" value={from} options={options} onChange={setFrom} />
        <Choice label="With" value={to} options={options} onChange={setTo} />
      </div>
      <Difference label={`From version ${from} to ${to}`} lines={thingDifference(thingOf(kept, at(from)), thingOf(kept, at(to)))} />
    </section>
  );
}

export function ThingDetail({ kept }: DetailProps) {
  const thing = thingOf(kept, newestOf(kept));
  const rename = (typed: string) => {
    const title = typed.trim().slice(0, 60);
    if (title !== "") void keepThing({ ...thing, content: { ...thing.content, title } }, "Renamed");
  };
  return (
    <div className="stack library-detail col-span-full">
      <TextInput label="Name" value={titleOf(thing)} onChange={rename} />
      <Actions kept={kept} />
      <h3>Versions</h3>
      <Versions kept={kept} />
      {kept.versions.length > 1 && <Compared kept={kept} />}
    </div>
  );
}
