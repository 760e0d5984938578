// What is said where an address names something that is not there: its name, and the nearest that is.
import { nearestName } from "../../../protocol/nearestName.ts";

interface There {
  readonly id: string;
  readonly title: string;
  readonly href: string;
}

interface NotThereProps {
  /** What the address names, such as "lesson". */
  readonly kind: string;
  /** As the address has it; null where it names none. */
  readonly name: string | null;
  readonly known: readonly There[];
}

const isMissing = ({ name, known }: NotThereProps) => name !== null && known.every(({ id }) => id !== name);

/** The same as a line of its own, which takes no room where nothing is missing. */
export function NotThereLine(props: NotThereProps) {
  return isMissing(props) ? (
    <p className="note" role="status">
      <NotThere {...props} />
    </p>
  ) : null;
}

/** Nothing where it names none, or one that is there. */
export function NotThere(props: NotThereProps) {
  const { kind, name, known } = props;
  if (name === null || !isMissing(props)) return null;
  const nearest = nearestName(
    name,
    known.map(({ id }) => id),
  );
  const near = known.find(({ id }) => id === nearest);
  return (
    <>
      There is no {kind} “{name}” here.{" "}
      {near && (
        <>
          Did you mean <a href={near.href}>{near.title}</a>?{" "}
        </>
      )}
    </>
  );
}
