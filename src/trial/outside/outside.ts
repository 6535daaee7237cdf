import { randomBytes } from "node:crypto";
import { type ApiPart, createAnswers } from "./answers.ts";
import { createAuthority } from "./authority.ts";
import { createCallCounter, type OutsideReport } from "./calls.ts";
import type { Crossings } from "./crossing.ts";
import { openServices } from "./described.ts";
import { environmentOf } from "./environment.ts";
import { type Gateway, type GatewayAddress, openGateway } from "./gateway.ts";
import { isListed, isOwnHost, type Place } from "./hosts.ts";
import type { Ledger } from "./ledger.ts";
import { createMailServer, openMailPort, type TakenMail } from "./mail.ts";
import { mailVariables } from "./mail-variables.ts";
import { type Holder, startHolder } from "./network/holder.ts";
import { type Network, openNetwork } from "./network/network.ts";
import type { Stores } from "./stores.ts";
import { EVERYWHERE } from "./variables.ts";

/**
 * Everything outside this machine, as a started server sees it: its calls end at a gateway on loopback, which responds
 * to them. See docs/outside.md.
 */
export interface Outside {
  /** Variables that route the server's connections to the gateway. */
  env: Record<string, string>;
  gateway: GatewayAddress;
  /** The network in which the server must run; undefined for this machine's network. */
  network: Network | undefined;
  /** The certificate that HTTP clients in the server must trust, in PEM. */
  certificate: string;
  /** What the server's calls have changed since the last reset. */
  ledger: Ledger;
  /** Forgets what the server's calls have changed, at the beginning of each run. */
  reset(): Promise<void>;
  /** What the server has done outside this machine so far. */
  report(): OutsideReport;
  close(): Promise<void>;
}

export interface OutsideOptions {
  /** The senders' APIs, which the sandbox serves. */
  apis: readonly ApiPart[];
  /** The only places whose calls are handled here; by default, everything outside this machine. */
  only?: readonly string[] | undefined;
  /** The server's stores behind an HTTP API. */
  stores?: Stores | undefined;
  /** Called for each e-mail. */
  onMail?: ((mail: TakenMail) => void) | undefined;
  /** Makes each call a point where a deviation can happen, and records what the call changes. */
  crossings: Crossings;
  /** Variables from which the server reads its mail server's address. */
  mailEnv: readonly string[];
  /** Hosts that the server may really reach; `*.acme.io` matches all hosts under acme.io. */
  allow: readonly string[];
  /** Variables that the server always gets. */
  env: Readonly<Record<string, string | undefined>>;
  /** The server's port; undefined if it has several. */
  port: number | undefined;
  /** Whether the server gets its own network, if the system allows it. */
  isolates?: boolean;
}

/**
 * Opens the server's own network.
 * @param holder the process that holds it, or the reason why the server does not get one
 */
async function networkWith(
  holder: Promise<Holder> | string,
  gateway: Gateway,
  port: number | undefined,
  count: (place: Place, why: "refused") => void,
): Promise<{ network: Network | undefined; withoutNetwork: string | null }> {
  if (typeof holder === "string") return { network: undefined, withoutNetwork: holder };
  try {
    const network = await openNetwork(holder, {
      port,
      enter(socket, place) {
        const isGateway = place.host === "127.0.0.1" && place.port === gateway.port;
        gateway.take(socket, isGateway ? undefined : place);
      },
      refused: (place) => count(place, "refused"),
    });
    return { network, withoutNetwork: null };
  } catch (error) {
    return { network: undefined, withoutNetwork: (error as Error).message };
  }
}

export async function openOutside(options: OutsideOptions): Promise<Outside> {
  const { apis, only = [EVERYWHERE], stores, onMail, crossings, allow, mailEnv, env, port } = options;
  const { isolates = false } = options;
  const services = await openServices();
  // The network's process starts while the certificates are being made.
  const holder = !isolates
    ? "it runs in this machine's network"
    : allow.includes(EVERYWHERE)
      ? 'subject.allow contains "*"'
      : startHolder();
  if (typeof holder !== "string") holder.catch(() => undefined);
  const token = randomBytes(16).toString("hex");
  const calls = createCallCounter();
  const authority = await createAuthority();
  const passes = (place: Place): boolean =>
    isOwnHost(place.host) || isListed(place, allow) || !isListed(place, only);
  const credentials = `Basic ${Buffer.from(`sandglass:${token}`).toString("base64")}`;
  const answers = createAnswers({
    ...{ credentials, apis, passes, calls, crossings, services },
    follow: (socket, place) => gateway.follow(socket, place),
  });
  const mail = createMailServer({
    ...{ authority, crossings },
    taken(name, mail) {
      calls.count(name, "mail");
      calls.addMail(mail);
      onMail?.(mail);
    },
  });
  const gateway = await openGateway({
    ...{ token, authority, passes, mail, pass: answers.pass, serve: answers.serve },
    refused: calls.count,
  });
  const { variables, remove } = environmentOf({
    ...{ env, only, address: { port: gateway.port, token }, certificate: authority.certificate },
  });
  const [firstOfMail] = mailEnv;
  const mailPort = firstOfMail === undefined ? undefined : await openMailPort(mail, firstOfMail);
  const { network, withoutNetwork } = await networkWith(holder, gateway, port, calls.count);
  return {
    network,
    env: { ...variables, ...(mailPort && mailVariables(mailEnv, mailPort.port)) },
    gateway: { port: gateway.port, token },
    certificate: authority.certificate,
    ledger: crossings.ledger,
    async reset() {
      crossings.ledger.clear();
      await services.reset();
    },
    report: () => ({
      ...{ calls: calls.list(), mails: calls.mails(), isHeld: (network ?? gateway).isHeld(port) },
      withoutNetwork,
      uncalled: stores?.uncalled() ?? [],
    }),
    async close() {
      remove();
      network?.close();
      mailPort?.close();
      await gateway.close();
      answers.close();
    },
  };
}
