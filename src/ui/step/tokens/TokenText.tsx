// The tokens of a completion, each tinted by the chosen channel. One tab stop: arrows move between
// tokens, Enter or a tap pins the one under study. Direction shows as a glyph too, clipping as an
// outline and untrained tokens as a hatch, so that nothing is said by colour alone.
import { type KeyboardEvent, memo, type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { PartInSight, useGradually } from "../../kit/lists/longLists.tsx";
import { channelLevel, channelText, type TokenChannel } from "./channels.ts";
import { tintCss, tintOf } from "./colourScale.ts";
import { showPiece } from "./drawing.ts";
import type { TokenFacts } from "./tokenFacts.ts";
import "./tokens.css";

export interface TokenTextProps {
  readonly label: string;
  readonly tokens: readonly TokenFacts[];
  readonly channel: TokenChannel;
  /** |level| that gets full colour; see scaleLimit. */
  readonly limit: number;
  readonly pinned: number | null;
  readonly onPin: (index: number | null) => void;
  /** The token under the pointer or the focus; null when it leaves. */
  readonly onPoint: (index: number | null) => void;
}

/** From so many tokens on a text has a height of its own and scrolls, so that what is told of a token stays beside it. */
const LONG = 100;

/** Tokens that come onto the page in one task. */
const PART = 200;

/** Longer texts are drawn where they are looked at, in blocks of so many tokens. */
const WINDOWED = 4_000;
const BLOCK = 200;
/** Letters on a line, and pixels of one, before a block was measured. */
const LINE_LETTERS = 60;
const LINE_PIXELS = 38;

/** Blocks of a long text: where each begins, and how high it is taken to be. */
function blocksOf(tokens: readonly TokenFacts[]): readonly { readonly from: number; readonly height: number }[] {
  return Array.from({ length: Math.ceil(tokens.length / BLOCK) }, (_, b) => {
    const letters = tokens.slice(b * BLOCK, (b + 1) * BLOCK).reduce((sum, { piece }) => sum + piece.length + 1, 0);
    return { from: b * BLOCK, height: LINE_PIXELS * Math.ceil(letters / LINE_LETTERS) };
  });
}

interface BlocksProps {
  readonly tokens: readonly TokenFacts[];
  /** Places whose blocks are drawn wherever they are: the focus comes to them. */
  readonly wanted: readonly number[];
  readonly draw: (token: TokenFacts) => ReactNode;
}

function Blocks({ tokens, wanted, draw }: BlocksProps) {
  const blocks = useMemo(() => blocksOf(tokens), [tokens]);
  return blocks.map(({ from, height }) => (
    <PartInSight key={from} within=".tokens" height={height} isWanted={wanted.some((place) => place >= from && place < from + BLOCK)}>
      {() => tokens.slice(from, from + BLOCK).map(draw)}
    </PartInSight>
  ));
}

/** The token at a place of the list, where it is drawn. */
const optionAt = (list: HTMLElement | null, place: number) => list?.querySelector<HTMLElement>(`[data-place="${place}"]`) ?? null;

/** Tints below this are too faint for a glyph to mean anything. */
const GLYPH_ALPHA = 0.04;

/** A link may pin a token far down a long text. @param place of the pinned token in the list; null where none is, or is not drawn yet. */
function usePinInSight(list: RefObject<HTMLDivElement | null>, place: number | null): void {
  useEffect(() => {
    // With the next frame, which lays the page out anyway.
    const frame = requestAnimationFrame(() => {
      const option = place === null ? null : optionAt(list.current, place);
      if (!option || !list.current || list.current.scrollHeight <= list.current.clientHeight) return;
      const { scrollTop, clientHeight } = list.current;
      const isSeen = option.offsetTop >= scrollTop && option.offsetTop + option.offsetHeight <= scrollTop + clientHeight;
      if (!isSeen) list.current.scrollTop = option.offsetTop - clientHeight / 2;
    });
    return () => cancelAnimationFrame(frame);
  }, [list, place]);
}

export function TokenText({ label, tokens, channel, limit, pinned, onPin, onPoint }: TokenTextProps) {
  const list = useRef<HTMLDivElement>(null);
  // A turn's tokens begin where it does; places in the list count from 0.
  const first = tokens[0]?.index ?? 0;
  const [focused, setFocused] = useState(first);
  const isWindowed = tokens.length > WINDOWED;
  const drawn = useGradually(isWindowed ? 0 : tokens.length, PART);
  const last = first + tokens.length - 1;
  // The next step's completion may be shorter.
  const at = Math.max(first, Math.min(focused, last));
  const stop = pinned !== null && pinned >= first && pinned <= last ? pinned : at;

  usePinInSight(list, pinned !== null && (isWindowed || pinned - first < drawn) ? pinned - first : null);

  const move = (event: KeyboardEvent) => {
    const target = moveTarget(event.key, at - first, tokens.length);
    if (target !== null) {
      // The block that it is in is drawn before it is come to.
      flushSync(() => setFocused(first + target));
      optionAt(list.current, target)?.focus();
    } else if (event.key === "Enter" || event.key === " ") onPin(pinned === at ? null : at);
    else if (event.key === "Escape" && pinned !== null) onPin(null);
    else return;
    event.preventDefault();
  };

  const draw = (token: TokenFacts) => (
    <Token
      token={token}
      channel={channel}
      limit={limit}
      onPin={onPin}
      onPoint={onPoint}
      onFocus={setFocused}
      key={token.index}
      place={token.index - first}
      total={isWindowed ? tokens.length : null}
      pinned={pinned === token.index}
      tabStop={stop === token.index}
    />
  );
  return (
    <div
      ref={list}
      className="tokens wrap-anywhere"
      data-long={tokens.length > LONG || undefined}
      role="listbox"
      aria-label={label}
      aria-orientation="horizontal"
      onKeyDown={move}
      onPointerLeave={() => onPoint(null)}
    >
      {isWindowed ? <Blocks tokens={tokens} wanted={[stop - first, at - first]} draw={draw} /> : tokens.slice(0, drawn).map(draw)}
    </div>
  );
}

function moveTarget(key: string, from: number, count: number): number | null {
  if (count === 0) return null;
  if (key === "ArrowRight" || key === "ArrowDown") return Math.min(count - 1, from + 1);
  if (key === "ArrowLeft" || key === "ArrowUp") return Math.max(0, from - 1);
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return null;
}

interface TokenProps extends Pick<TokenTextProps, "channel" | "limit" | "onPin" | "onPoint"> {
  readonly token: TokenFacts;
  /** In the list. */
  readonly place: number;
  /** Of so many, where only some of them are drawn. */
  readonly total: number | null;
  readonly pinned: boolean;
  readonly tabStop: boolean;
  readonly onFocus: (index: number) => void;
}

const Token = memo(function Token({ token, place, total, channel, limit, pinned, tabStop, onPin, onPoint, onFocus }: TokenProps) {
  const shown = showPiece(token.piece);
  const tint = tintOf(channel.scale, channelLevel(channel, token), limit);
  const glyph = tint.alpha < GLYPH_ALPHA || tint.direction === "none" ? "" : tint.direction === "up" ? "▲" : "▼";
  const clipped = channel.id === "ratio" && token.clipState !== null && token.clipState !== 0;
  const classes = ["token", `token-is-${shown.kind}`, token.trained ? "" : "token-untrained", clipped ? "token-clipped" : ""];
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the list handles Enter for all of its options */}
      <span
        className={classes.filter(Boolean).join(" ")}
        style={{ backgroundColor: tintCss(tint) }}
        role="option"
        data-place={place}
        {...(total === null ? {} : { "aria-setsize": total, "aria-posinset": place + 1 })}
        aria-selected={pinned}
        aria-label={`${shown.spoken}, ${channel.title} ${channelText(channel, token)}${token.trained ? "" : ", not trained"}${clipped ? ", clipped" : ""}`}
        tabIndex={tabStop ? 0 : -1}
        onClick={() => onPin(pinned ? null : token.index)}
        onFocus={(event) => {
          onFocus(token.index);
          // A press focuses too; numbers that opened under the finger then would take the click.
          if (event.currentTarget.matches(":focus-visible")) onPoint(token.index);
        }}
        onBlur={() => onPoint(null)}
        onPointerEnter={(event) => event.pointerType === "mouse" && onPoint(token.index)}
      >
        {shown.text}
        <span className="token-glyph" aria-hidden="true">
          {glyph || "\u00a0"}
        </span>
      </span>
      {shown.breaks && <br />}
    </>
  );
});
