import { SECOND } from "../../timeline/duration.ts";
import type { Exploration } from "../schedules/exploration.ts";
import { importPath } from "./import-path.ts";
import { literal } from "./literal.ts";

/** The shipped stories as a scenario says them, with the calls of the library. */

/** What happens up to a moment at which a person can do something. */
export interface CodeStep {
  title: string;
  /** The value that the step hands to those after it, as the declaration's name. */
  result?: string;
  /** An expression, or the statements of a function's body. */
  code: string | string[];
  /** Virtual milliseconds that it takes. */
  takes?: number;
}

export interface StoryCode {
  /** What the steps use. */
  helpers: string[];
  /** What its world does differently from the configuration. */
  payments?: string;
  /** The path of a sender's file, an expression. */
  sender?: string;
  /** One for each pause of the story. */
  steps: CodeStep[];
}

const OPEN_CHECKOUT = [
  "const openCheckout = () =>",
  '  sandbox.platform.call<{ id: string }>("POST", "/checkout-sessions", {',
  '    amount: "2500000",',
  '    client_reference_id: "order-7",',
  '    metadata: { order_id: "order-7" },',
  "    expires_in: 1800,",
  "  });",
];
const OPEN_ANY_CHECKOUT = OPEN_CHECKOUT.map((line) =>
  line
    .replace("openCheckout = ()", 'openCheckout = (order = "order-7")')
    .replaceAll(': "order-7"', ": order"),
);
const OPEN_FOR = OPEN_ANY_CHECKOUT.map((line) => line.replace(' = "order-7"', ": string"));
const LATER = 'await sandbox.clock.advance("20s");';
const LATER_MS = 20_000;

export const STORY_CODE: Readonly<Record<string, StoryCode>> = {
  checkout: {
    helpers: OPEN_CHECKOUT,
    steps: [
      { title: "A customer opens a checkout for order-7", result: "checkout", code: "openCheckout()" },
      { title: "The customer pays", code: "sandbox.payments.pay(checkout.id)" },
    ],
  },
  "late-payment": {
    helpers: OPEN_CHECKOUT,
    payments: '{ confirmationDelay: "40s" }',
    steps: [
      {
        title: "A customer pays for order-7, and the session expires before the payment is confirmed",
        code: [
          "const checkout = await openCheckout();",
          "await sandbox.payments.pay(checkout.id);",
          LATER,
          "await sandbox.payments.expire(checkout.id);",
        ],
        takes: LATER_MS,
      },
      { title: "The payment is confirmed", code: 'sandbox.clock.advance("20s")', takes: LATER_MS },
    ],
  },
  "expiry-race": {
    helpers: OPEN_CHECKOUT,
    steps: [
      {
        title: "The checkout for order-7 expires",
        code: ["const first = await openCheckout();", "await sandbox.payments.expire(first.id);"],
      },
      {
        title: "The customer pays for order-7 in a second checkout",
        code: [LATER, "const second = await openCheckout();", "await sandbox.payments.pay(second.id);"],
        takes: LATER_MS,
      },
    ],
  },
  "refused-then-paid": {
    helpers: OPEN_CHECKOUT,
    steps: [
      {
        title: "A payment for order-7 fails",
        result: "checkout",
        code: [
          "const session = await openCheckout();",
          'const outcome = { outcome: "failed", failure_reason: "insufficient_funds" } as const;',
          "await sandbox.payments.pay(session.id, outcome);",
          "return session;",
        ],
      },
      {
        title: "The customer pays at the second try",
        code: [LATER, "await sandbox.payments.pay(checkout.id);"],
        takes: LATER_MS,
      },
    ],
  },
  "twice-paid": {
    helpers: OPEN_CHECKOUT,
    steps: [
      {
        title: "A customer pays for order-7",
        code: ["const first = await openCheckout();", "await sandbox.payments.pay(first.id);"],
      },
      {
        title: "The customer pays for order-7 again, in a second checkout",
        code: [LATER, "const second = await openCheckout();", "await sandbox.payments.pay(second.id);"],
        takes: LATER_MS,
      },
    ],
  },
  "two-customers": {
    helpers: OPEN_FOR,
    steps: [
      {
        title: "Two customers open a checkout each",
        result: "checkouts",
        code: 'Promise.all([openCheckout("order-7"), openCheckout("order-8")])',
      },
      {
        title: "Both pay",
        code: "Promise.all(checkouts.map(({ id }) => sandbox.payments.pay(id)))",
      },
    ],
  },
  rush: {
    helpers: OPEN_ANY_CHECKOUT,
    payments: '{ rateLimit: "off" }',
    steps: [
      {
        title: "A customer pays for order-7",
        code: ["const checkout = await openCheckout();", "await sandbox.payments.pay(checkout.id);"],
      },
      {
        title: "500 others pay in the same minute",
        code: [
          LATER,
          "for (let customer = 1; customer <= 500; customer += 1) {",
          // biome-ignore lint/suspicious/noTemplateCurlyInString: the template is in the written scenario
          "  const checkout = await openCheckout(`order-${1_000 + customer}`);",
          "  await sandbox.payments.pay(checkout.id);",
          "}",
        ],
        takes: LATER_MS,
      },
    ],
  },
};

/** The code of a story; of `rush:200` with its number of customers. */
export function storyCode(name: string): StoryCode {
  const [kind, count] = name.split(":");
  const code = STORY_CODE[kind!]!;
  if (count === undefined) return code;
  const counted = (text: string) => text.replace(/\b500\b/, count);
  return {
    ...code,
    steps: code.steps.map((one) => ({
      ...one,
      title: counted(one.title),
      code: typeof one.code === "string" ? one.code : one.code.map(counted),
    })),
  };
}

/** A story that is a list of a sender's events. @param folder where the scenario goes: it finds a sender's file from there */
export function senderCode(
  { named, events }: NonNullable<Exploration["story"]["sender"]>,
  folder: string,
): StoryCode {
  return {
    helpers: [],
    ...(/[./\\]/.test(named) && {
      sender: `import.meta.dirname + ${literal(`/${importPath(folder, named)}`)}`,
    }),
    steps: events.map(({ type, after, data, body }, index): CodeStep => {
      const takes = after - (events[index - 1]?.after ?? 0);
      const given = body ?? data;
      const send = `sandbox.send(${literal(type)}${given === undefined ? "" : `, ${literal(given)}`})`;
      return {
        title: `${type} is sent`,
        code: takes === 0 ? send : [`await sandbox.clock.advance("${takes / SECOND}s");`, `await ${send};`],
        takes,
      };
    }),
  };
}
