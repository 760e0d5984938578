// What somebody makes for a configuration, as one shape whatever it is: its kind, the name that configurations call it by, and
// its content, which the field of that kind checks. The library keeps such things, files and links hand them on.
import { customRewardSchema, REWARD_NAME } from "../config/customRewards.ts";
import { InputError, isRecord, problemsOf, unknownName } from "../problems.ts";
import { z } from "../zod.ts";
import { customTaskSchema, TASK_NAME } from "./customTasks.ts";

/** Content as plain data, everything at its default spelled out and in one order, so that equal contents are equal texts. */
export type OwnContent = Readonly<Record<string, unknown>>;

export interface OwnThing {
  readonly kind: string;
  readonly name: string;
  readonly content: OwnContent;
}

/** A kind of thing that somebody makes. */
interface OwnKind {
  readonly id: string;
  readonly title: string;
  /** The field of a configuration that holds such things by name. */
  readonly field: "customRewards" | "customTasks";
  readonly nameForm: RegExp;
  readonly schema: z.ZodType;
  /** The code in a content, and the content around it; no code where there is none. */
  split(content: OwnContent): { readonly source: string; readonly rest: OwnContent };
  joined(source: string, rest: OwnContent): OwnContent;
}

/** One entry for each kind; what is kept, handed on and brought back follows from it. */
const ownKinds: readonly OwnKind[] = [
  {
    id: "reward",
    title: "Reward",
    field: "customRewards",
    nameForm: REWARD_NAME,
    schema: customRewardSchema,
    split: ({ source, ...rest }) => ({ source: String(source), rest }),
    joined: (source, rest) => ({ ...rest, source }),
  },
  {
    id: "task",
    title: "Task",
    field: "customTasks",
    nameForm: TASK_NAME,
    schema: customTaskSchema,
    split: ({ environment, ...rest }) => {
      if (!isRecord(environment)) return { source: "", rest };
      const { source, ...others } = environment;
      return { source: String(source), rest: { ...rest, environment: others } };
    },
    joined: (source, { environment, ...rest }) => ({
      ...rest,
      ...(environment === undefined && source.trim() === ""
        ? {}
        : { environment: { ...(isRecord(environment) ? environment : {}), source } }),
    }),
  },
];

/** The kind of that name. Throws a sentence where there is none. */
export function ownKind(id: string): OwnKind {
  const kind = ownKinds.find((each) => each.id === id);
  if (!kind)
    throw new InputError([
      {
        field: "kind",
        message: unknownName(
          "kind",
          id,
          ownKinds.map((each) => each.id),
        ),
      },
    ]);
  return kind;
}

/** A thing from outside, checked. Throws an InputError that says which field is wrong. */
export function readOwnThing(kindId: string, name: string, given: unknown): OwnThing {
  const { id, nameForm, schema, field } = ownKind(kindId);
  if (!nameForm.test(name))
    throw new InputError([
      { field, message: `${field} must be named by a small letter and then letters or digits, got ${JSON.stringify(name.slice(0, 60))}` },
    ]);
  const input = { [name]: given };
  const read = z.object({ [name]: schema }).safeParse(input);
  if (!read.success) throw new InputError(problemsOf(read.error, input, []));
  return { kind: id, name, content: read.data[name] as OwnContent };
}

/** Whether two contents are the same. */
export function isSameContent(a: OwnContent, b: OwnContent): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** What people call a thing. */
export function titleOf({ name, content }: Pick<OwnThing, "name" | "content">): string {
  return typeof content.title === "string" ? content.title : name;
}

/** Which content of problems a thing needs, kept elsewhere under its SHA-256; null where it needs none. */
export function dataOf({ content }: Pick<OwnThing, "content">): { readonly sha256: string; readonly name: string } | null {
  const { data } = content;
  return isRecord(data) && typeof data.sha256 === "string" ? { sha256: data.sha256, name: String(data.name) } : null;
}

/** What of a configuration is custom, as far as it can be read. */
export function thingsIn(
  config: { readonly [F in OwnKind["field"]]?: Readonly<Record<string, unknown>> | undefined },
): readonly OwnThing[] {
  return ownKinds.flatMap(({ id, field }) =>
    Object.entries(config[field] ?? {}).flatMap(([name, given]) => {
      try {
        return [readOwnThing(id, name, given)];
      } catch {
        // Half of it is typed: there is nothing to keep yet.
        return [];
      }
    }),
  );
}
