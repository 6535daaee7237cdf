import { resolve } from "node:path";
import type { Settings } from "../../config/config.ts";
import { closest } from "../../errors/closest.ts";
import { notFound, SandboxError } from "../../errors/errors.ts";
import type { Sandbox as LibrarySandbox } from "../../library/index.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { ListedEvent } from "../../senders/event-list.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { SECOND } from "../../world/duration.ts";
import { type Checkout, latestCheckouts, openCheckout } from "./shop.ts";

export interface StorySender {
  sender: FileSender;
  /** The name by which the user chose the sender: `stripe`, or a file. */
  named: string;
  events: readonly ListedEvent[];
  /** Whether the user listed the sender's events, rather than naming a story from the sender's file. */
  isListed: boolean;
  /** The secret that replaces the secret of the sender's endpoints. */
  newSecret: string;
}

/** The actions on the platform that cause its webhooks. */
export interface Story {
  name: string;
  title: string;
  /** The scenario's file; null for a shipped story. */
  file: string | null;
  /** The sender of the webhooks, if they come from a sender's file. */
  by?: StorySender;
  /** Virtual milliseconds from a payment to its confirmation; by default, the value in the configuration. */
  confirmationDelay?: number;
  /** Whether an event is background traffic. Only the amount of background traffic matters. */
  isBackground?: (body: string) => boolean;
  /**
   * Settings for the story's world that replace those in the configuration. Only for a scenario, which registers the
   * subscriber itself.
   */
  settingsFor?: (subscriber: { url: string; secret: string }) => Partial<Settings>;
  /**
   * Plays the story. At each `yield`, a person has time to act, for example to retry by hand.
   * @param from the number of pauses that have passed in its world; 0 for a scenario, which is played from its
   * beginning
   */
  play(sandbox: Sandbox, site: StorySite, from: number): AsyncGenerator<void, void>;
}

export interface StorySite {
  subscriber: string;
  calm: boolean;
  /** Whether events need ids that no earlier run has used. */
  fresh?: boolean;
  /** The world as the library's sandbox object. */
  remote: () => Promise<LibrarySandbox>;
}

const ORDER = "order-7";
/**
 * The number of customers. Their checkouts cause more events than a handler that remembers 1,000 events can recognize.
 */
const RUSH = 500;
const RUSH_MARK = { rush: "true" };

const openOrder = (sandbox: Sandbox): Checkout => openCheckout(sandbox, { reference: ORDER });
const latestOrder = (sandbox: Sandbox): Checkout => latestCheckouts(sandbox, 1)[0]!;

/** A step of a shipped story. It depends on earlier steps only through the world. */
type StoryStep = (sandbox: Sandbox) => unknown;

/** A step that happens some time after the previous one. */
const later =
  (step: StoryStep): StoryStep =>
  async (sandbox) => {
    await sandbox.clock.advance({ by: 20 * SECOND });
    await step(sandbox);
  };

const payForOrder: StoryStep = (sandbox) => openOrder(sandbox).pay();

/** Plays the steps of a shipped story, with time for a person to act after each. */
const inSteps = (...steps: StoryStep[]): Pick<Story, "file" | "play"> => ({
  file: null,
  async *play(sandbox, _site, from) {
    for (const step of steps.slice(from)) {
      await step(sandbox);
      yield;
    }
  },
});

/** @param customers the number of other payers */
const rush = (customers: number): Story => ({
  name: customers === RUSH ? "rush" : `rush:${customers}`,
  title: `A customer pays, and then ${customers} others do in the same minute`,
  confirmationDelay: 0,
  isBackground: (body) => body.includes('"rush":"true"'),
  ...inSteps(
    payForOrder,
    later(async (sandbox) => {
      sandbox.world.store.transaction(() => {
        for (let customer = 1; customer <= customers; customer += 1) {
          const reference = `order-${1_000 + customer}`;
          const { session } = openCheckout(sandbox, { reference, metadata: RUSH_MARK });
          sandbox.payments.startPayment({ session_id: session });
        }
      });
      await sandbox.clock.advance({ by: 0 });
    }),
  ),
});

