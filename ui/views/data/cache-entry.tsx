import { Button, Empty, Facts, Text } from "../../components/parts.tsx";
import { Away, Time } from "../../components/time.tsx";
import type { CacheEntry } from "../../models/chain-data/api.ts";
import { chainName } from "../../models/chain-data/chains.ts";
import { readKey } from "../../models/chain-data/keys.ts";
import { runsOf } from "../../models/chain-data/path.ts";
import { split } from "../../models/chain-data/source.ts";
import { toMs } from "../../models/format.ts";
import { href } from "../../models/router.ts";
import { Freshness, questionWords } from "./cache-table.tsx";
import { useData } from "./context.ts";
import { Path } from "./path.tsx";

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
