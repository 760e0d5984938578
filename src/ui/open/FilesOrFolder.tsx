// Two buttons that choose files of rollouts, or a folder of them.
import { FileUp, FolderOpen } from "lucide-react";
import { ChooseFiles } from "../kit/controls/ChooseFiles.tsx";
import type { GivenFile } from "./openFiles.ts";

interface FilesOrFolderProps {
  /** What the inputs are called. */
  readonly names: { readonly files: string; readonly folder: string };
  readonly onFiles: (files: readonly GivenFile[]) => void;
  /** Whether it is the one thing to do next. */
  readonly isFirst?: boolean;
}

export function FilesOrFolder({ names, onFiles, isFirst = false }: FilesOrFolderProps) {
  const choose = (files: readonly File[]) => onFiles(files.map((file) => ({ path: file.webkitRelativePath || file.name, file })));
  return (
    <div className="actions">
      <ChooseFiles what={names.files} kind={isFirst ? "primary" : "plain"} isMultiple onChoose={choose}>
        <FileUp size={16} aria-hidden="true" />
        Choose files
      </ChooseFiles>
      <ChooseFiles what={names.folder} isFolder onChoose={choose}>
        <FolderOpen size={16} aria-hidden="true" />
        Choose a folder
      </ChooseFiles>
    </div>
  );
}