export const STORIES: readonly Story[] = [
  {
    name: "checkout",
    title: "A customer pays for an order",
    confirmationDelay: 0,
    ...inSteps(openOrder, (sandbox) => latestOrder(sandbox).pay()),
  },
  {
    name: "late-payment",
    title: "A payment is confirmed after its session expired",
    confirmationDelay: 40 * SECOND,
    ...inSteps(
      async (sandbox) => {
        const checkout = openOrder(sandbox);
        await checkout.pay();
        await sandbox.clock.advance({ by: 20 * SECOND });
        checkout.expire();
      },
      later(() => undefined),
    ),
  },
  {
    name: "expiry-race",
    title: "A session expires, and the customer pays for the order in a second one",
    confirmationDelay: 0,
    ...inSteps((sandbox) => openOrder(sandbox).expire(), later(payForOrder)),
  },
  {
    name: "refused-then-paid",
    title: "A payment fails, and the customer pays on the second try",
    confirmationDelay: 0,
    ...inSteps(
      (sandbox) => openOrder(sandbox).pay({ outcome: "failed", failure_reason: "insufficient_funds" }),
      later((sandbox) => latestOrder(sandbox).pay()),
    ),
  },
  {
    name: "twice-paid",
    title: "A customer pays for an order twice, in two sessions",
    confirmationDelay: 0,
    ...inSteps(payForOrder, later(payForOrder)),
  },
  {
    name: "two-customers",
    title: "Two customers each pay for an order",
    confirmationDelay: 0,
    ...inSteps(
      (sandbox) => [openOrder(sandbox), openCheckout(sandbox, { reference: "order-8" })],
      async (sandbox) => {
        for (const { session } of latestCheckouts(sandbox, 2))
          sandbox.payments.startPayment({ session_id: session });
        await sandbox.clock.advance({ by: 0 });
      },
    ),
  },
  rush(RUSH),
];

function shippedStory(name: string): Story | undefined {
  const [, customers] = /^rush:([1-9]\d{0,3})$/.exec(name) ?? [];
  return STORIES.find((story) => story.name === name) ?? (customers ? rush(Number(customers)) : undefined);
}

/**
 * Finds a story by an untrusted name: a shipped one, or a scenario of the configured folder or files. The name cannot lead to
 * another file or folder.
 * @throws SandboxError `not_found`
 */
export async function namedStory(
  name: string,
  settings: Settings,
  cwd: string,
  files: readonly string[],
): Promise<Story> {
  const shipped = shippedStory(name);
  if (shipped) return shipped;
  const [{ ownStory }, { createCatalog }] = await Promise.all([
    import("./own-story.ts"),
    import("../../scenarios/catalog.ts"),
  ]);
  const { scenarios } = await createCatalog({ cwd, folder: resolve(cwd, settings.scenarios) }).list();
  const known = scenarios.find((scenario) => scenario.name === name);
  if (known) return ownStory(known.path, settings, cwd);
  for (const file of files) {
    const story = await ownStory(file, settings, cwd);
    if (story.name === name) return story;
  }
  throw noStory(
    name,
    `in ${settings.scenarios}, or named by their file in subject.stories of the configuration`,
  );
}

/**
 * Finds a story by its name: a shipped story, or else a scenario, which can also be named by its file. If no name is
 * given, finds all shipped stories.
 * @param cwd the user's folder
 * @throws SandboxError `not_found`, `bad_request`; `invalid_scenario`
 */
export async function findStories(
  name: string | undefined,
  settings: Settings,
  cwd: string,
): Promise<readonly Story[]> {
  if (name === undefined) return STORIES;
  const shipped = shippedStory(name);
  if (shipped) return [shipped];
  const { ownStory } = await import("./own-story.ts");
  try {
    return [await ownStory(name, settings, cwd)];
  } catch (error) {
    if (!(error instanceof SandboxError) || error.code !== "not_found") throw error;
    throw noStory(name, `in ${settings.scenarios}, or named by their file`);
  }
}

function noStory(name: string, places: string): SandboxError {
  const names = STORIES.map((story) => story.name);
  const meant = closest(name, names);
  return notFound(
    `There is no story or scenario '${name}'.`,
    `${meant ? `Did you mean ${meant}? ` : ""}Stories: ${names.join(", ")}. Scenarios are ${places}.`,
  );
}
