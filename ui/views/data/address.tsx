import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { useApp, useLiveReading } from "../../components/context.ts";
import { Copy } from "../../components/copy.tsx";
import { DialogForm } from "../../components/dialog.tsx";
import { Choice, Field, Select } from "../../components/field.tsx";
import { Button, Loading, Problem } from "../../components/parts.tsx";
import { useDialog } from "../../components/use-dialog.ts";
import { bind } from "../../models/binding.ts";
import {
  createHoldings,
  EXAMPLE_TOKENS,
  type HoldingsModel,
  isSet,
  readTokens,
} from "../../models/chain-data/holdings.ts";
import { chainName, chainsOf, isHoldings, readChains } from "../../models/chain-data/keys.ts";
import { clip, count } from "../../models/format.ts";
import { ofTypes } from "../../models/refresh.ts";
import { href } from "../../models/router.ts";
import { useData } from "./context.ts";
import { Origin } from "./path.tsx";
import { HoldingTable } from "./tokens.tsx";

const TYPES = [
  ["", "All"],
  ["ERC-20", "ERC-20"],
  ["ERC-721", "ERC-721"],
  ["ERC-1155", "ERC-1155"],
] as const;

/** What one address holds, page after page. */
export function AddressPage({ address, query }: { address: string; query: URLSearchParams }) {
  const { live, router } = useApp();
  const { api, providers } = useData();
  const type = query.get("type") ?? "";
  const chain = query.get("chain_id") ?? "";
  const chains = readChains(chain);
  const model = useMemo(() => createHoldings(api, address, { type, chains }), [address, type, chain]);
  useEffect(() => live.onReplaced(() => void model.again(true)), [model]);

  const knownChains = chainsOf(providers.value.value ?? []);
  const filter = (name: "type" | "chain_id", value: string) =>
    bind(value, (next) =>
      router.replace(href(["data", "holdings", address], { type, chain_id: chain, [name]: next })),
    );
  const state = model.state.value;
  const matters = (key: string) =>
    isHoldings(key, address, { type, chains: chains.length > 0 ? chains : knownChains });
  return (
    <div class="stack">
      <div class="address-head">
        <p class="note">
          <a href="#/data/holdings">All addresses</a>
        </p>
        <h2 class="flow">
          <code>{address}</code> <Copy text={address} what="the address" />
        </h2>
      </div>
      <div class="filters">
        <Choice label="Type of token" of={filter("type", type)} options={TYPES} />
        <Select
          label="Chain"
          of={filter("chain_id", chain)}
          options={[
            ["", "The first with rows"],
            ...[...new Set([...knownChains, ...chains])].map((id): [string, string] => [
              String(id),
              chainName(id),
            ]),
          ]}
        />
        <Button onSend={() => model.again()}>Ask again</Button>
        <SetHoldings address={address} chains={knownChains} model={model} />
      </div>
      {model.error.value && <Problem error={model.error.value} retry={() => void model.again()} />}
      {state ? (
        <>
          <Origin source={state.source} matters={matters} />
          <HoldingTable items={state.items} type={type} />
          <PageOn model={model} />
        </>
      ) : model.error.value ? (
        <Origin matters={matters} />
      ) : (
        <Loading />
      )}
    </div>
  );
}

interface SetHoldingsProps {
  address: string;
  /** The chains that the providers know. */
  chains: number[];
  model: HoldingsModel;
}

/** The ways to make it hold something else, and back. */
function SetHoldings({ address, chains, model }: SetHoldingsProps) {
  const { toasts } = useApp();
  const { api } = useData();
  const setting = useDialog();
  const set = useLiveReading(ofTypes("holdings.*"), async () => isSet(await api.addresses(), address), [
    address,
  ]);
  const clear = async () => {
    const cleared = await toasts.attempt(() => api.clearHoldings(address));
    if (cleared === undefined) return;
    toasts.done("The address is back to its recorded holdings.");
    await model.again(true);
  };
  return (
    <>
      <Button disabled={chains.length === 0} onClick={() => setting.open(true)}>
        Set holdings…
      </Button>
      {set.value.value && <Button onSend={clear}>Back to recorded holdings</Button>}
      {setting.target.value && (
        <SetHoldingsDialog
          {...{ address, chains, model }}
          wasSet={set.value.value ?? false}
          onClose={setting.close}
        />
      )}
    </>
  );
}

/** The way to the next page, with what it sends. */
function PageOn({ model }: { model: HoldingsModel }) {
  const { items, next, pages } = model.state.value!;
  if (items.length === 0) return null;
  const cursor = Object.entries(next ?? {})
    .map(([name, value]) => `${name}=${value ?? ""}`)
    .join("&");
  return (
    <div class="flow">
      <Button disabled={!next} onSend={model.more}>
        {next ? "Read the next page" : "That was the last page"}
      </Button>
      <span class="note" role="status">
        {count(items.length, "row")} in {count(pages, "page")}
      </span>
      {next && (
        <span class="note">
          sends <code>{cursor}</code>
        </span>
      )}
    </div>
  );
}

interface SetDialogProps extends SetHoldingsProps {
  /** Whether something was set before: then it cannot be taken back to what it was. */
  wasSet: boolean;
  onClose: () => void;
}

/** Sets what an address holds on a chain. */
function SetHoldingsDialog({ address, chains, model, wasSet, onClose }: SetDialogProps) {
  const { toasts } = useApp();
  const { api } = useData();
  const chain = useSignal(String(chains[0] ?? 1));
  const text = useSignal(EXAMPLE_TOKENS);
  const problem = useSignal("");

  const set = async () => {
    const read = readTokens(text.value);
    problem.value = "problem" in read ? read.problem : "";
    if ("problem" in read) return;
    const { rows } = await api.setHoldings(address, Number(chain.value), read.tokens);
    const undo = async () => {
      await api.clearHoldings(address);
      await model.again(true);
    };
    toasts.done(
      `${clip(address, 16)} holds ${count(rows, "token")} on ${chainName(Number(chain.value))}.`,
      wasSet ? undefined : undo,
    );
    onClose();
    await model.again(true);
  };

  return (
    <DialogForm title="Set holdings" action="Set" onSend={set} onClose={onClose}>
      <p class="note">Replaces the recorded holdings. With an empty list, the address holds nothing.</p>
      <Select label="Chain" of={chain} options={chains.map((id) => [String(id), chainName(id)] as const)} />
      <Field
        label="Tokens, as JSON"
        rows={12}
        of={text}
        error={problem.value}
        hint="Amounts in the smallest unit. Fields that are left out are null or derived."
      />
    </DialogForm>
  );
}
