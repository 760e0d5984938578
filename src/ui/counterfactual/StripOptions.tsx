// How the strips are shown: which completions, on which scale, in which order.
import { OrderPicker } from "../rollouts/OrderPicker.tsx";
import { STRIP_ORDERS, STRIP_SCALES, type StripOrder, type StripScale } from "./strips.ts";

export const STRIP_SCOPES = ["completion", "group"] as const;
export type StripScope = (typeof STRIP_SCOPES)[number];

const SCALE_NAMES: Readonly<Record<StripScale, string>> = { common: "One scale for all", row: "A scale per row" };
const ORDER_NAMES: Readonly<Record<StripOrder, string>> = { listed: "As listed", alike: "Most alike first", strength: "Strongest first" };

export interface StripOptionsProps {
  readonly scope: StripScope;
  readonly scale: StripScale;
  readonly order: StripOrder;
  readonly completion: number;
  readonly onScope: (scope: StripScope) => void;
  readonly onScale: (scale: StripScale) => void;
  readonly onOrder: (order: StripOrder) => void;
}

export function StripOptions({ scope, scale, order, completion, onScope, onScale, onOrder }: StripOptionsProps) {
  const scopes = { completion: `Completion ${completion + 1}`, group: "Whole group" };
  return (
    <div className="counterfactual-options">
      <OrderPicker label="Completions shown" orders={STRIP_SCOPES} names={scopes} value={scope} onChange={onScope} />
      <OrderPicker label="Scale of the strips" orders={STRIP_SCALES} names={SCALE_NAMES} value={scale} onChange={onScale} />
      <OrderPicker label="Order of the algorithms" orders={STRIP_ORDERS} names={ORDER_NAMES} value={order} onChange={onOrder} />
    </div>
  );
}
