import type { FileSender } from "../../webhooks/described.ts";
import type { Story } from "../stories/stories.ts";

/** Fits a sender's examples to a copy's rows. This happens only once. */
export interface Fitting {
  /** Looks for rows. @returns undefined if no row was found. @throws SandboxError like `exploreStories`; Stopped */
  find(): Promise<Fitted | undefined>;
}

export interface Fitted {
  /** Applies the found rows to a story in the sender's file; other stories stay unchanged. */
  fit(story: Story): Story;
  /** Whether rows of the copy were given ids from the examples. */
  setsRows: boolean;
  /** The event types that have an effect with the found rows. */
  effective: readonly string[];
  /** Applies the copy's values to a sender with the same examples. */
  knowing(sender: FileSender): FileSender;
}
