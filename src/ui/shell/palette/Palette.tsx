// The command palette: type a few letters of what is wanted, and Enter does it. Loads when it is first opened.
import { ArrowLeft, Search } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { Autocomplete, Button, Dialog, Input, Menu, MenuItem, Modal, ModalOverlay, SearchField } from "react-aria-components";
import type { Catalog } from "../../../protocol/catalog.ts";
import { parseRoute } from "../../engine/route.ts";
import { resolveDraft } from "../../engine/store/draft/draftConfig.ts";
import { useDraft } from "../../engine/store/draft/draftStore.ts";
import { useEngine } from "../../engine/store/useRunView.ts";
import type { TermId } from "../../kit/words/glossary.ts";
import { WordCard } from "../../kit/words/WordCard.tsx";
import { actionCommands } from "./actionCommands.ts";
import { catalogCommands, foundCommands, type PaletteCommand } from "./commands.ts";
import { chartCommands, learnCommands } from "./contentCommands.ts";
import "./palette.css";

/** As many as can be looked through; more letters find the others. */
const MOST = 40;

function commandsNow(catalog: Catalog | null): readonly PaletteCommand[] {
  const actions = actionCommands(parseRoute(window.location.hash).screen);
  const offered = catalog ? catalogCommands(catalog, resolveDraft(catalog, useDraft.getState().draft)) : [];
  return [...actions, ...chartCommands(), ...offered, ...learnCommands()];
}

/** Inside the dialog, so that it unmounts with it: while the dialog is there, it does not let the focus out. */
function Commands({ onClose }: { readonly onClose: () => void }) {
  const catalog = useEngine((facts) => facts.catalog);
  const commands = useMemo(() => commandsNow(catalog), [catalog]);
  const [query, setQuery] = useState("");
  const shown = foundCommands(commands, query, MOST);
  const chosen = useRef<PaletteCommand | null>(null);
  useEffect(() => () => chosen.current?.run(), []);
  const [word, setWord] = useState<TermId | null>(null);
  const choose = (id: string) => {
    const command = commands.find((each) => each.id === id) ?? null;
    if (command?.word) return setWord(command.word);
    chosen.current = command;
    onClose();
  };
  if (word)
    return (
      <>
        <Button className="button button-quiet palette-back" onPress={() => setWord(null)} autoFocus>
          <ArrowLeft size={16} aria-hidden="true" /> All commands
        </Button>
        <WordCard id={word} onLeave={onClose} />
      </>
    );
  return (
    <Autocomplete inputValue={query} onInputChange={setQuery}>
      <SearchField className="palette-search flex items-center gap-1 on-surface" aria-label="Search commands" autoFocus>
        <Search size={16} aria-hidden="true" />
        <Input className="palette-input min-w-0 ink" placeholder="Search actions, settings, lessons, words" />
      </SearchField>
      <Menu
        className="list palette-list"
        aria-label="Commands"
        items={shown}
        onAction={(id) => choose(String(id))}
        renderEmptyState={() => <p className="aside padded">Nothing here is called “{query}”.</p>}
      >
        {({ id, title, group, text, keys }) => (
          <MenuItem id={id} textValue={title} className="list-item palette-item grid items-baseline rounded">
            <span>{title}</span> <span className="fine-print">{keys ? <kbd>{keys}</kbd> : group}</span>{" "}
            {text && <span className="list-summary aside ellipsis col-span-full">{text}</span>}
          </MenuItem>
        )}
      </Menu>
    </Autocomplete>
  );
}

export function Palette({ onClose }: { readonly onClose: () => void }) {
  return (
    <ModalOverlay className="veil palette-veil grid" isOpen onOpenChange={(open) => !open && onClose()} isDismissable>
      <Modal className="modal palette on-surface">
        <Dialog className="palette-dialog" aria-label="Commands">
          {/* One Escape closes, whatever was typed: the field would clear itself first, and the list keep the next one. */}
          <div role="presentation" onKeyDownCapture={(event) => event.key === "Escape" && onClose()}>
            <Commands onClose={onClose} />
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
