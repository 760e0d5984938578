// A button that offers what can be added to a list.
import { Plus } from "lucide-react";
import { Button, Menu, MenuItem, MenuTrigger, Popover, Text } from "react-aria-components";
import type { ChoiceOption } from "../controls/Choice.tsx";

interface AdderProps {
  readonly children: string;
  readonly options: readonly ChoiceOption[];
  readonly onAdd: (id: string) => void;
}

export function Adder({ children, options, onAdd }: AdderProps) {
  return (
    <MenuTrigger>
      <Button className="button button-quiet adder small" {...(options.length === 0 ? { isDisabled: true } : {})}>
        <Plus size={14} aria-hidden="true" /> {children}
      </Button>
      <Popover className="popover select-popover" placement="bottom start" offset={4}>
        <Menu className="list" aria-label={children} onAction={(key) => onAdd(String(key))}>
          {options.map(({ id, title, summary }) => (
            <MenuItem key={id} id={id} className="list-item grid rounded" textValue={title}>
              <Text slot="label">{title}</Text>
              {summary && (
                <Text slot="description" className="list-summary aside">
                  {summary}
                </Text>
              )}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
