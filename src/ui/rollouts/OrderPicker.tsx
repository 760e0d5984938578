// A small labelled choice among a few named orders.

interface OrderPickerProps<Order extends string> {
  readonly label: string;
  /** The orders with their names, as listed. */
  readonly names: Readonly<Record<Order, string>>;
  readonly value: Order;
  readonly onChange: (order: Order) => void;
}

export function OrderPicker<Order extends string>({ label, names, value, onChange }: OrderPickerProps<Order>) {
  return (
    <select className="order-picker" aria-label={label} value={value} onChange={(event) => onChange(event.target.value as Order)}>
      {Object.entries<string>(names).map(([order, name]) => (
        <option key={order} value={order}>
          {name}
        </option>
      ))}
    </select>
  );
}
