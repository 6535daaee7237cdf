import { SERVICES_FOLDER } from "../../senders/services.ts";
import { count, listed } from "../../timeline/text.ts";
import type { OutsideCalls, OutsideReport, Treatment } from "./calls.ts";

const MOST_NAMED = 5;
const CAUSES: Partial<Record<Treatment, string>> = {
  answered: "answered with 200 {}",
  described: "handled here",
  mail: "its e-mails were accepted here",
};

/** Describes what a server did outside this machine, place by place, and what was not guarded. */
export function outsideWords(outside: OutsideReport | null): { places: string[]; notes: string[] } {
  if (!outside) return { places: [], notes: [] };
  const { calls, isHeld, uncalled, withoutNetwork } = outside;
  const isLed = calls.some(({ treatment }) => treatment !== "allowed" && treatment !== "telemetry");
  return {
    places: calls.map((one) => `${one.host}: ${treatmentWords(one)}`),
    notes: [
      ...(isLed ? ["None of this left the machine. To reach a service, add its host to subject.allow."] : []),
      ...uncalled.map(
        (name) =>
          `The server made no call to the address in ${name}. If it reads the store's address from a different variable, its calls were not interrupted: list that variable in subject.gate.`,
      ),
      ...(isHeld ? [] : [unguardedWords(withoutNetwork)]),
    ],
  };
}

/** @param withoutNetwork see `OutsideReport` */
const unguardedWords = (withoutNetwork: string | null): string =>
  withoutNetwork === null
    ? "Only programs that use HTTP_PROXY were guarded, because the server listens outside its own network, as a container does. Other connections may have left the machine."
    : `Only programs that use HTTP_PROXY were guarded, because no Node process of this trial listens on the server's port, and the server did not get a separate network (${withoutNetwork}). SMTP, other raw sockets and containers may have left the machine.`;

/**
 * Describes what may have made a server fail: its calls did not really leave the machine. Empty if it made no such
 * calls.
 */
export function causeWords(outside: OutsideReport | undefined): string {
  const all = (outside?.calls ?? [])
    .filter(({ treatment }) => treatment !== "allowed" && treatment !== "telemetry")
    .map(({ host, treatment }) => `${host} (${CAUSES[treatment] ?? "refused"})`);
  const hosts = all.length > MOST_NAMED ? [...all.slice(0, MOST_NAMED), "others"] : all;
  return all.length === 0
    ? ""
    : `Its calls did not leave the machine: ${listed(hosts)}. If it needs a service, add the host to subject.allow.`;
}

/** For example services/acme.yaml for api.acme.io. */
const fileFor = (host: string): string =>
  `${SERVICES_FOLDER}/${/([^.]+)(?:\.[^.]+)?$/.exec(host.replace(/:\d+$/, ""))?.[1] ?? "service"}.yaml`;

function treatmentWords({ host, treatment, count: times }: OutsideCalls): string {
  switch (treatment) {
    case "described":
      return `${count(times, "call")}, handled here`;
    case "answered":
      return `${count(times, "call")}, answered with 200 {}; describe them in ${fileFor(host)} if your handler reads the response`;
    case "mail":
      return `${count(times, "mail")}, accepted here`;
    case "telemetry":
      return `${count(times, "call")} of telemetry, answered with 200 {}`;
    case "allowed":
      return `${count(times, "connection")}, allowed`;
    case "not-http":
      return `${count(times, "connection")}, refused: only HTTP and mail are handled`;
    case "untrusted":
      return `${count(times, "connection")}, refused by its client, which only trusts its own CAs`;
    case "refused":
      return `refused ${times === 1 ? "once" : `${times} times`}`;
  }
}
