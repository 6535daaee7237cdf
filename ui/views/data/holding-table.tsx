import { Empty, Text } from "../../components/parts.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { amountText, worth } from "../../models/chain-data/amounts.ts";
import type { Holding } from "../../models/chain-data/api.ts";
import { Contract } from "./contract.tsx";

const COLUMNS: Column<Holding>[] = [
  {
    title: "Token",
    cell: ({ token: { name, symbol }, token_instance: instance }) => (
      <>
        <Text of={instance?.metadata?.name || name || "without a name"} lines={2} />
        {symbol && (
          <span class="note">
            <Text of={symbol} lines={1} />
          </span>
        )}
      </>
    ),
  },
  { title: "Type", cell: ({ token: { type } }) => type },
  {
    title: "Amount",
    number: true,
    cell: ({ value, token: { decimals } }) => amountText(value, decimals),
  },
  {
    title: "Token id",
    number: true,
    cell: ({ token_id: id }) => (id === null ? "" : <Contract address={id} />),
  },
  {
    title: "Worth",
    number: true,
    cell: ({ value, token: { decimals, exchange_rate: rate } }) => worth(value, decimals, rate),
  },
  { title: "Contract", cell: ({ token: { address } }) => <Contract address={address} /> },
];

export function HoldingTable({ items, type }: { items: Holding[]; type: string }) {
  if (items.length === 0)
    return (
      <Empty title={type ? `It holds no ${type} tokens there.` : "It holds nothing there."}>
        <p>Choose another type or chain, or set what it holds, above.</p>
      </Empty>
    );
  const place = new Map(items.map((item, index) => [item, index]));
  return (
    <Table
      label="What the address holds, largest first"
      columns={COLUMNS}
      items={items}
      keyOf={(item) => String(place.get(item))}
    />
  );
}
