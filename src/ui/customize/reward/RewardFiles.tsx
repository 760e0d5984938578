// A reward as a file: its code, as the command line takes it (`reward: FILE:reward`), and back. Code that comes from a
// file waits for its reader like any other that was not typed here.
import { FileTrigger } from "react-aria-components";
import type { Catalog, TaskEntry } from "../../../protocol/catalog.ts";
import { Button } from "../../controls/Button.tsx";
import { saveFile } from "../../files.ts";
import { addReward, type GivenReward, useOpenReward } from "./ownRewards.ts";

/** Longest code that a configuration carries, in characters. */
const LONGEST = 20_000;

interface OpenFileProps {
  readonly catalog: Catalog;
  readonly task: TaskEntry;
}

async function opened({ catalog, task }: OpenFileProps, file: File | undefined): Promise<void> {
  if (!file) return;
  const source = await file.text();
  if (source.trim() === "" || source.length > LONGEST) {
    useOpenReward.setState({ refusal: `${file.name} must hold 1 to ${LONGEST} characters of code, got ${source.length}` });
    return;
  }
  const title = file.name.replace(/\.[^.]*$/, "").slice(0, 60) || "Mine";
  useOpenReward.setState({ refusal: null });
  addReward(catalog, task, { title, source }, title);
}

export function OpenRewardFile(props: OpenFileProps) {
  return (
    <FileTrigger acceptedFileTypes={[".ts", ".js", ".mjs", ".mts"]} onSelect={(files) => void opened(props, files?.[0])}>
      <Button kind="quiet" hint="A file of the command line: a module that exports a function">
        Open a file
      </Button>
    </FileTrigger>
  );
}

interface RewardToolsProps extends OpenFileProps {
  readonly name: string;
  readonly reward: GivenReward;
}

/** What can be done with the reward as a whole. */
export function RewardTools({ catalog, task, name, reward }: RewardToolsProps) {
  const { title = name } = reward;
  return (
    <div className="line reward-tools">
      <Button kind="quiet" onPress={() => addReward(catalog, task, { ...reward, title: `${title} copy`.slice(0, 60) })}>
        Duplicate
      </Button>
      <Button kind="quiet" onPress={() => saveFile(`${name}.ts`, new Blob([reward.source], { type: "text/plain" }))}>
        Save as a file
      </Button>
    </div>
  );
}
