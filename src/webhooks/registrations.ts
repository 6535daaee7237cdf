import type { Caller } from "../http/caller.ts";
import type { RowStatus } from "../timeline/endpoint-state.ts";
import type { EngineContext } from "./context.ts";
import { checkHeaders, type EndpointHeaders, storedHeaders } from "./endpoint-headers.ts";
import { confinementOf, readEndpointUrl } from "./endpoint-url.ts";
import type { EndpointColumns, Endpoints } from "./endpoints.ts";
import { invalidField } from "./errors.ts";
import type { WebhookRow } from "./rows.ts";
import type { EndpointAction, JoinedSender } from "./senders.ts";

/** The fields of an endpoint that its owner chooses; a change leaves omitted fields alone. */
export interface EndpointFields {
  url?: string | undefined;
  events?: readonly string[] | undefined;
  description?: string | null | undefined;
  /** Defaults to the configured secret, or a random one. */
  secret?: string | undefined;
  headers?: EndpointHeaders | undefined;
}

export interface NewRegistration extends EndpointFields {
  url: string;
  sender: string;
}

/**
 * Registers and changes endpoints on request, for every sender. Each change is one transaction with one journal entry and
 * one record of the sender's area.
 * @throws Refusal invalid_field_value; SandboxError `bad_request` for a secret or headers that the sender does not allow
 */
export interface Registrations {
  /** @param status the status of the response to the caller */
  create(caller: Caller, registration: NewRegistration, status: number): WebhookRow;
  /**
   * Finds and enables the endpoint with this URL, events and description, or creates it. Unless the caller specifies a
   * secret or `another` endpoint, it gets the URL's last secret, even that of a deleted endpoint.
   */
  register(
    caller: Caller,
    registration: NewRegistration & { another?: boolean | undefined },
  ): { row: WebhookRow; created: boolean };
  /**
   * Changes the specified fields. Disabling skips planned attempts; enabling resets the failure counter to 0 but restores
   * no attempts.
   * @param through the interface through which the owner makes the change
   */
  change(
    caller: Caller,
    row: WebhookRow,
    change: EndpointFields & { status?: RowStatus | undefined },
    through?: "dashboard" | "api",
  ): WebhookRow;
  /** Cancels planned attempts, and preserves the history. @throws Refusal resource_not_found */
  delete(caller: Caller, id: string): { object: "webhook"; id: string; deleted: true };
}

export function createRegistrations(
  { world, settings, origin, ownOrigin, senders }: EngineContext,
  rows: Endpoints,
): Registrations {
  const { store, random, journal } = world;
  const atUrl = store.sql<WebhookRow>(
    "select * from webhooks where org = ? and url = ? order by created_at desc, rowid desc",
  );
  const readUrl = (url: string) => readEndpointUrl(url, settings, [origin(), ownOrigin()]);

  function note(owner: JoinedSender, caller: Caller, action: EndpointAction, id: string, status = 200): void {
    owner.noteAction?.(caller, action, id, status);
    journal.append(action, { id, organization: caller.org });
  }

  function columnsOf(
    caller: Caller,
    row: WebhookRow,
    { url, events, description, secret, headers }: EndpointFields,
  ): EndpointColumns {
    const { sender } = senders.joined(row.sender);
    const columns: EndpointColumns = {};
    if (url !== undefined) {
      columns.url = readUrl(url);
      // A guest that sends the endpoint's current URL changes nothing.
      if (!caller.guest || columns.url !== row.url)
        columns.confined_to = confinementOf(columns.url, caller.guest, settings);
    }
    if (events !== undefined) columns.events = JSON.stringify(readEvents(events, sender.events));
    if (description !== undefined) columns.description = description;
    if (secret !== undefined && secret !== row.secret) {
      sender.checkSecret?.(secret);
      columns.secret = secret;
    }
    if (headers !== undefined && storedHeaders(headers) !== row.headers) {
      checkHeaders(headers, sender.headerNames);
      columns.headers = storedHeaders(headers);
    }
    return columns;
  }

  const create: Registrations["create"] = (caller, registration, status) =>
    store.transaction(() => {
      const { description = null, events = ["*"], headers, secret = settings.secret } = registration;
      const url = readUrl(registration.url);
      const owner = senders.joined(registration.sender);
      const { checkSecret, headerNames, newSecret, events: known } = owner.sender;
      if (headers) checkHeaders(headers, headerNames);
      if (secret !== undefined) checkSecret?.(secret);
      const id = rows.create({
        ...{ org: caller.org, sender: registration.sender, url, description },
        secret: secret ?? newSecret(random.bytes("webhook_secret")),
        events: readEvents(events, known),
        confined_to: confinementOf(url, caller.guest, settings),
        headers: storedHeaders(headers),
      });
      note(owner, caller, "webhook.created", id, status);
      return rows.byId(id)!;
    });

  const change: Registrations["change"] = (caller, row, { status, ...fields }, through = "dashboard") =>
    store.transaction(() => {
      const columns = columnsOf(caller, row, fields);
      const changesColumns = Object.keys(columns).length > 0;
      if (changesColumns) rows.change(row.id, columns);
      if (status !== undefined && status !== row.status) rows.turn(row, status, through);
      if (changesColumns || status !== undefined)
        note(senders.joined(row.sender), caller, "webhook.updated", row.id);
      return rows.byId(row.id)!;
    });

  return {
    create,
    change,

    register: (caller, { another = false, ...registration }) =>
      store.transaction(() => {
        const { description = null, events = ["*"], headers, secret, url } = registration;
        const earlier = atUrl.all(caller.org, readUrl(url));
        const found = earlier.find(
          (one) =>
            one.deleted_at === null &&
            one.description === description &&
            namesOf(JSON.parse(one.events)) === namesOf(events),
        );
        if (!found || another) {
          const usual = senders.joined(registration.sender).secret ?? earlier[0]?.secret;
          const chosen = secret ?? (another ? undefined : usual);
          return { row: create(caller, { ...registration, secret: chosen }, 200), created: true };
        }
        const row = change(caller, found, {
          ...{ secret, headers },
          ...(found.confined_to !== null && { url }),
          ...(found.status !== "enabled" && { status: "enabled" }),
        });
        return { row, created: false };
      }),

    delete: (caller, id) =>
      store.transaction(() => {
        const row = rows.find(caller.org, id);
        rows.delete(id);
        note(senders.joined(row.sender), caller, "webhook.deleted", id);
        return { object: "webhook", id, deleted: true };
      }),
  };
}

const namesOf = (events: readonly string[]): string => [...events].sort().join();

/**
 * Validates an endpoint's subscriptions: event types, or `*` alone.
 * @param known its sender's types
 * @returns the types without duplicates
 * @throws Refusal invalid_field_value on events
 */
function readEvents(events: readonly string[], known: readonly string[]): string[] {
  if (events.length === 0)
    throw invalidField("events", 'events must name at least one event type, or be ["*"].');
  const unknown = events.find((event) => event !== "*" && !known.includes(event));
  if (unknown !== undefined)
    throw invalidField(
      "events",
      `events has the unknown type '${unknown.slice(0, 60)}'; it must be one of ${known.join(", ")} and *.`,
    );
  if (events.includes("*") && events.length > 1)
    throw invalidField("events", "events must be the single value * or a list of event types, not both.");
  return [...new Set(events)];
}
