// A small labelled choice among a few named orders.
import { useId } from "react";

interface OrderPickerProps<Order extends string> {
  readonly label: string;
  /** The label as it is shown, a part of it where the place says the rest. */
  readonly shown?: string;
  /** The orders with their names, as listed. */
  readonly names: Readonly<Record<Order, string>>;
  readonly value: Order;
  readonly onChange: (order: Order) => void;
}

export function OrderPicker<Order extends string>({ label, shown, names, value, onChange }: OrderPickerProps<Order>) {
  const id = useId();
  return (
    <span className="order-field">
      <label htmlFor={id} className="fine-print">
        {shown ?? label}
      </label>
      <select id={id} className="order-picker" aria-label={label} value={value} onChange={(event) => onChange(event.target.value as Order)}>
        {Object.entries<string>(names).map(([order, name]) => (
          <option key={order} value={order}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}
