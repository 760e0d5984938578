// A menu behind one quiet button with three dots, whose items say what they will do.
import { Ellipsis } from "lucide-react";
import { Button, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";

export interface QuietItem<Id extends string> {
  readonly id: Id;
  readonly text: string;
  readonly disabled?: boolean;
}

interface QuietMenuProps<Id extends string> {
  readonly label: string;
  readonly items: readonly QuietItem<Id>[];
  readonly onAction: (id: Id) => void;
  /** Classes of the button. */
  readonly className?: string;
}

export function QuietMenu<Id extends string>({
  label,
  items,
  onAction,
  className = "button button-quiet button-icon",
}: QuietMenuProps<Id>) {
  return (
    <MenuTrigger>
      <Button className={className} aria-label={label}>
        <Ellipsis size={18} aria-hidden />
      </Button>
      <Popover className="popover" placement="bottom end">
        <Menu
          className="list"
          aria-label={label}
          disabledKeys={items.flatMap(({ id, disabled }) => (disabled ? [id] : []))}
          onAction={(key) => onAction(key as Id)}
        >
          {items.map(({ id, text }) => (
            <MenuItem key={id} id={id} className="list-item grid rounded">
              {text}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
