import { useSignal } from "@preact/signals";
import { useApp, useLiveReading } from "../../components/context.ts";
import { Empty, Loaded, Pill } from "../../components/parts.tsx";
import { summarize } from "../../models/chain-data/holdings.ts";
import { addressProblem, chainName } from "../../models/chain-data/keys.ts";
import { count } from "../../models/format.ts";
import { ofTypes } from "../../models/refresh.ts";
import { href } from "../../models/router.ts";
import { AskForm } from "./ask.tsx";
import { useData } from "./context.ts";

/** Whose holdings: an address that is known, or any other. */
export function PickAddress() {
  const { api } = useData();
  const addresses = useLiveReading(ofTypes("holdings.*"), async () => summarize(await api.addresses()), [
    api,
  ]);
  return (
    <div class="stack">
      <TypeAddress />
      <Loaded of={addresses}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No address has holdings yet.">
              Enter an address above to see what it holds, or to set it.
            </Empty>
          ) : (
            <ul class="rows" aria-label="Addresses with holdings">
              {list.map(({ address, rows, chains, set }) => (
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
          )
        }
      </Loaded>
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
      of={text}
      problem={problem.value}
      action="List holdings"
      onAsk={() => {
        const address = text.value.trim();
        problem.value = addressProblem(address) ?? "";
        if (!problem.value) router.go(href(["data", "holdings", address]));
      }}
    />
  );
}
