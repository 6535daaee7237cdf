import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useApp } from "../../components/context.ts";
import { useDialog } from "../../components/dialog.tsx";
import { Select } from "../../components/field.tsx";
import { Icon, type IconName } from "../../components/icon.tsx";
import { Button } from "../../components/parts.tsx";
import { PayDialog } from "../../components/pay.tsx";
import { NEXT, STEPS } from "../../models/advances.ts";
import { bind } from "../../models/binding.ts";
import { clip, relative } from "../../models/format.ts";
import { href } from "../../models/router.ts";

/** The four ways in. */
export function Doors() {
  return (
    <ul class="fit doors">
      <PayDoor />
      <BreakDoor />
      <ClockDoor />
      <DemoDoor />
    </ul>
  );
}

interface DoorProps {
  icon: IconName;
  title: string;
  text: ComponentChildren;
  children: ComponentChildren;
}

function Door({ icon, title, text, children }: DoorProps) {
  return (
    <li class="frame door">
      <h2 class="actions">
        <Icon name={icon} /> {title}
      </h2>
      <p>{text}</p>
      <div class="actions no-labels">{children}</div>
    </li>
  );
}

function PayDoor() {
  const paying = useDialog();
  return (
    <Door
      icon="payments"
      title="Make a payment"
      text="It settles at once, or fails the way you choose, and every endpoint is notified."
    >
      <Button look="main" onClick={() => paying.open(true)}>
        Make a payment…
      </Button>
      {paying.target.value && <PayDialog onClose={paying.close} />}
    </Door>
  );
}

/** What tells an address from others: its end. */
const nameOf = (url: string): string => clip(url.split("/").slice(-2).join("/"), 40);

function BreakDoor() {
  const { api, endpoints, router, toasts } = useApp();
  const chosen = useSignal<string | undefined>(undefined);
  const list = (endpoints.list.value ?? []).filter(({ status }) => status === "enabled");
  // One of the user's own, where there is one.
  const webhook =
    list.find(({ id }) => id === chosen.value) ?? list.findLast(({ seeded }) => !seeded) ?? list[0];
  const fail = async () => {
    if (!webhook) return;
    const done = await toasts.attempt(() => api.setFault(webhook.id, { kind: "status", status: 503 }));
    if (!done) return;
    toasts.done("From now on the subscriber answers 503.", () => api.clearFault(webhook.id));
    router.go(href(["webhooks", webhook.id]));
  };
  return (
    <Door
      icon="webhooks"
      title="Break a subscriber"
      text="Its deliveries fail, and each retry is drawn before it comes, up to the point where it is disabled."
    >
      {list.length > 1 ? (
        <Select
          label="Endpoint"
          of={bind(
            () => webhook?.id ?? "",
            (id) => (chosen.value = id),
          )}
          options={list.map(({ id, url }) => [id, nameOf(url)] as const)}
        />
      ) : (
        <a class={webhook ? "button" : "button main"} href="#/webhooks/new">
          New endpoint
        </a>
      )}
      {webhook && (
        <Button look="main" onSend={fail}>
          Make it fail
        </Button>
      )}
    </Door>
  );
}

function ClockDoor() {
  const { clock, ledger } = useApp();
  const { nextDue } = clock.state.value;
  const hour = STEPS[2]!;
  return (
    <Door
      icon="right"
      title="Move the clock"
      text={
        typeof nextDue === "number"
          ? `Something is due ${relative(nextDue, clock.second.value)}. Hours pass in milliseconds, and everything that is due happens.`
          : "Hours pass in milliseconds, and everything that is due happens."
      }
    >
      <Button look="main" onSend={() => ledger.advance(NEXT)}>
        To what is due next
      </Button>
      <Button onSend={() => ledger.advance(hour.request)}>{hour.label}</Button>
    </Door>
  );
}

function DemoDoor() {
  const { demo } = useApp();
  return (
    <Door
      icon="play"
      title="Run the demo"
      text="Two minutes, step by step: a webhook fails, is retried, disabled and repaired. It has the words to say, too."
    >
      <Button look="main" onClick={demo.start}>
        Run the demo
      </Button>
    </Door>
  );
}
