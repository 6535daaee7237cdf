import { useApp, useModel } from "../../components/context.ts";
import { InboxMessages } from "../../components/inbox-messages.tsx";
import { behaviourWords, InboxModel } from "../../models/inbox.ts";
import { href } from "../../models/router.ts";

/** What the built-in inbox behind an endpoint got. */
export function InboxPeek({ name }: { name: string }) {
  const { api, live } = useApp();
  const inbox = useModel(() => new InboxModel(api, live, name), [name]);
  return (
    <div class="stack">
      <p class="note">
        It {behaviourWords(inbox.behaviour.value)}. <a href={href(["inboxes", name])}>Change it</a>
      </p>
      <InboxMessages name={name} model={inbox} />
    </div>
  );
}
