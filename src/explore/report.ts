import { clock } from "./times.ts";
import type { Exploration, Level } from "./explore.ts";
import { countFields } from "./state.ts";
import type { Story } from "./stories.ts";
import { attemptWords, differenceWords, durationWords, headline, reasonFor } from "./words.ts";
import { count } from "../story/text.ts";

type Color = (text: string) => string;
export type Paint = Record<"bold" | "dim" | "green" | "red" | "yellow", Color>;
