import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Static } from "typebox";
import packageJson from "../../../package.json" with { type: "json" };
import type { Settings } from "../../config/config.ts";
import { didYouMean } from "../../errors/closest.ts";
import { invalidState, misuse, notFound } from "../../errors/errors.ts";
import type { ExploreFinding } from "../../library/finding.ts";
import type * as schemas from "../../operations/stories.ts";
import { PLATFORM_SENDER } from "../../payments/webhooks/platform.ts";
import { findWebhook } from "../../sandbox/endpoints.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Worlds } from "../../sandbox/worlds.ts";
import { storiesOf } from "../../senders/event-list.ts";
import { shippedSenders } from "../../senders/files.ts";
import { clip } from "../../timeline/text.ts";
import { chooseFindings, type FoundFinding } from "../findings/choose.ts";
import { eventOf, findingText, writeFindingFile } from "../findings/finding-file.ts";
import { readDeviation } from "../findings/finding-schema.ts";
import { type Bindings, storyOf, withKnown } from "../findings/play.ts";
import { senderStory } from "../stories/sender-story.ts";
import { STORIES, type Story } from "../stories/stories.ts";
import { type Arrival, KINDS, outlineOf } from "./outline.ts";
import { needOf, rehearse } from "./rehearse.ts";

type Answer<Name extends "EndpointStory" | "StoryOutline" | "PlayedSchedule" | "SavedFinding"> = Static<
  (typeof schemas)[Name]
>;

/**
 * The stories and findings that can be played against a user's server without changing it. See docs/guide/page.md,
 * "Stories and findings".
 */
export interface Rehearsals {
  /** @throws SandboxError `not_found` */
  stories(sandbox: Sandbox, webhook: string): Answer<"EndpointStory">[];
  outline(sandbox: Sandbox, webhook: string, story: string): Promise<Answer<"StoryOutline">>;
  /** @throws SandboxError `bad_request` for an arrival that cannot happen; and like `rehearse` */
  play(
    sandbox: Sandbox,
    webhook: string,
    story: string,
    arrivals?: readonly Arrival[],
  ): Promise<Answer<"PlayedSchedule">>;
  findings(): Promise<Answer<"SavedFinding">[]>;
  /** @throws SandboxError `bad_request`; `invalid_state` in a folder without a project */
  save(
    sandbox: Sandbox,
    what: { webhook_id: string; story: string; schedule: readonly string[] },
  ): Promise<Answer<"SavedFinding">>;
  /** Plays a finding in a fork of a world. @throws SandboxError `not_found`, `bad_request`; and like `rehearse` */
  playFinding(
    sandbox: Sandbox,
    name: string,
    where: { webhook_id: string; world?: string | undefined },
  ): Promise<Answer<"PlayedSchedule">>;
}

interface RehearsalsOptions {
  worlds: Worlds;
  settings: Settings;
  /** The folder in which Sandglass was started. */
  folder: string;
}

/** Files that indicate a project. */
const OF_PROJECT = (
  "package.json .git sandglass sandbox.config.ts sandbox.config.mjs sandbox.config.js sandbox.config.json " +
  "pyproject.toml requirements.txt composer.json Gemfile go.mod pom.xml build.gradle Cargo.toml"
).split(" ");

