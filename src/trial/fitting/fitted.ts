import type { FileSender } from "../../webhooks/described.ts";
import type { Story } from "../stories/stories.ts";

/** Fits a sender's examples to the rows of a copy, once. */
export interface Fitting {
  /** Looks for rows. @returns undefined if no row was found. @throws SandboxError as `exploreStories`; Stopped */
  find(): Promise<Fitted | undefined>;
}

export interface Fitted {
  /** A story of the sender's file with the rows that were found; another story stays as it is. */
  fit(story: Story): Story;
  /** Whether rows of the copy got ids of the examples. */
  setsRows: boolean;
  /** The types of events that have an effect with the rows that were found. */
  effective: readonly string[];
  /** What the copy has, for a sender of the same examples. */
  knowing(sender: FileSender): FileSender;
}
