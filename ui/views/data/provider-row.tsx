import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useApp } from "../../components/context.ts";
import { Field, Select } from "../../components/field.tsx";
import { Pill } from "../../components/parts.tsx";
import type { Provider, ProviderChange } from "../../models/chain-data/api.ts";
import { chainName } from "../../models/chain-data/chains.ts";
import {
  changeBackTo,
  type ProviderState,
  readDetail,
  STATES,
  stateWords,
} from "../../models/chain-data/outage.ts";
import { count } from "../../models/format.ts";
import { useData } from "./context.ts";

/** One provider, and the switch of how it is. */
export function ProviderRow({ provider }: { provider: Provider }) {
  const { toasts } = useApp();
  const { api, providers } = useData();
  const { name, state, chain_id: chain, mode, hit, base_url: url } = provider;
  const set = async (change: ProviderChange) => {
    const done = await toasts.attempt(() => api.setProvider(name, change));
    await providers.read();
    if (done)
      toasts.done(`${name} ${stateWords(done)}.`, async () => {
        await api.setProvider(name, changeBackTo(provider));
        await providers.read();
      });
  };
  return (
    <li class="row provider" aria-label={name}>
      <div class="row-main">
        <b>{name}</b>
        <p class="note" title={url}>
          {chain === null ? "all chains" : chainName(chain)}, {mode === "replay" ? "recorded" : "live"}
        </p>
      </div>
      <div class="provider-is">
        <Pill tone={state === "up" ? "good" : "bad"}>{stateWords(provider)}</Pill>
        {hit > 0 && <span class="note">hit {count(hit, "call")}</span>}
      </div>
      <div class="provider-set">
        <Select
          label={`State of ${name}`}
          hideLabel
          value={state}
          options={STATES}
          onChange={(next) => void set({ state: next as ProviderState })}
        />
        {(state === "error" || state === "slow") && <Detail provider={provider} onSet={set} />}
      </div>
    </li>
  );
}

const detailOf = ({ state, status, latency }: Provider) =>
  state === "error" ? String(status) : `${(latency ?? 0) / 1_000}s`;

/** What an error answers, and how slow a slow one is. */
function Detail({
  provider,
  onSet,
}: {
  provider: Provider;
  onSet: (change: ProviderChange) => Promise<void>;
}) {
  const { name, state } = provider;
  const known = detailOf(provider);
  const text = useSignal(known);
  const problem = useSignal("");
  useEffect(() => {
    text.value = known;
    problem.value = "";
  }, [known]);
  const set = () => {
    if (text.value.trim() === known) return;
    const change = readDetail(state as ProviderState, text.value);
    problem.value = "problem" in change ? change.problem : "";
    if ("state" in change) void onSet(change);
  };
  return (
    <form
      onFocusOut={set}
      onSubmit={(event) => {
        event.preventDefault();
        set();
      }}
    >
      <Field
        label={state === "error" ? `Status of ${name}` : `Latency of ${name}`}
        value={text.value}
        error={problem.value}
        onInput={(next) => {
          text.value = next;
        }}
      />
    </form>
  );
}
