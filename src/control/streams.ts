import { idOf } from "../operations/schemas/common.ts";
import { LiveQuery } from "../operations/schemas/records.ts";
import { streamEvents } from "./event-stream.ts";
import { call } from "./http.ts";
import { readLiveQuery, streamJournal } from "./live.ts";
import { lastEventId } from "./position.ts";

/** Routes whose answers last as long as the connection. */
export const streamRoutes = [
  call("GET /live", {
    id: "live",
    tag: "Record",
    summary: "The journal as it grows",
    description:
      "A WebSocket, or server-sent events when asked for with `Accept: text/event-stream`. `after` replays what came since; a reconnecting event source is caught up by its Last-Event-ID. If a reset, a restore or an undo has replaced the journal since then, both continue with its entry, `world.reset`, `world.restored` or `world.undone`. If entries after it were removed, a message of type `notice` says which. With `clock=true` there are also messages of type `clock`, and with `calls=true` of type `calls` when APIs were called; neither are journal entries.",
    query: LiveQuery,
    run: ({ sandbox, headers, query }, reply) =>
      streamJournal(sandbox, headers, reply, readLiveQuery(sandbox, query)),
  }),
  call("GET /scenarios/runs/:id/events", {
    id: "followScenarioRun",
    tag: "Scenarios",
    summary: "What happens in a run, step by step, from its beginning",
    description:
      "Server-sent events: `run.started`, `step.started`, `step.ended` with the ledger of the step, `log`, `run.ended`. The stream ends with the run.",
    params: idOf("a run"),
    async run({ serving, params, headers }, reply) {
      const run = (await serving.scenarios()).run(params.id);
      const after = lastEventId(headers)?.seq ?? 0;
      return streamEvents(reply, (stream) => {
        let sent = after;
        let isOver = false;
        const sendMore = () => {
          for (; stream.isReady() && sent < run.events.length; sent += 1)
            stream.send(run.events[sent]!, run.events[sent]!.seq);
          if (sent < run.events.length) stream.whenReady(sendMore);
          else if (isOver) stream.end();
        };
        void run.done.then(() => {
          isOver = true;
          sendMore();
        });
        sendMore();
        return run.follow(sendMore);
      });
    },
  }),
];
