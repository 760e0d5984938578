// Two buttons that choose files or a folder of this machine.
import { FileUp, FolderOpen } from "lucide-react";
import { useRef } from "react";
import { Button } from "../kit/controls/Button.tsx";
import type { GivenFile } from "./openFiles.ts";

interface ChooseFilesProps {
  /** What the inputs are called. */
  readonly names: { readonly files: string; readonly folder: string };
  readonly onFiles: (files: readonly GivenFile[]) => void;
  /** Whether it is the one thing to do next. */
  readonly isFirst?: boolean;
}

export function ChooseFiles({ names, onFiles, isFirst = false }: ChooseFilesProps) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const chosen = (input: HTMLInputElement) => {
    const list: GivenFile[] = Array.from(input.files ?? [], (file) => ({ path: file.webkitRelativePath || file.name, file }));
    // The same file can be chosen again.
    input.value = "";
    if (list.length > 0) onFiles(list);
  };
  return (
    <>
      <div className="actions">
        <Button kind={isFirst ? "primary" : "plain"} onPress={() => files.current?.click()}>
          <FileUp size={16} aria-hidden="true" />
          Choose files
        </Button>
        <Button onPress={() => folder.current?.click()}>
          <FolderOpen size={16} aria-hidden="true" />
          Choose a folder
        </Button>
      </div>
      <input
        {...{ ref: files, type: "file", hidden: true, multiple: true, "aria-label": names.files }}
        onChange={(event) => chosen(event.currentTarget)}
      />
      <input
        {...{ webkitdirectory: "" }}
        {...{ ref: folder, type: "file", hidden: true, "aria-label": names.folder }}
        onChange={(event) => chosen(event.currentTarget)}
      />
    </>
  );
}
