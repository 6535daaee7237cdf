import { useApp } from "../../components/context.ts";
import { Button, Empty, Loading, Problem } from "../../components/parts.tsx";
import type { Provider } from "../../models/chain-data/api.ts";
import { changeBackTo } from "../../models/chain-data/outage.ts";
import { count } from "../../models/format.ts";
import { useData } from "./context.ts";
import { ProviderRow } from "./provider-row.tsx";

/** Who can be asked, in the order in which they are, and how each is. */
export function ProvidersTab() {
  const { toasts } = useApp();
  const { api, providers } = useData();
  const list = providers.value.value;
  const set = async (meant: Provider[], state: "up" | "down") => {
    await toasts.attempt(async () => {
      for (const { name } of meant) await api.setProvider(name, { state });
      toasts.done(`${count(meant.length, "provider")} ${state}.`, async () => {
        for (const provider of meant) await api.setProvider(provider.name, changeBackTo(provider));
        await providers.read();
      });
    });
    await providers.read();
  };
  if (providers.error.value)
    return <Problem error={providers.error.value} retry={() => void providers.read()} />;
  if (!list) return <Loading />;
  if (list.length === 0)
    return (
      <Empty title="There is no provider.">
        <p>Configure chains and upstreams in sandbox.config.ts, under chainData.</p>
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
