import { type Static, Type } from "typebox";
import { integer, listOf, nullable, oneOf, shape, text, VirtualTime } from "../http/shapes.ts";
import { PlayedSteps, SentType } from "../timeline/schemas.ts";
import { body, dataOf, idOf, nameOf, optional, partialBody } from "./common.ts";
import { operationsOf } from "./operation.ts";
import { JournalEntry } from "./records.ts";

/** How an event of a story can arrive. */
export const ARRIVALS = ["arrives", "lost", "twice", "late", "swapped"] as const;

const Arrival = oneOf(ARRIVALS);

export const EndpointStory = shape("EndpointStory", {
  name: Type.String(),
  title: Type.String(),
});

export const StoryOutline = shape("StoryOutline", {
  story: Type.String(),
  events: listOf(
    Type.Object({
      event: SentType,
      after_ms: integer("Milliseconds from the story's start to its first attempt."),
      can: listOf(Arrival, "The ways in which the event can arrive."),
    }),
    "What the endpoint gets when every event arrives once, in order.",
  ),
});

export const StoryToPlay = partialBody("StoryArrivals", {
  arrivals: listOf(
    Arrival,
    "How each event arrives, in order: arrives, lost, twice, late (after the timeout, with the next request) or swapped (with the next one at the same instant). Default: all arrive.",
  ),
});

export const PlayedSchedule = shape("PlayedSchedule", {
  world: Type.String(),
  webhook_id: Type.String(),
  ...PlayedSteps.properties,
  from: Type.String({ ...VirtualTime, description: "When it began." }),
  to: Type.String({ ...VirtualTime, description: "The time on the clock afterwards." }),
  wall_ms: integer("How long the story took, in real milliseconds."),
  ledger: listOf(JournalEntry, "The journal entries that the story caused, in order."),
});
export type PlayedSchedule = Static<typeof PlayedSchedule>;

export const SavedFinding = shape("SavedFinding", {
  name: Type.String(),
  file: text("The finding's file, relative to the folder where Sandglass was started."),
  story: Type.String(),
  sender: nullable(text("The sender of the finding's events; null for the platform.")),
  schedule: Type.Array(Type.String()),
  needs: nullable(text("Why the finding cannot be played against a running server; null if it can.")),
});

const operation = operationsOf("Stories");

const story = Type.Object({
  ...idOf("a webhook endpoint").properties,
  story: Type.String({ maxLength: 100, description: "The name of a story." }),
});

/** Operations that run stories against an endpoint with a chosen schedule, and that replay saved findings. */
export const storyOperations = [
  operation("stories.list", "GET /webhooks/:id/stories", {
    id: "listStories",
    summary: "The stories that can be played at an endpoint",
    description: "Lists the stories in the file of the endpoint's sender, or the platform's stories.",
    params: idOf("a webhook endpoint"),
    answer: dataOf(EndpointStory, "Stories"),
  }),
  operation("stories.outline", "GET /webhooks/:id/stories/:story", {
    id: "outlineStory",
    summary: "The events that an endpoint gets in a story",
    description: "The story is played in a separate world, where nothing is sent.",
    params: story,
    answer: StoryOutline,
  }),
  operation("stories.play", "POST /webhooks/:id/stories/:story", {
    id: "playSchedule",
    reachesOut: true,
    summary: "Play a story against your server, and set how each event arrives",
    description:
      "Plays the story in this world as `explore` would with the same schedule, until nothing from the story is due. Your server is used as it is, and nothing is copied or restored. `POST /_sandbox/undo` brings back the earlier world.",
    params: story,
    body: StoryToPlay,
    answer: PlayedSchedule,
  }),
  operation("findings.list", "GET /findings", {
    id: "listFindings",
    summary: "This project's saved findings",
    answer: dataOf(SavedFinding, "Findings"),
  }),
  operation("findings.save", "POST /findings", {
    id: "saveFinding",
    summary: "Save a played schedule as a finding",
    description:
      "Writes the file that `explore` would write, which `run`, `test` and `explore` replay. The file lists no expected values: your server's whole state must be the same as when everything goes well.",
    body: body("ScheduleToSave", {
      webhook_id: text("The endpoint at which the story was played."),
      story: Type.String({ maxLength: 100 }),
      schedule: Type.Array(Type.String({ maxLength: 60 }), {
        minItems: 1,
        maxItems: 9,
        description: "The deviations, as in a finding's file: lost@1, or resend@3.",
      }),
    }),
    answer: SavedFinding,
  }),
  operation("findings.play", "POST /findings/:name/play", {
    id: "playFinding",
    reachesOut: true,
    summary: "Play a finding against your server as it is",
    description:
      "Forks the world, and plays the finding's schedule there at an endpoint of its sender. Your server is neither copied nor restored, so it remembers what it received before.",
    params: nameOf("a finding"),
    body: body("FindingToPlay", {
      webhook_id: text("The endpoint whose URL receives the finding's events."),
      ...optional({ world: Type.String({ description: "The name of the fork. Default: a generated one." }) }),
    }),
    answer: PlayedSchedule,
  }),
];
