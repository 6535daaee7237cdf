import { listed } from "../../src/timeline/text.ts";
import { senderSteps } from "../models/first-steps.ts";
import { useApp, useReading } from "./context.ts";
import { CodeBlock } from "./copy.tsx";
import { Facts, Loaded } from "./parts.tsx";

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
              {senderSteps(sender, api.transport.base).map(({ title, command }) => (
                <CodeBlock key={title} text={command} what={title} />
              ))}
            </section>
          ))
      }
    </Loaded>
  );
}
