// Chooses the channel that colours tokens and says how to read it: a scale with its ends in numbers.
import { useTraced } from "../../engine/store/useRunView.ts";
import { formatNumber } from "../../kit/charts/format.ts";
import { Choice } from "../../kit/controls/Choice.tsx";
import { channelsOf, type TokenChannel } from "./channels.ts";
import { AMOUNT, DOWN, MAX_ALPHA, tintCss, UP } from "./colourScale.ts";
import type { TokenFacts } from "./tokenFacts.ts";

export interface ChannelBarProps {
  /** What is coloured. */
  readonly tokens: readonly TokenFacts[];
  readonly channel: TokenChannel;
  readonly limit: number;
  readonly onChange: (id: string) => void;
}

/** The shown value at the end of the scale; the ratio is coloured by its logarithm. */
function endText(channel: TokenChannel, level: number): string {
  if (channel.id === "ratio") return level === 0 ? "1" : formatNumber(Math.exp(level), 5);
  return channel.format(channel.id === "logprob" ? -level : level);
}

export function ChannelBar({ tokens, channel, limit, onChange }: ChannelBarProps) {
  const isTraced = useTraced() !== null;
  const known = channelsOf(tokens, isTraced);
  // What was chosen of a run with a critic is still the choice where the next one has none.
  const options = known.includes(channel) ? known : [...known, channel];
  return (
    <div className="channel-bar line">
      <Choice className="field-inline" label="Colour tokens by" options={options} value={channel.id} onChange={onChange} />
      <ChannelLegend channel={channel} limit={limit} />
      <p className="channel-help note">{channel.help}</p>
    </div>
  );
}

/** How the channel is drawn, with the ends of its scale in numbers. */
export function ChannelLegend({ channel, limit }: Pick<ChannelBarProps, "channel" | "limit">) {
  const hatch = (
    <span className="channel-legend-entry items-center">
      <span className="channel-swatch token-untrained framed" aria-hidden="true" /> not trained
    </span>
  );
  if (channel.scale === "presence" || limit === 0)
    return (
      <p className="channel-legend line note">
        {channel.scale !== "presence" && <span>no value but {endText(channel, 0)} here</span>}
        {hatch}
      </p>
    );
  const full = (rgb: typeof UP) => tintCss({ rgb, alpha: MAX_ALPHA });
  const [from, to] = channel.scale === "diverging" ? [full(DOWN), full(UP)] : ["transparent", full(AMOUNT)];
  return (
    <p className="channel-legend line note">
      <span>{channel.scale === "diverging" ? `▼ ${endText(channel, -limit)}` : endText(channel, 0)}</span>
      <span
        className="channel-ramp framed"
        aria-hidden="true"
        style={{ backgroundImage: `linear-gradient(to right, ${from}, ${channel.scale === "diverging" ? "transparent, " : ""}${to})` }}
      />
      <span>
        {channel.scale === "diverging" ? "▲ " : ""}
        {endText(channel, limit)}
        {channel.unit ? ` ${channel.unit}` : ""}
      </span>
      {hatch}
    </p>
  );
}
