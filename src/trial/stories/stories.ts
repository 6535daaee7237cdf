import { resolve } from "node:path";
import type { Settings } from "../../config/config.ts";
import { closest } from "../../errors/closest.ts";
import { SandboxError } from "../../errors/errors.ts";
import type { Sandbox as LibrarySandbox } from "../../library/index.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { ListedEvent } from "../../senders/event-list.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { SECOND } from "../../world/duration.ts";
import { type Checkout, latestCheckouts, openCheckout } from "./shop.ts";

/** A sender whose webhooks a story is made of. */
export interface StorySender {
  sender: FileSender;
  /** As a person named it: `stripe`, or a file. */
  named: string;
  events: readonly ListedEvent[];
  /** Whether they are no story of the sender's file, which is known by its name. */
  isListed: boolean;
  /** What replaces a secret of its endpoints. */
  newSecret: string;
}

/** What happens on the platform. Its webhooks follow from it. */
export interface Story {
  name: string;
  title: string;
  /** The scenario's file, for a story of one's own; null for a shipped one. */
  file: string | null;
  /** Whose webhooks they are, for those of a sender's file. */
  by?: StorySender;
  /** Virtual milliseconds from a payment to its confirmation; as configured without it. */
  confirmationDelay?: number;
  /** Whether the body of an event is one of many that are there only for their number. */
  isBackground?: (body: string) => boolean;
  /** What its world has in place of the configuration, for a story that registers the subscriber itself. */
  settingsFor?: (receiver: { url: string; secret: string }) => Partial<Settings>;
  /**
   * Plays it. At each `yield` a person has time to do something, such as a retry by hand.
   * @param from how many of them it has behind it, in a world that stands there; 0 for code, which is played from its beginning
   */
  play(sandbox: Sandbox, site: StorySite, from: number): AsyncGenerator<void, void>;
}

/** Where a story is played. */
export interface StorySite {
  /** Where the subscriber takes webhooks. */
  subscriber: string;
  /** Whether this is the calm run. */
  calm: boolean;
  /** The world as the library has it. */
  remote: () => Promise<LibrarySandbox>;
}

const ORDER = "order-7";
/** Together with the events of their checkouts, more than a handler remembers that remembers 1,000 of them. */
const RUSH = 500;
const RUSH_MARK = { rush: "true" };

/** The one order of most stories. */
const openOrder = (sandbox: Sandbox): Checkout => openCheckout(sandbox, { reference: ORDER });
const latestOrder = (sandbox: Sandbox): Checkout => latestCheckouts(sandbox, 1)[0]!;

/** A step of a shipped story. All that a step needs of those before it is in the world. */
type StoryStep = (sandbox: Sandbox) => unknown;

/** Plays the steps of a shipped story, with time for a person after each. */
const inSteps = (...steps: StoryStep[]): Pick<Story, "file" | "play"> => ({
  file: null,
  async *play(sandbox, _site, from) {
    for (const step of steps.slice(from)) {
      await step(sandbox);
      yield;
    }
  },
});

/** @param customers how many others pay */
const rush = (customers: number): Story => ({
  name: customers === RUSH ? "rush" : `rush:${customers}`,
  title: `A customer pays, and then ${customers} others do in the same minute`,
  confirmationDelay: 0,
  isBackground: (body) => body.includes('"rush":"true"'),
  ...inSteps(
    (sandbox) => openOrder(sandbox).pay(),
    async (sandbox) => {
      await sandbox.clock.advance({ by: 20 * SECOND });
      sandbox.world.store.transaction(() => {
        for (let customer = 1; customer <= customers; customer += 1) {
          const reference = `order-${1_000 + customer}`;
          const { session } = openCheckout(sandbox, { reference, metadata: RUSH_MARK });
          sandbox.payments.startPayment({ session_id: session });
        }
      });
      await sandbox.clock.advance({ by: 0 });
    },
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
      (sandbox) => sandbox.clock.advance({ by: 20 * SECOND }),
    ),
  },
  {
    name: "expiry-race",
    title: "A session expires, and the customer pays for the order in a second one",
    confirmationDelay: 0,
    ...inSteps(
      (sandbox) => openOrder(sandbox).expire(),
      async (sandbox) => {
        await sandbox.clock.advance({ by: 20 * SECOND });
        await openOrder(sandbox).pay();
      },
    ),
  },
  {
    name: "refused-then-paid",
    title: "A payment fails, and the customer pays at the second try",
    confirmationDelay: 0,
    ...inSteps(
      (sandbox) => openOrder(sandbox).pay({ outcome: "failed", failure_reason: "insufficient_funds" }),
      async (sandbox) => {
        await sandbox.clock.advance({ by: 20 * SECOND });
        await latestOrder(sandbox).pay();
      },
    ),
  },
  {
    name: "twice-paid",
    title: "A customer pays for an order twice, in two sessions",
    confirmationDelay: 0,
    ...inSteps(
      (sandbox) => openOrder(sandbox).pay(),
      async (sandbox) => {
        await sandbox.clock.advance({ by: 20 * SECOND });
        await openOrder(sandbox).pay();
      },
    ),
  },
  {
    name: "two-customers",
    title: "Two customers pay for an order each",
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

/** A shipped story. */
function shippedStory(name: string): Story | undefined {
  const [, customers] = /^rush:([1-9]\d{0,3})$/.exec(name) ?? [];
  return STORIES.find((story) => story.name === name) ?? (customers ? rush(Number(customers)) : undefined);
}

/**
 * The story with a name alone, which may be a stranger's: a shipped one, a scenario of the configured folder, or that of a file
 * that the configuration names. No file and no folder is looked for by it.
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
 * The story with a name: a shipped one, or else a scenario, which a file can name, too. All shipped ones without a name.
 * @param cwd where the user is
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
  return new SandboxError(
    "not_found",
    `There is no story and no scenario '${name}'.`,
    `${meant ? `Did you mean ${meant}? ` : ""}Stories: ${names.join(", ")}. Scenarios are ${places}.`,
  );
}
