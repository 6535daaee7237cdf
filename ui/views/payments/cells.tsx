import type { ComponentChildren } from "preact";
import { Pill } from "../../components/parts.tsx";
import { money } from "../../models/payments/money.ts";

const TONES: Record<string, "good" | "bad" | "plain" | "wait"> = {
  completed: "good",
  failed: "bad",
  active: "wait",
  pending: "wait",
  confirming: "wait",
  expired: "plain",
};

export function Status({ of }: { of: string }) {
  return <Pill tone={TONES[of] ?? "plain"}>{of}</Pill>;
}

type Priced = { amount: string | null; chain_id: number; token_address: string };

/** An amount with its token; what leaves it to the payer says so. */
export function amountOf({ amount, ...priced }: Priced): ComponentChildren {
  return amount === null ? <span class="note">any amount</span> : money({ amount, ...priced });
}

export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;
