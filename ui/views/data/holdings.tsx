import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { useApp } from "../../components/context.ts";
import { Empty, Loading, Pill, Problem } from "../../components/parts.tsx";
import { summarize } from "../../models/chain-data/addresses.ts";
import { chainName } from "../../models/chain-data/chains.ts";
import { addressProblem } from "../../models/chain-data/question.ts";
import { count } from "../../models/format.ts";
import { createReading } from "../../models/reading.ts";
import { ofTypes, refreshOn } from "../../models/refresh.ts";
import { href } from "../../models/router.ts";
import { AddressPage } from "./address.tsx";
import { AskForm } from "./ask.tsx";
import { useData } from "./context.ts";

export function HoldingsTab({ address, query }: { address: string | undefined; query: URLSearchParams }) {
  return address === undefined ? <PickAddress /> : <AddressPage address={address} query={query} />;
}

/** Whose holdings: an address that is known, or any other. */
function PickAddress() {
  const { live } = useApp();
  const { api } = useData();
  const known = useMemo(() => createReading(api.addresses), [api]);
  useEffect(() => {
    void known.read();
    return refreshOn(live, ofTypes("holdings.*"), known.read);
  }, [known]);
  const addresses = known.value.value && summarize(known.value.value);
  return (
    <div class="stack">
      <TypeAddress />
      {known.error.value ? (
        <Problem error={known.error.value} retry={() => void known.read()} />
      ) : !addresses ? (
        <Loading />
      ) : addresses.length === 0 ? (
        <Empty title="No address is known here.">
          <p>Type one above: its page lists what it holds, and sets it.</p>
        </Empty>
      ) : (
        <ul class="rows" aria-label="Addresses with holdings">
          {addresses.map(({ address, rows, chains, set }) => (
            <li key={address} class="row">
              <a class="row-main" href={href(["data", "holdings", address])}>
                <code>{address}</code>
              </a>
              {set && <Pill tone="plain">set by you</Pill>}
              <span class="note chains-of">
                {chains.slice(0, 3).map(chainName).join(", ")}
                {chains.length > 3 && ` and ${chains.length - 3} more`}
              </span>
              <span class="row-end">{count(rows, "token")}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function TypeAddress() {
  const { router } = useApp();
  const text = useSignal("");
  const problem = useSignal("");
  return (
    <AskForm
      label="Address"
      placeholder="0x…"
      value={text.value}
      problem={problem.value}
      action="List holdings"
      onInput={(next) => {
        text.value = next;
      }}
      onAsk={() => {
        const address = text.value.trim();
        problem.value = addressProblem(address) ?? "";
        if (!problem.value) router.go(href(["data", "holdings", address]));
      }}
    />
  );
}
