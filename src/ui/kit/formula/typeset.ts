// TeX to MathML as React elements. The library's own ways to the page write markup or inline style
// attributes, which the page's Content-Security-Policy refuses; its tree of nodes is turned into elements
// here instead. \sym{name}{...} in a formula gives that part of it a name, see Formula.tsx.
import { type CSSProperties, createElement, Fragment, type ReactNode } from "react";
import temml from "temml";

/** What the library makes of a formula; text has no children. */
interface MathTree {
  readonly type?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly children?: readonly MathTree[];
  readonly classes?: readonly string[];
  readonly style?: CSSProperties;
}

const NAME_CLASS = "sym-";
const MACROS = { "\\sym": `\\class{${NAME_CLASS}#1}{#2}` };

/** The attributes of a part that has a name, and whether this is the first part with it. */
export type NamedProps = (name: string, isFirst: boolean) => Readonly<Record<string, unknown>>;

/** The tree of a formula. Throws where the TeX is wrong. */
export function parseFormula(tex: string, isBlock: boolean): MathTree {
  return temml.__renderToMathMLTree(tex, {
    displayMode: isBlock,
    throwOnError: true,
    macros: { ...MACROS },
    trust: (context: { readonly command: string }) => context.command === "\\class",
  }) as MathTree;
}

/** The name that \sym gave a node, or null. */
function nameOf({ classes }: MathTree): string | null {
  const found = classes?.find((name) => name.startsWith(NAME_CLASS));
  return found === undefined ? null : found.slice(NAME_CLASS.length);
}

/** Names of a formula's parts, in the order in which they stand. */
export function namesIn(tree: MathTree): readonly string[] {
  const own = nameOf(tree);
  return [...new Set([...(own === null ? [] : [own]), ...(tree.children ?? []).flatMap(namesIn)])];
}

/** The elements of a formula; root attributes go to its math element. */
export function elementsOf(tree: MathTree, rootProps: Readonly<Record<string, unknown>>, namedProps: NamedProps): ReactNode {
  const seen = new Set<string>();
  const convert = (node: MathTree, key: number): ReactNode => {
    if (node.text !== undefined && node.type === undefined) return node.text;
    const name = nameOf(node);
    const named = name === null ? {} : namedProps(name, !seen.has(name));
    if (name !== null) seen.add(name);
    const children = (node.children ?? []).map(convert);
    if (!node.type) return createElement(Fragment, { key }, ...children);
    const className = [...(node.classes ?? []), ...(name === null ? [] : ["formula-symbol"])].join(" ");
    const props = {
      key,
      ...node.attributes,
      ...(className ? { className } : {}),
      ...(node.style && Object.keys(node.style).length > 0 ? { style: node.style } : {}),
      ...named,
      ...(node.type === "math" ? rootProps : {}),
    };
    return createElement(node.type, props, ...children);
  };
  return convert(tree, 0);
}
