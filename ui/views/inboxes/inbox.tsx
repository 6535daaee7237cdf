import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { inboxOf } from "../../../src/timeline/attempt.ts";
import { useApp, useModel } from "../../components/context.ts";
import { CopyLine } from "../../components/copy.tsx";
import { Field } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { InboxMessages } from "../../components/inbox-messages.tsx";
import { Section, Submit, ViewHead } from "../../components/parts.tsx";
import { part } from "../../models/binding.ts";
import {
  type BehaviourDraft,
  behaviourWords,
  draftOfBehaviour,
  InboxModel,
  readBehaviour,
} from "../../models/inbox.ts";
import { href } from "../../models/router.ts";

/** One built-in subscriber: what it got, and how it answers. */
export function InboxPage({ name }: { name: string }) {
  const { api, live, status, endpoints } = useApp();
  const inbox = useModel(() => new InboxModel(api, live, name), [name]);
  const users = (endpoints.list.value ?? []).filter(({ url }) => inboxOf(url) === name);
  return (
    <div class="view">
      <ViewHead
        path={<a href="#/inboxes">Inboxes</a>}
        facts={
          <>
            <CopyLine text={`${status.value.url}/_sandbox/inbox/${name}`} what="the address of the inbox" />
            {users.length > 0 && (
              <p class="note">
                Subscriber of{" "}
                {users.map(({ id }, index) => (
                  <span key={id}>
                    {index > 0 && ", "}
                    <a href={href(["webhooks", id])}>{id}</a>
                  </span>
                ))}
              </p>
            )}
          </>
        }
        title={name}
      />
      <BehaviourForm inbox={inbox} />
      <Section title="What it received" note="Newest first; the signature was checked when it came.">
        <InboxMessages name={name} model={inbox} />
      </Section>
    </div>
  );
}

/** A real answer over a real connection, other than a fault: the message is kept in any case. */
function BehaviourForm({ inbox }: { inbox: InboxModel }) {
  const { toasts } = useApp();
  const draft = useSignal<BehaviourDraft>(draftOfBehaviour(inbox.behaviour.value));
  const current = inbox.behaviour.value;
  useEffect(() => {
    draft.value = draftOfBehaviour(current);
  }, [JSON.stringify(current)]);

  const save = async () => {
    const wanted = readBehaviour(draft.value);
    const before = inbox.behaviour.value;
    await toasts.attempt(async () => {
      await inbox.behave(wanted);
      toasts.done(`The inbox now ${behaviourWords(wanted)}.`, () => inbox.behave(before));
    });
  };

  return (
    <Section title="How it answers" note={`At present it ${behaviourWords(current)}.`}>
      <Form class="card fit behaviour" onSend={save}>
        <Field label="Status" of={part(draft, "status")} type="number" min={200} max={599} required />
        <Field
          label="First statuses, one for each request"
          of={part(draft, "sequence")}
          pattern="[2-5]\d\d([ ,]+[2-5]\d\d)*"
          placeholder="500, 410"
        />
        <Field label="Delay, real ms" of={part(draft, "delay")} type="number" min={0} max={60_000} required />
        <Field label="Response body" of={part(draft, "body")} />
        <Submit>Apply</Submit>
      </Form>
    </Section>
  );
}
