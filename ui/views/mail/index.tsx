import type { Mail } from "../../api-types.ts";
import { useApp, useLiveReading } from "../../components/context.ts";
import { Ids } from "../../components/ids.tsx";
import { Empty, Loaded, Text, Time, ViewHead } from "../../components/parts.tsx";
import { ofTypes } from "../../models/refresh.ts";
import { href } from "../../models/router.ts";
import type { ViewProps } from "../registry.ts";

/** The e-mails that the platform would send; they go nowhere. */
export default function MailView({ parts: [id] }: ViewProps) {
  const { api } = useApp();
  const mails = useLiveReading(ofTypes("mail.sent"), async () => (await api.mail()).reverse());
  return (
    <div class="view">
      <ViewHead
        title="Mail"
        note="E-mails that the platform would have sent. None of them leaves this machine."
      />
      <Loaded of={mails}>{(list) => <Mailbox mails={list} id={id} />}</Loaded>
    </div>
  );
}

function Mailbox({ mails, id }: { mails: Mail[]; id: string | undefined }) {
  const open = mails.find((mail) => mail.id === id) ?? mails[0];
  if (!open)
    return (
      <Empty title="No e-mail was sent yet.">
        The owner of an endpoint gets one when it is disabled, after ten failures in a row.{" "}
        <a href="#/webhooks">Make one fail</a>.
      </Empty>
    );
  return (
    <div class="split mailbox">
      <ul class="rows">
        {mails.map((mail) => (
          <li key={mail.id}>
            <a
              class="pick mail-row"
              href={href(["mail", mail.id])}
              aria-current={mail.id === open.id || undefined}
            >
              <Text as="span" of={mail.subject} lines={2} />
              <span class="note">
                <Time at={mail.created_at} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      <Letter mail={open} />
    </div>
  );
}

function Letter({ mail }: { mail: Mail }) {
  return (
    <article class="sheet letter" aria-label="E-mail">
      <header>
        <div>
          <Text as="h2" of={mail.subject} />
          <p class="note">
            to <Text of={mail.to} />, <Time at={mail.created_at} exact />
          </p>
        </div>
        {mail.webhook_id && <a href={href(["webhooks", mail.webhook_id])}>The endpoint</a>}
      </header>
      <p class="letter-text">
        <bdi class="text">
          <Ids of={mail.text} />
        </bdi>
      </p>
    </article>
  );
}
