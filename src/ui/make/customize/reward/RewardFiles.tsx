// A reward as a file: its code and what goes with it, as the command line takes it (`reward: FILE:reward`), and back. Code
// that comes from a file waits for its reader like any other that was not typed here.

import { errorText } from "../../../../protocol/problems.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { ChooseFiles } from "../../../kit/form/ChooseFiles.tsx";
import { refuseReward } from "../customizeStore.ts";
import { openOwnFile, saveThing } from "../library/handOn.ts";
import { addOwn, type GivenReward, isWhole, wholeReward } from "./ownRewards.ts";

async function open(file: File): Promise<void> {
  refuseReward(null);
  try {
    const { kind, name, content } = await openOwnFile(file.name, await file.text());
    if (kind === "reward") addOwn("customRewards", content as unknown as GivenReward, name);
    else refuseReward(`${file.name} holds a task: bring it under Library, or drop it on the page`);
  } catch (error) {
    refuseReward(errorText(error));
  }
}

export function OpenRewardFile() {
  return (
    <ChooseFiles
      what="A file of code"
      endings=".ts,.js,.mjs,.mts"
      kind="quiet"
      hint="A file of the command line: a module that exports a function"
      onChoose={([file]) => file && void open(file)}
    >
      Open a file
    </ChooseFiles>
  );
}

interface RewardToolsProps {
  readonly name: string;
  readonly reward: GivenReward;
}

/** What can be done with the reward as a whole. */
export function RewardTools({ name, reward }: RewardToolsProps) {
  const { title = name } = reward;
  return (
    <div className="line">
      <Button kind="quiet" onPress={() => addOwn("customRewards", { ...reward, title: `${title} copy`.slice(0, 60) })}>
        Duplicate
      </Button>
      <Button
        kind="quiet"
        isDisabled={!isWhole(reward)}
        onPress={() => void saveThing({ kind: "reward", name, content: wholeReward(reward) })}
      >
        Save as a file
      </Button>
    </div>
  );
}