export function createRehearsals({ worlds, settings, folder }: RehearsalsOptions): Rehearsals {
  const bindings: Bindings = {
    ...{ settings, cwd: folder, senders: settings.senders, stories: settings.subject.stories ?? [] },
    invariant: undefined,
  };

  const endpointOf = (sandbox: Sandbox, id: string) => findWebhook(sandbox.webhooks.engine, id);

  /** The stories of an endpoint's sender. */
  function allStories(sandbox: Sandbox, id: string): readonly Story[] {
    const { sender: name } = endpointOf(sandbox, id);
    if (name !== PLATFORM_SENDER) {
      const sender = sandbox.webhooks.engine.senders.file(name);
      return storiesOf(sender).map((one) => senderStory(sender, name, one));
    }
    const { confirmationDelay: delay } = sandbox.settings.payments;
    // A rush tests how many events a handler remembers, and a payment's delay is fixed by its world.
    return STORIES.filter((one) => !one.isBackground && (one.confirmationDelay ?? delay) === delay);
  }

  function storyAt(sandbox: Sandbox, id: string, name: string): Story {
    const all = allStories(sandbox, id);
    const story = all.find((one) => one.name === name);
    if (story) return story;
    const names = all.map((one) => one.name);
    throw notFound(
      `This endpoint's sender has no story ${clip(name, 60)}.`,
      didYouMean(name, names, `Its stories: ${names.join(", ")}.`),
    );
  }

  const outline = (sandbox: Sandbox, id: string, name: string) =>
    outlineOf({
      settings: sandbox.settings,
      story: storyAt(sandbox, id, name),
      endpoint: sandbox.webhooks.list({}).data.find((one) => one.id === id)!,
    });

  const viewOf = ({ name, file, data, schedule }: FoundFinding): Answer<"SavedFinding"> => ({
    ...{ name, file, story: data.story, sender: data.sender ?? null, schedule: data.schedule },
    needs: needOf(schedule) ?? null,
  });

  async function findingCalled(name: string): Promise<FoundFinding> {
    const { findings } = await chooseFindings([name], settings.findings, folder);
    const [found] = findings;
    if (found) return found;
    throw notFound(
      `There is no finding ${name} in ${settings.findings}.`,
      "GET /_sandbox/findings lists the findings.",
    );
  }

  return {
    stories: (sandbox, id) => allStories(sandbox, id).map(({ name, title }) => ({ name, title })),
    outline,

    async play(sandbox, webhook, name, arrivals = []) {
      const { events } = await outline(sandbox, webhook, name);
      for (const [index, arrival] of arrivals.entries())
        if (!events[index]?.can.includes(arrival))
          throw misuse(
            events[index]
              ? `Event ${index + 1}, ${events[index].event}, cannot be ${arrival}: it can be ${events[index].can.join(", ")}.`
              : `The story ${name} has ${events.length} events, not ${arrivals.length}.`,
            "GET the story to see how its events can arrive.",
            `arrivals[${index}]`,
          );
      const wishes = arrivals.map((arrival) => (arrival === "arrives" ? undefined : KINDS[arrival]));
      return rehearse({ sandbox, webhook, story: storyAt(sandbox, webhook, name), schedule: [], wishes });
    },

    async findings() {
      const { findings } = await chooseFindings([], settings.findings, folder);
      return findings.map(viewOf);
    },

    async save(sandbox, { webhook_id: id, story: name, schedule }) {
      const story = storyAt(sandbox, id, name);
      for (const [index, text] of schedule.entries())
        if (!/^[a-z0-9-]+@[1-9]\d*(\+[1-9]\d*)?$/.test(text) || !readDeviation(text, []))
          throw misuse(
            `schedule[${index}] must be a deviation and the number of its attempt, such as lost@1, not '${clip(text, 60)}'.`,
            "Use the schedule that playing the story returns.",
            `schedule[${index}]`,
          );
      if (!OF_PROJECT.some((one) => existsSync(join(folder, one))))
        throw invalidState(
          "Sandglass was not started in a project folder, so there is nowhere to save findings.",
          "Start it where your handler is: cd your-project && npx sandglass",
        );
      const { by } = story;
      const data: ExploreFinding = {
        ...{ finding: name, story: story.name },
        ...(by && {
          sender: by.sender.name,
          ...(shippedSenders().includes(by.sender.name) && { version: packageJson.version }),
          ...(by.isListed && { events: by.events.map(eventOf) }),
        }),
        schedule: [...schedule],
      };
      const kinds = [...new Set(schedule.map((text) => text.replace(/@.*/, "")))];
      const base = [story.name.replace(":", "-"), ...kinds].join("-").slice(0, 50).replace(/-$/, "");
      const path = await writeFindingFile(resolve(folder, settings.findings), base, (finding) =>
        findingText({ ...data, finding }, { title: `${clip(story.title, 100)}. Set by hand on the page` }),
      );
      return viewOf(await findingCalled(relative(folder, path)));
    },

    async playFinding(sandbox, name, { webhook_id: id, world }) {
      const finding = await withKnown(await findingCalled(name), bindings);
      const { schedule, data } = finding;
      const need = needOf(schedule);
      if (need !== undefined)
        throw invalidState(`${need}.`, `Run it on the command line: npx sandglass run ${name}`);
      const story = await storyOf(finding, bindings);
      if (story.settingsFor)
        throw invalidState(
          `${name} runs a scenario, which starts in its own world.`,
          `Run it on the command line: npx sandglass run ${name}`,
        );
      const { sender } = endpointOf(sandbox, id);
      const needed = data.sender ?? PLATFORM_SENDER;
      if (sender !== needed)
        throw misuse(
          `${name} is about ${needed} webhooks, but this endpoint receives webhooks from ${sender}.`,
          `Choose an endpoint for ${needed}, or register one.`,
          "webhook_id",
        );
      const { settings: own } = sandbox;
      const { confirmationDelay = own.payments.confirmationDelay } = story;
      const fork = await worlds.create({
        ...(world !== undefined && { name: world }),
        settings: { ...own, payments: { ...own.payments, confirmationDelay } },
        ...{ from: sandbox.world.name, through: sandbox.world.name, clock: { mode: "paused" as const } },
      });
      try {
        const played = await rehearse({ sandbox: fork, webhook: id, story, finding: name, schedule });
        // A server that is not reset would mistake the next fork's ids for this one's.
        sandbox.world.random.skipLike(fork.world.random);
        return played;
      } catch (error) {
        worlds.remove(fork.world.name);
        throw error;
      }
    },
  };
}
