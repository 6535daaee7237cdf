import { isObject, parseBody } from "../../webhooks/body-text.ts";
import { isTyped } from "../../webhooks/by-type.ts";
import type { ApiObjects, SenderApi } from "../../webhooks/sender-api.ts";
import { differing, type Fields, fieldAt, fill, matches } from "./fields.ts";

export interface Change {
  kind: string;
  id: string;
  object: Fields;
}

/** An event as it appears in a sender's API. */
export interface ShownEvent {
  type: string;
  body: string;
  /** When the event happened, in the sender's format; undefined for an example. */
  time?: string | number;
}

/** A sender's objects, derived from the events and API writes in the order in which they happened. */
export interface Truth {
  /** Adds an event. Only its differences from earlier events count. */
  show(event: ShownEvent): void;
  write(change: Change): void;
  find(kind: string, id: string): Fields | undefined;
  /** The object with this id, of any kind. */
  byId(id: string): Fields | undefined;
  /** The objects of a kind, in the order in which they first appeared. */
  all(kind: string): Fields[];
  mentions(id: string): boolean;
  /**
   * How objects changed by API writes differ from the objects that the events alone imply, by id.
   * @param except fields to ignore
   */
  written(except: ReadonlySet<string>): Record<string, Fields>;
}

/**
 * @param objects the objects that exist before any event
 * @param example returns the example body for a type
 */
export function createTruth(api: SenderApi, objects: ApiObjects, example: (type: string) => string): Truth {
  const { object: place, kind: kindField, id: idField, gone } = api;
  const saysKind = place === undefined || typeof place === "string";
  const present = new Map<string, Change>();
  /** The objects as the events alone describe them. */
  const shown = new Map<string, Fields>();
  const made = new Set<string>();
  const wrote = new Set<string>();
  const idOf = (object: Fields): string | undefined => {
    const { [idField]: id } = object;
    return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
  };
  const isThere = (object: Fields): boolean => !gone || !matches(object, gone);
  const keyOf = (kind: string, id: string): string => `${kind}/${id}`;

  function add(kind: string, id: string, object: Fields): void {
    const key = keyOf(kind, id);
    const before = shown.get(key) ?? {};
    const news = differing(object, before);
    shown.set(key, { ...before, ...object });
    present.set(key, { kind, id, object: { ...present.get(key)?.object, ...news } });
  }

  /** Adds nested objects, which have fewer fields than in their own events. */
  function addInner(value: unknown): void {
    for (const inner of Object.values(isObject(value) || Array.isArray(value) ? value : {})) {
      if (isObject(inner)) {
        const [kind, id] = [inner[kindField], idOf(inner)];
        if (typeof kind === "string" && id !== undefined && !present.has(keyOf(kind, id)))
          add(kind, id, inner);
      }
      addInner(inner);
    }
  }

  function addShown(object: unknown, named?: string): void {
    if (!isObject(object)) return;
    const [kind, id] = [named ?? object[kindField], idOf(object)];
    if (typeof kind === "string" && id !== undefined) add(kind, id, object);
    if (saysKind) addInner(object);
  }

  const inside = (body: unknown, at: string): unknown =>
    at === "body" ? body : fieldAt(body, at.replace(/^body\./, ""));

  function show({ type, body: text, time }: ShownEvent): void {
    const body = parseBody(text);
    for (const event of Array.isArray(body) ? body : [body]) {
      // A handler may fetch the event itself from the API.
      const { [kindField]: kind } = event;
      const id = idOf(event);
      if (saysKind && typeof kind === "string" && id !== undefined && place !== "body") add(kind, id, event);
      if (typeof place === "string") addShown(inside(event, place));
      else for (const [kind, at] of Object.entries(place ?? {})) addShown(inside(event, at), kind);
      for (const [name, forms] of Object.entries(api.shows ?? {}))
        for (const [kind, form] of isTyped(name, type) ? Object.entries(forms) : [])
          addShown(
            typeof form === "string"
              ? inside(event, form)
              : fill(form, (at) => (at === "time" ? time : fieldAt(event, at))),
            kind,
          );
    }
  }

  for (const [key, object] of Object.entries(objects)) {
    if (typeof object === "string") {
      show({ type: object, body: example(object) });
      continue;
    }
    const slash = key.indexOf("/");
    const kind = saysKind ? String(object[kindField]) : key.slice(0, slash);
    add(kind, saysKind ? key : key.slice(slash + 1), { ...object });
    if (saysKind) addInner(object);
  }

  return {
    show,
    write(change) {
      const key = keyOf(change.kind, change.id);
      if (!present.has(key)) made.add(key);
      present.set(key, change);
      wrote.add(key);
    },
    find: (kind, id) => [present.get(keyOf(kind, id))?.object].find((object) => object && isThere(object)),
    byId: (id) => [...present.values()].find((one) => one.id === id)?.object,
    all: (kind) =>
      [...present.values()]
        .filter(({ kind: own, object }) => own === kind && isThere(object))
        .map(({ object }) => object),
    mentions(id) {
      const text = JSON.stringify(id);
      return [...present.values()].some(({ object }) => JSON.stringify(object).includes(text));
    },
    written: (except) =>
      Object.fromEntries(
        [...wrote].flatMap((key) => {
          if (made.has(key)) return [];
          const { id, object } = present.get(key)!;
          const fields = Object.entries(differing(object, shown.get(key) ?? {})).filter(
            ([name]) => !except.has(name),
          );
          return fields.length === 0 ? [] : [[id, Object.fromEntries(fields)]];
        }),
      ),
  };
}
