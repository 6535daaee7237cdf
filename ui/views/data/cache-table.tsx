import { useApp } from "../../components/context.ts";
import { Button, Pill, Text } from "../../components/parts.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Away } from "../../components/time.tsx";
import type { CacheEntry } from "../../models/chain-data/api.ts";
import { chainName } from "../../models/chain-data/chains.ts";
import { readKey } from "../../models/chain-data/keys.ts";
import { split } from "../../models/chain-data/source.ts";
import { clip, toMs } from "../../models/format.ts";
import { href } from "../../models/router.ts";

const NAMED = 2;

interface CacheTableProps {
  entries: CacheEntry[];
  open: string | undefined;
  onPurge: (key: string) => Promise<void>;
}

export function CacheTable({ entries, open, onPurge }: CacheTableProps) {
  const columns: Column<CacheEntry>[] = [
    {
      title: "Answer to",
      cell: ({ key }) => (
        <a href={href(["data", "cache", key])}>
          <Text of={questionWords(key)} lines={1} />
        </a>
      ),
    },
    { title: "State", cell: (entry) => <Freshness entry={entry} /> },
    { title: "Kept", cell: ({ stored_at: at }) => <Away at={toMs(at)} /> },
    { title: "Rows", number: true, cell: ({ rows }) => rows },
    { title: "Told by", cell: ({ providers }) => <Text of={providers} lines={1} /> },
    { title: "Chains", cell: ({ chains }) => chainWords(chains) },
    {
      title: "Actions",
      actions: true,
      cell: ({ key }) => (
        <Button look="quiet" onSend={() => onPurge(key)} aria-label={`Forget ${questionWords(key)}`}>
          Forget
        </Button>
      ),
    },
  ];
  return (
    <Table
      label="Cached answers, latest first"
      columns={columns}
      items={entries}
      keyOf={({ key }) => key}
      current={open}
    />
  );
}

/** It expires by the virtual clock, as one looks on. */
export function Freshness({ entry: { expires_at: at } }: { entry: CacheEntry }) {
  const { clock } = useApp();
  return clock.second.value < toMs(at) ? <Pill tone="good">fresh</Pill> : <Pill tone="wait">expired</Pill>;
}

/** `USDC, WETH` or `ERC-721 of 0xcb110a…e0a225`. */
export function questionWords(key: string): string {
  const { route, symbols, address, type } = readKey(key);
  if (route === "lookup") return symbols.join(", ");
  return `${type || "tokens"} of ${clip(address, 16)}`;
}

export function chainWords(chains: string): string {
  const names = split(chains).map((id) => chainName(Number(id)));
  if (names.length <= NAMED) return names.join(", ");
  return `${names.slice(0, NAMED).join(", ")} and ${names.length - NAMED} more`;
}
