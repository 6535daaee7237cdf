import { useSignal } from "@preact/signals";
import { useApp } from "../../components/context.ts";
import { Field } from "../../components/field.tsx";
import { Button, Empty, Loading, Problem } from "../../components/parts.tsx";
import { useLiveReading } from "../../components/use-reading.ts";
import { hasWords } from "../../models/filters.ts";
import { count } from "../../models/format.ts";
import { ofTypes } from "../../models/refresh.ts";
import { CacheEntrySheet, CacheTable } from "./cache-entry.tsx";
import { useData } from "./context.ts";

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
      {cache.error.value ? (
        <Problem error={cache.error.value} retry={() => void cache.read()} />
      ) : !all ? (
        <Loading />
      ) : (
        <>
          {open !== undefined && <CacheEntrySheet entry={entry} name={open} onPurge={purge} />}
          {found.length === 0 ? (
            <Empty title={all.length === 0 ? "Nothing is cached." : "No answer matches."}>
              {all.length === 0 && (
                <p>
                  <a href="#/data/lookup?symbol=USDC">Look USDC up</a>: the answer is cached for 24 hours of
                  virtual time.
                </p>
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
    </div>
  );
}
