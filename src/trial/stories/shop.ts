import { createUpstream } from "../../chain-data/providers/upstream.ts";
import type { Settings } from "../../config/config.ts";
import { DEFAULT_WORLD } from "../../http/address.ts";
import { paymentsArea } from "../../payments/area.ts";
import { AREAS } from "../../sandbox/areas.ts";
import type { PayRequest } from "../../sandbox/checkouts.ts";
import { openSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { MINUTE, SECOND } from "../../world/duration.ts";

/** The actions on the platform that cause events: customers of a shop, in a separate world. */

/** The address of a world without a server. */
const UNSERVED = "http://sandglass.localhost";

/** Opens a world without a server. @param bytes the world's initial content */
export async function openUnserved(
  settings: Settings,
  bytes: Buffer,
): Promise<{ sandbox: Sandbox; close: () => Promise<void> }> {
  const upstream = createUpstream();
  const sandbox = await openSandbox({
    name: DEFAULT_WORLD,
    ...{ settings, upstream, bytes, areas: AREAS, clock: settings.clock },
    place: { url: () => UNSERVED, ownUrl: () => UNSERVED, sharing: () => null },
  });
  sandbox.start();
  return {
    sandbox,
    async close() {
      sandbox.close();
      await upstream.close();
    },
  };
}

/** A payer's input, and whether the payment succeeds. */
export type Payer = Omit<PayRequest, "payment_link_id" | "session_id">;

export interface Checkout {
  session: string;
  /** Pays, and makes the first attempts of the events, but nothing later. @returns the transaction's id */
  pay(payer?: Payer): Promise<string>;
  expire(): unknown;
}

interface Order {
  /** The shop's reference; undefined for a checkout without an order. */
  reference?: string | undefined;
  metadata?: Record<string, string>;
  link?: string;
}

export function openCheckout(sandbox: Sandbox, { reference, metadata, link }: Order): Checkout {
  const { organizations, sessions } = sandbox.part(paymentsArea);
  const { id } = sessions.open(organizations.main().id, link ?? null, {
    amount: "2500000",
    ...(reference !== undefined && {
      client_reference_id: reference,
      metadata: { order_id: reference, ...metadata },
    }),
    expires_in: (30 * MINUTE) / SECOND,
  });
  return checkoutOf(sandbox, id);
}

export function latestCheckouts(sandbox: Sandbox, limit: number): Checkout[] {
  const { organizations, sessions } = sandbox.part(paymentsArea);
  const { data } = sessions.list(organizations.main().id, { page: 1, limit });
  return data.toReversed().map(({ id }) => checkoutOf(sandbox, id));
}

function checkoutOf(sandbox: Sandbox, id: string): Checkout {
  return {
    session: id,
    async pay(payer) {
      const transaction = sandbox.payments.startPayment({ session_id: id, ...payer });
      await sandbox.clock.advance({ by: 0 });
      return transaction.id;
    },
    expire: () => sandbox.payments.expire({ id }),
  };
}
