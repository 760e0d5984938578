// The tokens of a completion, each tinted by the chosen channel. One tab stop: arrows move between
// tokens, Enter or a tap pins the one under study. Direction shows as a glyph too, clipping as an
// outline and untrained tokens as a hatch, so that nothing is said by colour alone.
import { type KeyboardEvent, memo, type RefObject, useEffect, useRef, useState } from "react";
import { useGradually } from "../../kit/controls/longLists.tsx";
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

/** Tints below this are too faint for a glyph to mean anything. */
const GLYPH_ALPHA = 0.04;

/** A link may pin a token far down a long text. @param place of the pinned token in the list; null where none is, or is not drawn yet. */
function usePinInSight(list: RefObject<HTMLDivElement | null>, place: number | null): void {
  useEffect(() => {
    const option = place === null ? undefined : list.current?.querySelectorAll<HTMLElement>("[role=option]")[place];
    if (!option || !list.current || list.current.scrollHeight <= list.current.clientHeight) return;
    const { scrollTop, clientHeight } = list.current;
    const isSeen = option.offsetTop >= scrollTop && option.offsetTop + option.offsetHeight <= scrollTop + clientHeight;
    if (!isSeen) list.current.scrollTop = option.offsetTop - clientHeight / 2;
  }, [list, place]);
}

export function TokenText({ label, tokens, channel, limit, pinned, onPin, onPoint }: TokenTextProps) {
  const list = useRef<HTMLDivElement>(null);
  // A turn's tokens begin where it does; places in the list count from 0.
  const first = tokens[0]?.index ?? 0;
  const [focused, setFocused] = useState(first);
  const drawn = useGradually(tokens.length, PART);
  const last = first + tokens.length - 1;
  // The next step's completion may be shorter.
  const at = Math.max(first, Math.min(focused, last));
  const stop = pinned !== null && pinned >= first && pinned <= last ? pinned : at;

  usePinInSight(list, pinned !== null && pinned - first < drawn ? pinned - first : null);

  const move = (event: KeyboardEvent) => {
    const target = moveTarget(event.key, at - first, tokens.length);
    if (target !== null) {
      setFocused(first + target);
      list.current?.querySelectorAll<HTMLElement>("[role=option]")[target]?.focus();
    } else if (event.key === "Enter" || event.key === " ") onPin(pinned === at ? null : at);
    else if (event.key === "Escape" && pinned !== null) onPin(null);
    else return;
    event.preventDefault();
  };

  return (
    <div
      ref={list}
      className="tokens"
      data-long={tokens.length > LONG || undefined}
      role="listbox"
      aria-label={label}
      aria-orientation="horizontal"
      onKeyDown={move}
      onPointerLeave={() => onPoint(null)}
    >
      {tokens.slice(0, drawn).map((token) => (
        <Token
          key={token.index}
          token={token}
          channel={channel}
          limit={limit}
          pinned={pinned === token.index}
          tabStop={stop === token.index}
          onPin={onPin}
          onPoint={onPoint}
          onFocus={setFocused}
        />
      ))}
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
  readonly pinned: boolean;
  readonly tabStop: boolean;
  readonly onFocus: (index: number) => void;
}

const Token = memo(function Token({ token, channel, limit, pinned, tabStop, onPin, onPoint, onFocus }: TokenProps) {
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
