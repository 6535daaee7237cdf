import { type Column, Table } from "../../components/list-page.tsx";
import { Empty, Text } from "../../components/parts.tsx";
import { amountText, change, dollars, worth } from "../../models/chain-data/amounts.ts";
import type { Holding, Token } from "../../models/chain-data/api.ts";
import { chainName } from "../../models/chain-data/keys.ts";
import { clip } from "../../models/format.ts";

const SHOWN = 16;

/** An address in little room; the whole of it on hover and for screen readers. */
export function Contract({ address }: { address: string }) {
  return (
    <code class="contract" title={address}>
      <span aria-hidden="true">{clip(address, SHOWN)}</span>
      <span class="vh">{address}</span>
    </code>
  );
}

const COLUMNS: Column<Token>[] = [
  {
    title: "Symbol",
    cell: ({ symbol = "" }) => <Text as="b" class="symbol" of={symbol} lines={1} />,
  },
  { title: "Name", cell: ({ name = "" }) => <Text of={name} lines={2} /> },
  { title: "Chain", cell: ({ chain_id: chain }) => chainName(chain) },
  { title: "Price", number: true, cell: ({ price_data: price }) => dollars(price?.price_usd) },
  { title: "24 h", number: true, cell: ({ price_data: price }) => change(price?.percent_change_24h) },
  { title: "Decimals", number: true, cell: ({ decimals }) => decimals },
  { title: "Address", cell: ({ token_address: address }) => <Contract address={address} /> },
];

export function TokenTable({ tokens, symbols }: { tokens: Token[]; symbols: string[] }) {
  if (tokens.length === 0)
    return (
      <Empty title={`No token is called ${symbols.join(" or ")} there.`}>
        An empty answer is cached too, for five minutes of virtual time. Try USDC, WETH or DAI.
      </Empty>
    );
  return (
    <Table
      label="Tokens"
      columns={COLUMNS}
      items={tokens}
      keyOf={({ chain_id: chain, token_address: address }) => `${chain} ${address}`}
    />
  );
}

const HOLDINGS: Column<Holding>[] = [
  {
    title: "Token",
    cell: ({ token: { name, symbol }, token_instance: instance }) => (
      <>
        <Text of={instance?.metadata?.name || name || "without a name"} lines={2} />
        {symbol && <Text as="span" class="note" of={symbol} lines={1} />}
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
        Choose another type or chain, or set what it holds, above.
      </Empty>
    );
  const place = new Map(items.map((item, index) => [item, index]));
  return (
    <Table
      label="What the address holds, largest first"
      columns={HOLDINGS}
      items={items}
      keyOf={(item) => String(place.get(item))}
    />
  );
}
