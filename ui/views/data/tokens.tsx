import { Empty, Text } from "../../components/parts.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { change, dollars } from "../../models/chain-data/amounts.ts";
import type { Token } from "../../models/chain-data/api.ts";
import { chainName } from "../../models/chain-data/chains.ts";
import { Contract } from "./contract.tsx";

const COLUMNS: Column<Token>[] = [
  {
    title: "Symbol",
    cell: ({ symbol = "" }) => (
      <b class="symbol">
        <Text of={symbol} lines={1} />
      </b>
    ),
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
        <p>An empty answer is cached too, for five minutes of virtual time. Try USDC, WETH or DAI.</p>
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
