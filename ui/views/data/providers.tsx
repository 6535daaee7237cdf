import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useApp } from "../../components/context.ts";
import { Field, Select } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { HowOften } from "../../components/how-often.tsx";
import { Button, Empty, Pill, Unread } from "../../components/parts.tsx";
import { bind, part } from "../../models/binding.ts";
import type { Provider, ProviderChange } from "../../models/chain-data/api.ts";
import { chainName } from "../../models/chain-data/keys.ts";
import {
  changeBackTo,
  outageDraft,
  type ProviderState,
  readOutage,
  STATES,
  stateWords,
} from "../../models/chain-data/outage.ts";
import { count } from "../../models/format.ts";
import { useData } from "./context.ts";

/** Changes providers, says what they do now, and offers to take it back. */
function useChange() {
  const { toasts } = useApp();
  const { api, providers } = useData();
  return async (meant: Provider[], change: ProviderChange, words: (done: Provider) => string) => {
    await toasts.attempt(async () => {
      const done: Provider[] = [];
      for (const { name } of meant) done.push(await api.setProvider(name, change));
      toasts.done(words(done[0]!), async () => {
        for (const provider of meant) await api.setProvider(provider.name, changeBackTo(provider));
        await providers.read();
      });
    });
    await providers.read();
  };
}

/** Who can be asked, in the order in which they are, and how each is. */
export function ProvidersTab() {
  const { providers } = useData();
  const change = useChange();
  const list = providers.value.value;
  const set = (meant: Provider[], state: "up" | "down") =>
    change(meant, { state }, () => `${count(meant.length, "provider")} ${state}.`);
  if (providers.error.value || !list) return <Unread of={providers} />;
  if (list.length === 0)
    return (
      <Empty title="There is no provider.">
        Configure chains and upstreams in sandbox.config.ts, under chainData.
      </Empty>
    );
  const up = list.filter(({ state }) => state === "up");
  const troubled = list.filter(({ state }) => state !== "up");
  return (
    <div class="stack">
      <div class="spread providers-head">
        <p class="note">
          Take one down, then request something that is not cached: the next one answers. With all of them
          down, expired answers are served.
        </p>
        <div class="actions">
          <Button disabled={troubled.length === 0} onSend={() => set(troubled, "up")}>
            All up
          </Button>
          <Button look="danger" disabled={up.length === 0} onSend={() => set(up, "down")}>
            All down
          </Button>
        </div>
      </div>
      <ul class="rows" aria-label="Providers">
        {list.map((provider) => (
          <ProviderRow key={provider.name} provider={provider} />
        ))}
      </ul>
    </div>
  );
}

/** One provider, and the switch of how it is. */
function ProviderRow({ provider }: { provider: Provider }) {
  const { name, state, chain_id: chain, mode, hit, base_url: url } = provider;
  const change = useChange();
  const set = (next: ProviderChange) => change([provider], next, (done) => `${name} ${stateWords(done)}.`);
  return (
    <li class="row provider" aria-label={name}>
      <div class="row-main">
        <b>{name}</b>
        <p class="note" title={url}>
          {chain === null ? "all chains" : chainName(chain)}, {mode === "replay" ? "recorded" : "live"}
        </p>
      </div>
      <div class="flow provider-is">
        <Pill tone={state === "up" ? "good" : "bad"}>{stateWords(provider)}</Pill>
        {hit > 0 && <span class="note">hit {count(hit, "call")}</span>}
      </div>
      {/* The row says what it is about, and keeps its height as the state changes. */}
      <div class="flow no-labels provider-set">
        <Select
          label={`State of ${name}`}
          hideLabel
          of={bind(state as ProviderState, (next) => void set({ state: next }))}
          options={STATES}
        />
        {state !== "up" && <HowItFails provider={provider} onSet={set} />}
      </div>
    </li>
  );
}

interface HowItFailsProps {
  provider: Provider;
  onSet: (change: ProviderChange) => Promise<void>;
}

/** What an error answers, how slow a slow one is, and how often. */
function HowItFails({ provider, onSet }: HowItFailsProps) {
  const { name, state } = provider;
  const current = outageDraft(provider);
  const draft = useSignal(current);
  useEffect(() => {
    draft.value = current;
  }, [JSON.stringify(current)]);
  const set = async () => {
    if (JSON.stringify(draft.value) === JSON.stringify(current)) return;
    await onSet(readOutage(state as ProviderState, draft.value));
  };
  return (
    <Form
      class="flow"
      onFocusOut={({ relatedTarget, currentTarget }) => {
        const stays = currentTarget.contains(relatedTarget as Node | null);
        if (!stays && currentTarget.reportValidity()) void set();
      }}
      onSend={set}
    >
      {state === "error" && (
        <Field
          label={`Status of ${name}`}
          of={part(draft, "detail")}
          type="number"
          min={400}
          max={599}
          required
        />
      )}
      {state === "slow" && (
        <Field label={`Latency of ${name}`} of={part(draft, "detail")} pattern="[0-9.]+(ms|s|m)?" required />
      )}
      <HowOften
        of={draft}
        labels={{
          often: `How often ${name} fails`,
          times: `Times that ${name} fails`,
          rate: `Percent of the calls of ${name}`,
        }}
      />
      <Button type="submit">
        Set<span class="vh"> how {name} fails</span>
      </Button>
    </Form>
  );
}
