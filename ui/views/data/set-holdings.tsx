import { useSignal } from "@preact/signals";
import { useApp } from "../../components/context.ts";
import { DialogForm } from "../../components/dialog-form.tsx";
import { Field, Select } from "../../components/field.tsx";
import { chainName } from "../../models/chain-data/chains.ts";
import { EXAMPLE_TOKENS, readTokens } from "../../models/chain-data/tokens-text.ts";
import { clip, count } from "../../models/format.ts";
import { useData } from "./context.ts";

interface SetHoldingsProps {
  address: string;
  /** The chains that the providers know. */
  chains: number[];
  /** Whether something was set before: then it cannot be taken back to what it was. */
  wasSet: boolean;
  onDone: () => Promise<void>;
  onClose: () => void;
}

/** Sets what an address holds on a chain. */
export function SetHoldingsDialog({ address, chains, wasSet, onDone, onClose }: SetHoldingsProps) {
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
      await onDone();
    };
    toasts.done(
      `${clip(address, 16)} holds ${count(rows, "token")} on ${chainName(Number(chain.value))}.`,
      wasSet ? undefined : undo,
    );
    onClose();
    await onDone();
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
