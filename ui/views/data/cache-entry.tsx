import { useApp } from "../../components/context.ts";
import { type Column, Table } from "../../components/list-page.tsx";
import { Button, Empty, Facts, Pill, Text } from "../../components/parts.tsx";
import { Away, Time } from "../../components/time.tsx";
import type { CacheEntry } from "../../models/chain-data/api.ts";
import { chainName, readKey } from "../../models/chain-data/keys.ts";
import { runsOf } from "../../models/chain-data/path.ts";
import { split } from "../../models/chain-data/source.ts";
import { clip, toMs } from "../../models/format.ts";
import { href } from "../../models/router.ts";
import { useData } from "./context.ts";
import { Path } from "./path.tsx";

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

interface CacheEntrySheetProps {
  entry: CacheEntry | undefined;
  name: string;
  onPurge: (key: string) => Promise<void>;
}

/** One answer that is kept, and the way that led to it. */
export function CacheEntrySheet({ entry, name, onPurge }: CacheEntrySheetProps) {
  const { entries } = useData();
  const runs = runsOf(entries.value.value ?? [], (key) => key === name);
  return (
    <article class="sheet" aria-label="Cached answer">
      <header>
        <div>
          <p class="note">
            <a href="#/data/cache">All answers</a>
          </p>
          <h2>
            <Text of={questionWords(name)} lines={2} />
          </h2>
          <p class="note">
            <code>{name}</code>
          </p>
        </div>
        {entry && (
          <div class="actions">
            <a class="button" href={askAgain(name)}>
              Ask for it
            </a>
            <Button look="danger" onSend={() => onPurge(name)}>
              Forget
            </Button>
          </div>
        )}
      </header>
      {entry ? (
        <Facts
          of={[
            ["State", <Freshness key="state" entry={entry} />],
            ["Kept since", <Time key="stored" at={entry.stored_at} exact />],
            [
              "Expires",
              <span key="expires">
                <Time at={entry.expires_at} exact /> (<Away at={toMs(entry.expires_at)} />)
              </span>,
            ],
            ["Rows", entry.rows],
            ["Told by", <Text key="by" of={entry.providers} />],
            [
              "Chains",
              split(entry.chains)
                .map((id) => chainName(Number(id)))
                .join(", "),
            ],
          ]}
        />
      ) : (
        <Empty title="This answer is no longer cached.">
          <p>
            <a href={askAgain(name)}>Ask for it</a> to cache it again.
          </p>
        </Empty>
      )}
      <h3>The path of the request</h3>
      <Path runs={runs} />
    </article>
  );
}

function askAgain(key: string): string {
  const { route, symbols, address, chains, type } = readKey(key);
  const chain = chains.join(",");
  return route === "lookup"
    ? href(["data", "lookup"], { symbol: symbols.join(","), chain_id: chain })
    : href(["data", "holdings", address], { type, chain_id: chain });
}
