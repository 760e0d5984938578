// Buttons that let somebody choose files of this machine, or a folder of them.
import { FileUp, FolderOpen } from "lucide-react";
import { useRef } from "react";
import { Button, type ButtonProps } from "../controls/Button.tsx";

interface ChooseFilesProps extends Omit<ButtonProps, "onPress"> {
  /** What is chosen, for whoever fills in the page without a mouse or by a program. */
  readonly what: string;
  /** Endings that are offered; all where left out. */
  readonly endings?: string;
  readonly isFolder?: boolean;
  readonly isMultiple?: boolean;
  /** Given at least one. */
  readonly onChoose: (files: readonly File[]) => void;
}

export function ChooseFiles({ what, endings, isFolder = false, isMultiple = false, onChoose, ...button }: ChooseFilesProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...button} onPress={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        hidden
        aria-label={what}
        accept={endings}
        multiple={isMultiple}
        {...(isFolder ? { webkitdirectory: "" } : {})}
        onChange={({ currentTarget }) => {
          const files = Array.from(currentTarget.files ?? []);
          // The same file can be chosen again.
          currentTarget.value = "";
          if (files.length > 0) onChoose(files);
        }}
      />
    </>
  );
}

interface FilesOrFolderProps {
  /** What the inputs are called. */
  readonly names: { readonly files: string; readonly folder: string };
  /** Each by its path within what was chosen. */
  readonly onFiles: (files: readonly { readonly path: string; readonly file: File }[]) => void;
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
