import { readJson } from "../webhooks/body-text.ts";
import type { SenderFacts } from "../webhooks/sender-file.ts";

type Place = string | Record<string, string>;

/**
 * The facts about a sender that wraps each JSON body in a form field. Bodies and paths are changed to the form in which
 * they are sent.
 */
export function asForms(facts: SenderFacts): SenderFacts {
  const { form, events, id, type, time, changed, account, about, api, versionAt } = facts;
  if (form === undefined) return facts;
  const inField = <One extends Place | undefined>(place: One): One =>
    (typeof place === "object"
      ? Object.fromEntries(Object.entries(place).map(([name, one]) => [name, inField(one)]))
      : place?.replace(/^body\./, `body.${form}.`)) as One;
  const sent = ([name, body]: [string, SenderFacts["events"][string]]) => [
    name,
    typeof body === "string" && readJson(body) ? String(new URLSearchParams([[form, body]])) : body,
  ];
  return {
    ...facts,
    events: Object.fromEntries(Object.entries(events).map(sent)),
    ...(id !== undefined && { id: inField(id) }),
    ...(type !== undefined && { type: inField(type) }),
    ...(time !== undefined && { time: inField(time) }),
    ...(versionAt !== undefined && { versionAt: inField(versionAt) }),
    ...(account !== undefined && { account: inField(account) }),
    ...{ about: about.map(inField), changed: changed.map(inField) },
    ...(api?.object !== undefined && { api: { ...api, object: inField(api.object) } }),
  };
}
