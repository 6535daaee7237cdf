import { listed } from "../../../src/timeline/text.ts";
import type { Sender } from "../../api-types.ts";
import { useApp, useReading } from "../../components/context.ts";
import { CodeBlock } from "../../components/copy.tsx";
import { Facts, Loaded } from "../../components/parts.tsx";

/** What the senders of this sandbox send, and the commands with which to begin. */
export function SenderSteps() {
  const { api, status } = useApp();
  const senders = useReading(api.senders);
  return (
    <Loaded of={senders}>
      {(all) =>
        all
          .filter(({ name }) => status.value.senders.includes(name))
          .map((sender) => (
            <section key={sender.name} class="stack" aria-label={sender.name}>
              <h2>{sender.name}</h2>
              <Facts
                of={[
                  ["Secret", <code key="secret">{sender.secret_variable}</code>],
                  sender.stories.length > 0 && ["Stories", listed(sender.stories.map(({ name }) => name))],
                  [
                    "Events",
                    <details key="events">
                      <summary>{sender.events.length}</summary>
                      {listed(sender.events.map(({ type }) => type))}
                    </details>,
                  ],
                ]}
              />
              {senderSteps(sender, api.base).map(({ title, command }) => (
                <CodeBlock key={title} text={command} what={title} />
              ))}
            </section>
          ))
      }
    </Loaded>
  );
}

/** Where commands look for a sandbox. */
const DEFAULT_URL = "http://127.0.0.1:4400";

/** Commands for the webhooks of a sender. @param base where this page is served */
function senderSteps({ name, events, stories }: Sender, base: string): { title: string; command: string }[] {
  const url = base.replace(/\/$/, "");
  const where = url === DEFAULT_URL ? "" : ` --url ${url}`;
  const sent = [events[0]!.type, ...stories.slice(0, 1).map((story) => `--story ${story.name}`)];
  return [
    {
      title: "Register your server",
      command: `npx sandglass webhooks create http://127.0.0.1:3000/webhooks --sender ${name}${where}`,
    },
    {
      title: "Send an event, or a story of several",
      command: sent.map((what) => `npx sandglass send ${what}${where}`).join("\n"),
    },
    {
      title: "Find the sequence of deliveries that breaks your server",
      command: "npx sandglass init\nnpx sandglass test",
    },
  ];
}
