// A small labelled choice among a few named orders.

export interface OrderPickerProps<Order extends string> {
  readonly label: string;
  readonly orders: readonly Order[];
  readonly names: Readonly<Record<Order, string>>;
  readonly value: Order;
  readonly onChange: (order: Order) => void;
}

export function OrderPicker<Order extends string>({ label, orders, names, value, onChange }: OrderPickerProps<Order>) {
  return (
    <select
      className="order-picker"
      aria-label={label}
      value={value}
      onChange={(event) => {
        const chosen = orders.find((order) => order === event.target.value);
        if (chosen) onChange(chosen);
      }}
    >
      {orders.map((order) => (
        <option key={order} value={order}>
          {names[order]}
        </option>
      ))}
    </select>
  );
}
