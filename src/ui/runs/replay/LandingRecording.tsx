// The recorded run that plays on the first screen, by its card: one question with all answers to it, how hard each was
// pushed and which way, and the share of right answers as it goes on. It says that it is a recording, can be stopped,
// and does not begin by itself for whoever asks for less motion.
import { Pause, Play } from "lucide-react";
import { type CSSProperties, memo, useEffect, useState } from "react";
import { pointsPath } from "../../kit/charts/plot/plotPath.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { type CardAnswer, type CardMoment, EXAMPLES, type ExampleCard, ownFile } from "./examples.ts";
import "./landing.css";

/** How long one moment of the recording is shown, and how often the curve moves. */
const MOMENT_MS = 3600;
const TICK_MS = 100;
const WIDTH = 400;
const HEIGHT = 176;
const PAD = 6;

const percent = (share: number) => `${Math.round(100 * share)} %`;

/** @param at where the recording stands, between two steps as well, so that the curve moves from its first moment on. */
function Curve({ card, at }: { readonly card: ExampleCard; readonly at: number }) {
  const upTo = Math.floor(at);
  const x = (i: number) => PAD + (i / Math.max(1, card.curve.length - 1)) * (WIDTH - 2 * PAD);
  const y = (share: number) => HEIGHT - PAD - share * (HEIGHT - 2 * PAD);
  const here = card.curve[upTo]!;
  const next = card.curve[upTo + 1] ?? here;
  const tip = { x: x(at), y: y(here[1] + (at - upTo) * (next[1] - here[1])) };
  const points = card.curve.map(([, right], i) => [x(i), y(right)] as const);
  return (
    <svg className="landing-curve w-full" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path className="landing-axis" d={`M${PAD} ${HEIGHT - PAD}H${WIDTH - PAD}M${PAD} ${PAD}H${WIDTH - PAD}`} />
      <path className="landing-ahead" d={pointsPath(points)} />
      <path className="landing-line" d={pointsPath([...points.slice(0, upTo + 1), [tip.x, tip.y]])} />
      <circle cx={tip.x} cy={tip.y} r="6" />
    </svg>
  );
}

/** One answer on its stem: above the line it was pushed up, below it down, as far as it was pushed. */
function Answer({ answer: { said, isRight, advantage }, place }: { readonly answer: CardAnswer; readonly place: number }) {
  const way = advantage > 0 ? "up" : "down";
  const style = { "--push": Math.abs(advantage), "--place": place } as CSSProperties;
  return (
    <li>
      <span
        className="landing-answer block relative"
        role="img"
        data-way={way}
        style={style}
        aria-label={`${said}, ${isRight ? "right" : "wrong"}, pushed ${way}`}
      >
        <span className="landing-stem" />
        <span className="landing-said">{said}</span>
        <span className="landing-mark">{isRight ? "✓" : "✗"}</span>
      </span>
    </li>
  );
}

const Moment = memo(function Moment({ moment: { question, answers } }: { readonly moment: CardMoment }) {
  return (
    <div>
      <p className="landing-question semibold">{question}</p>
      <ol className="landing-answers grid relative" aria-label="Answers">
        {answers.map((answer, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: answers of a group have no other name
          <Answer key={place} answer={answer} place={place} />
        ))}
      </ol>
    </div>
  );
});

const STILL = "(prefers-reduced-motion: reduce)";

/** Plays through so many moments; at the end it stands there. */
function usePlay(moments: number) {
  const [isPlaying, setPlaying] = useState(() => !window.matchMedia(STILL).matches);
  const [at, setAt] = useState(0);
  useEffect(() => {
    if (!isPlaying || moments === 0) return;
    const timer = setInterval(() => !document.hidden && setAt((before) => Math.min(moments, before + TICK_MS / MOMENT_MS)), TICK_MS);
    return () => clearInterval(timer);
  }, [isPlaying, moments]);
  const isOver = at >= moments;
  useEffect(() => {
    if (isOver && moments > 0) setPlaying(false);
  }, [isOver, moments]);
  const toggle = () => {
    if (!isPlaying && isOver) setAt(0);
    setPlaying(!isPlaying);
  };
  const moment = Math.max(0, Math.min(moments - 1, Math.floor(at)));
  return { moment, share: Math.min(1, at - moment), isPlaying, isOver, toggle };
}

/** Where the curve stands, in steps from its first: it goes from each moment's step to the next one's. */
function placeOnCurve({ curve, moments }: ExampleCard, moment: number, share: number): number {
  const placeOf = (which: number) =>
    Math.max(
      0,
      curve.findIndex(([step]) => step === moments[which]?.step),
    );
  const from = placeOf(moment);
  return moment + 1 < moments.length ? from + share * (placeOf(moment + 1) - from) : from;
}

/** What is played; without it the page is as it is without examples. */
let card: ExampleCard | null = null;

/** This part is drawn once its recording is there as well. */
export const cardCame = fetch(ownFile(`examples/${EXAMPLES[0]!.id}.json`)).then(
  async (answer) => {
    if (answer.ok) card = (await answer.json()) as ExampleCard;
  },
  () => null,
);

export function LandingRecording() {
  const { moment, share, isPlaying, isOver, toggle } = usePlay(card?.moments.length ?? 0);
  const shown = card?.moments[moment];
  if (!card || !shown) return null;
  const at = placeOnCurve(card, moment, share);
  const [step, right] = card.curve[Math.floor(at)]!;
  return (
    <>
      <Moment key={moment} moment={shown} />
      <div className="landing-score grid content-start">
        <p className="landing-now flex flex-wrap items-baseline soft large">
          <span className="landing-percent">{percent(right)}</span> right answers
        </p>
        <Curve card={card} at={at} />
      </div>
      <p className="aside flex items-center gap-1">
        Recording, step {step} of {card.steps}
        <Button kind="quiet" className="button-icon" label={isPlaying ? "Pause the recording" : "Play the recording"} onPress={toggle}>
          {isPlaying ? (
            <Pause size={14} fill="currentColor" aria-hidden="true" />
          ) : (
            <Play size={14} fill="currentColor" aria-hidden="true" />
          )}
        </Button>
        {(isOver || !isPlaying) && <a href={`#/replay?example=${EXAMPLES[0]!.id}`}>Look inside</a>}
      </p>
    </>
  );
}
