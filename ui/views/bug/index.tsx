import { useEffect } from "preact/hooks";
import { useApp, useReading } from "../../components/context.ts";
import { CodeBlock } from "../../components/copy.tsx";
import { Loaded, ViewHead } from "../../components/parts.tsx";
import { PlayAFinding } from "./play.tsx";
import "./bug.css";

const COMMAND =
  "npx sandglass test http://127.0.0.1:3000/webhooks --start 'node server.mjs' --state sqlite:shop.db";
const OF_SENDER = "npx sandglass init\nnpx sandglass test";

/** Shows the project's latest HTML report or, without one, the demo's report. The report runs no scripts. */
export default function FindABug() {
  const { api, status } = useApp();
  const report = useReading(api.report);
  useEffect(() => {
    // The command runs in a terminal, so load the report again when the user returns to the page.
    const read = () => void report.read();
    addEventListener("focus", read);
    return () => removeEventListener("focus", read);
  }, []);
  return (
    <div class="view wide bug">
      <ViewHead
        title="Find a bug"
        note="sandglass test plays every order in which webhooks can arrive, and shows the shortest one that breaks your handler."
      />
      <Loaded of={report}>
        {({ own, written }) => (
          <>
            {own ? (
              <p class="note">
                sandglass/findings/report.html, written <time>{written}</time> (real time)
              </p>
            ) : (
              <>
                <CodeBlock
                  text={status.value.senders.length > 0 ? OF_SENDER : COMMAND}
                  what="the command"
                  label="Test your own handler; its report is shown here"
                />
                <p class="note">Until then, you see the demo’s report: a shop with one wrong line.</p>
              </>
            )}
            <PlayAFinding />
            <iframe
              key={written}
              class="frame report"
              title={own ? "This project’s report" : "The demo’s report"}
              src="_sandbox/report"
              sandbox=""
            />
          </>
        )}
      </Loaded>
    </div>
  );
}
