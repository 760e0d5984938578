// One of several: a select with the name above or beside it.
import { ChevronDown } from "lucide-react";
import { memo, type ReactNode } from "react";
import {
  Button,
  FieldError,
  Header,
  Label,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  Popover,
  Select,
  SelectValue,
  Text,
} from "react-aria-components";

export interface ChoiceOption {
  readonly id: string;
  readonly title: string;
  readonly summary?: string;
  /** A sign that stands behind the title in the list. */
  readonly symbol?: string;
  /** Heading it stands under; options without one come first. */
  readonly group?: string;
}

/** Options from a table of names, in its order. */
export function optionsOf(names: Readonly<Record<string, string>>): readonly ChoiceOption[] {
  return Object.entries(names).map(([id, title]) => ({ id, title }));
}

function Option({ id, title, summary, symbol }: ChoiceOption) {
  return (
    <ListBoxItem id={id} textValue={title} className="list-item grid rounded">
      <Text slot="label">
        {title} {symbol && <i className="faint">{symbol}</i>}
      </Text>
      {summary && (
        <Text slot="description" className="list-summary aside">
          {summary}
        </Text>
      )}
    </ListBoxItem>
  );
}

interface ChoiceProps {
  readonly label: ReactNode;
  readonly value: string;
  readonly options: readonly ChoiceOption[];
  readonly problem?: string | undefined;
  readonly onChange: (id: string) => void;
  readonly className?: string;
}

/** Memoised: a closed list of many options is dear to draw. */
export const Choice = memo(function Choice({ label, value, options, problem, onChange, className = "" }: ChoiceProps) {
  const groups = [...new Set(options.flatMap(({ group }) => group ?? []))];
  return (
    <Select
      className={`field field-choice ${className}`}
      value={value}
      onChange={(key) => key !== null && onChange(String(key))}
      isInvalid={problem !== undefined}
    >
      <Label className="field-label">{label}</Label>
      <Button className="field-box select-button flex items-center w-full min-w-0 ink rounded">
        <SelectValue className="select-value">
          {({ selectedText }) => selectedText || options.find(({ id }) => id === value)?.title || value}
        </SelectValue>
        <ChevronDown size={14} aria-hidden="true" />
      </Button>
      {problem && <FieldError className="field-error">{problem}</FieldError>}
      <Popover className="popover select-popover" offset={4}>
        <ListBox className="list">
          {options.map((option) => !option.group && <Option key={option.id} {...option} />)}
          {groups.map((group) => (
            <ListBoxSection key={group} id={group}>
              <Header className="list-heading small semibold rule-above">{group}</Header>
              {options.map((option) => option.group === group && <Option key={option.id} {...option} />)}
            </ListBoxSection>
          ))}
        </ListBox>
      </Popover>
    </Select>
  );
});
