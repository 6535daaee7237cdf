import { useSignal } from "@preact/signals";
import { useApp, useLiveReading } from "../../components/context.ts";
import { Field } from "../../components/field.tsx";
import { type Column, Table } from "../../components/list-page.tsx";
import { Away, Button, ButtonLink, Empty, Facts, Loaded, Pill, Text, Time } from "../../components/parts.tsx";
import type { CacheEntry } from "../../models/chain-data/api.ts";
import { chainName, readKey } from "../../models/chain-data/keys.ts";
import { runsOf } from "../../models/chain-data/path.ts";
import { split } from "../../models/chain-data/source.ts";
import { hasWords } from "../../models/filters.ts";
import { clip, count, toMs } from "../../models/format.ts";
import { ofTypes } from "../../models/refresh.ts";
import { href } from "../../models/router.ts";
import { useData } from "./context.ts";
import { Path } from "./path.tsx";

const SHOWN = 100;

/** Answers that are kept, the latest first. */
export function CacheTab({ open }: { open: string | undefined }) {
  const { toasts } = useApp();
  const { api } = useData();
  const search = useSignal("");
  const shown = useSignal(SHOWN);
  const cache = useLiveReading(ofTypes("cache.*"), api.cache, [api]);

  const purge = async (key?: string) => {
    const purged = await toasts.attempt(() => api.purge(key));
    if (purged === undefined) return;
    toasts.done(`${count(purged, "answer")} purged. The next request asks the providers.`);
    await cache.read();
  };
  const all = cache.value.value;
  const found = (all ?? []).filter(({ key, providers }) => hasWords(`${key} ${providers}`, search.value));
  const entry = all?.find(({ key }) => key === open);
  return (
    <div class="stack">
      <div class="filters">
        <Field label="Search" type="search" of={search} placeholder="press / to search" />
        <Button look="danger" disabled={!all?.length} onSend={() => purge()}>
          Forget all
        </Button>
        <span class="note" role="status">
          {all && count(all.length, "answer")}
        </span>
      </div>
      <Loaded of={cache}>
        {(answers) => (
          <>
            {open !== undefined && <CacheEntrySheet entry={entry} name={open} onPurge={purge} />}
            {found.length === 0 ? (
              <Empty title={answers.length === 0 ? "Nothing is cached." : "No answer matches."}>
                {answers.length === 0 && (
                  <>
                    <a href="#/data/lookup?symbol=USDC">Look USDC up</a>: the answer is cached for 24 hours of
                    virtual time.
                  </>
                )}
              </Empty>
            ) : (
              <CacheTable entries={found.slice(-shown.value).reverse()} open={open} onPurge={purge} />
            )}
            {found.length > shown.value && (
              <Button onClick={() => (shown.value += SHOWN)}>
                Show {Math.min(SHOWN, found.length - shown.value)} more
              </Button>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

const NAMED = 2;

interface CacheTableProps {
  entries: CacheEntry[];
  open: string | undefined;
  onPurge: (key: string) => Promise<void>;
}

function CacheTable({ entries, open, onPurge }: CacheTableProps) {
  const columns: Column<CacheEntry>[] = [
    {
      title: "Answer to",
      cell: ({ key }) => (
        <Text as="a" href={href(["data", "cache", key])} of={questionWords(key)} lines={1} />
      ),
    },
    { title: "State", cell: (entry) => <Freshness entry={entry} /> },
    { title: "Stored", cell: ({ stored_at: at }) => <Away at={toMs(at)} /> },
    { title: "Rows", number: true, cell: ({ rows }) => rows },
    { title: "Answered by", cell: ({ providers }) => <Text of={providers} lines={1} /> },
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
function Freshness({ entry: { expires_at: at } }: { entry: CacheEntry }) {
  const { clock } = useApp();
  return clock.second.value < toMs(at) ? <Pill tone="good">fresh</Pill> : <Pill tone="wait">expired</Pill>;
}

/** `USDC, WETH` or `ERC-721 of 0xcb110a…e0a225`. */
function questionWords(key: string): string {
  const { route, symbols, address, type } = readKey(key);
  if (route === "lookup") return symbols.join(", ");
  return `${type || "tokens"} of ${clip(address, 16)}`;
}

function chainWords(chains: string, most = NAMED): string {
  const names = split(chains).map((id) => chainName(Number(id)));
  if (names.length <= most) return names.join(", ");
  return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}

interface CacheEntrySheetProps {
  entry: CacheEntry | undefined;
  name: string;
  onPurge: (key: string) => Promise<void>;
}

/** One answer that is kept, and the way that led to it. */
function CacheEntrySheet({ entry, name, onPurge }: CacheEntrySheetProps) {
  const { entries } = useData();
  const runs = runsOf(entries.value.value ?? [], (key) => key === name);
  return (
    <article class="sheet" aria-label="Cached answer">
      <header>
        <div>
          <p class="note">
            <a href="#/data/cache">All answers</a>
          </p>
          <Text as="h2" of={questionWords(name)} lines={2} />
          <p class="note">
            <code>{name}</code>
          </p>
        </div>
        {entry && (
          <div class="actions">
            <ButtonLink to={askAgain(name)}>Ask for it</ButtonLink>
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
            ["Stored at", <Time key="stored" at={entry.stored_at} exact />],
            [
              "Expires",
              <span key="expires">
                <Time at={entry.expires_at} exact /> (<Away at={toMs(entry.expires_at)} />)
              </span>,
            ],
            ["Rows", entry.rows],
            ["Answered by", <Text key="by" of={entry.providers} />],
            ["Chains", chainWords(entry.chains, Number.POSITIVE_INFINITY)],
          ]}
        />
      ) : (
        <Empty title="This answer is no longer cached.">
          <a href={askAgain(name)}>Ask for it</a> to cache it again.
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
