// What can be compared: the shapes of experiments, on whichever of the two screens each stands.
import { goTo, parseRoute } from "../engine/route.ts";
import { setSetup } from "./plan/setup.ts";
import { SHAPES } from "./shapes/index.ts";
import type { Shape } from "./shapes/shape.ts";

/** Goes to what is chosen. @param current the shape that is set up, by its id */
export function CompareKinds({ current }: { readonly current: string }) {
  const choose = ({ id, screen }: Shape) => {
    if (id !== current) setSetup(screen, { kind: id, over: [] });
    if (parseRoute(window.location.hash).screen !== screen) goTo(screen);
  };
  return (
    <fieldset className="choices line">
      <legend className="visually-hidden">What to compare</legend>
      {SHAPES.map((shape) => (
        <button
          key={shape.id}
          type="button"
          className="choices-one soft semibold"
          title={shape.explains}
          aria-pressed={shape.id === current}
          onClick={() => choose(shape)}
        >
          {shape.title}
        </button>
      ))}
    </fieldset>
  );
}
