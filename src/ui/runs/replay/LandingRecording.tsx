// A recorded run that plays on the landing page, by its card: the share of right answers step by step, and beside it what was answered at the
// step where it stands. It says that it is a recording, can be stopped, and does not begin by itself for whoever asks for less motion.
import { Pause, Play } from "lucide-react";
import { useEffect, useState } from "react";
import { pointsPath } from "../../kit/charts/plot/plotPath.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { type CardMoment, EXAMPLES, type ExampleCard, ownFile } from "./examples.ts";
import "./landing.css";

/** How long the whole recording takes here, and how often it moves. */
const PLAY_MS = 14_000;
const TICK_MS = 100;
const [WIDTH, HEIGHT, PAD] = [320, 96, 4];

const percent = (share: number) => `${Math.round(100 * share)} %`;

/** @param at where the recording stands, between two steps as well, so that the curve moves from its first moment on. */
function Curve({ card, at }: { readonly card: ExampleCard; readonly at: number }) {
  const upTo = Math.floor(at);
  const x = (i: number) => PAD + (i / Math.max(1, card.curve.length - 1)) * (WIDTH - 2 * PAD);
  const y = (share: number) => HEIGHT - PAD - share * (HEIGHT - 2 * PAD);
  const here = card.curve[upTo]!;
  const next = card.curve[upTo + 1] ?? here;
  const tip = { x: x(at), y: y(here[1] + (at - upTo) * (next[1] - here[1])) };
  const line = pointsPath([...card.curve.slice(0, upTo + 1).map(([, right], i) => [x(i), y(right)] as const), [tip.x, tip.y]]);
  return (
    <svg className="landing-curve" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path className="landing-axis" d={`M${PAD} ${HEIGHT - PAD}H${WIDTH - PAD}M${PAD} ${PAD}H${WIDTH - PAD}`} />
      <text className="landing-scale" x={WIDTH - PAD} y={PAD + 12}>
        100 %
      </text>
      <text className="landing-scale" x={WIDTH - PAD} y={HEIGHT - PAD - 4}>
        0 %
      </text>
      <path className="landing-line" d={line} />
      <circle cx={tip.x} cy={tip.y} r="4" />
    </svg>
  );
}

/** The newest moment up to a step. */
function momentAt({ moments }: ExampleCard, step: number): CardMoment | undefined {
  return moments.findLast((moment) => moment.step <= step) ?? moments[0];
}

function Answers({ moment }: { readonly moment: CardMoment }) {
  return (
    <div className="landing-answers">
      <p className="landing-question">
        <span className="aside">Step {moment.step}, asked</span> {moment.question}
      </p>
      <ol>
        {moment.answers.map(({ said, isRight }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: answers of a group have no other name
          <li key={i} data-right={isRight}>
            <span className="landing-mark">{isRight ? "✓ right" : "✗ wrong"}</span> <span className="landing-said">{said}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

const STILL = "(prefers-reduced-motion: reduce)";

/** Plays through the steps of a card; at the end it stands there. */
function usePlay(length: number) {
  const [isPlaying, setPlaying] = useState(() => !window.matchMedia(STILL).matches);
  const [at, setAt] = useState(0);
  useEffect(() => {
    if (!isPlaying || length === 0) return;
    const timer = setInterval(() => !document.hidden && setAt((before) => before + (TICK_MS / PLAY_MS) * length), TICK_MS);
    return () => clearInterval(timer);
  }, [isPlaying, length]);
  const isOver = at >= length - 1;
  useEffect(() => {
    if (isOver && length > 0) setPlaying(false);
  }, [isOver, length]);
  const toggle = () => {
    if (!isPlaying && isOver) setAt(0);
    setPlaying(!isPlaying);
  };
  const place = Math.max(0, Math.min(length - 1, at));
  return { place, upTo: Math.floor(place), isPlaying, isOver, toggle };
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

/** The recording that plays, the others by name, and the way into each. */
export function LandingRecording() {
  const example = EXAMPLES[0]!;
  const { place, upTo, isPlaying, isOver, toggle } = usePlay(card?.curve.length ?? 0);
  if (!card) return null;
  const [step, right] = card.curve[upTo]!;
  const moment = momentAt(card, step);
  return (
    <section className="landing" aria-labelledby="landing-title">
      <h2 id="landing-title">
        <span className="landing-recorded">Recording</span> {example.title}
      </h2>
      <div className="landing-stage">
        <div>
          <Curve card={card} at={place} />
          <p className="landing-now">
            {percent(right)} <span className="aside">right answers</span>
          </p>
          <p className="aside">
            step {step} of {card.steps}, {percent(card.curve[0]![1])} at the start
          </p>
        </div>
        {moment && <Answers moment={moment} />}
      </div>
      <p className="soft">{example.says} Of several answers to a question, the right ones are made likelier, step by step.</p>
      <div className="actions">
        <Button onPress={toggle}>
          {isPlaying ? <Pause size={14} aria-hidden="true" /> : <Play size={14} fill="currentColor" aria-hidden="true" />}
          {isPlaying ? "Pause the recording" : isOver ? "Play it again" : "Play the recording"}
        </Button>
        <a href={`#/replay?example=${example.id}`}>Look inside this recording</a>
      </div>
      <p className="aside landing-others">
        More recordings:{" "}
        {EXAMPLES.slice(1).map(({ id, title, says }) => (
          <a key={id} href={`#/replay?example=${id}`} title={says}>
            {title}
          </a>
        ))}
      </p>
    </section>
  );
}
