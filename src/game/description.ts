import { object, shortText } from "../schema/schema.ts";

/** A user-defined game, in the configuration and in fixtures. */
export const OWN_GAME = object(
  {
    slug: {
      type: "string",
      pattern: "^[a-z0-9]+(?:-[a-z0-9]+)*$",
      maxLength: 60,
      description: "The game's name in URLs and messages: lower-case letters, digits and hyphens.",
      errorMessage: "must be lower-case letters, digits and hyphens, such as my-game",
    },
    name: { ...shortText(100), description: "The game's name in lists." },
    id: {
      type: "string",
      pattern: "^[\\w.:-]{1,100}$",
      description: "The `gameId` that your game sends.",
      unset: "generated from the slug",
      errorMessage: "must be 1 to 100 letters, digits and the characters . _ : -",
    },
    secret: {
      type: "string",
      minLength: 16,
      maxLength: 200,
      description: "The secret that signs launcher JWTs and is part of request signatures.",
      unset: "a readable one generated from the slug",
      errorMessage: "must be a string of 16 to 200 characters",
    },
  },
  ["slug", "name"],
);
