import { expect } from "vitest";
import type { SandglassConfig } from "../../src/library/config.ts";
import { type Answer, type CallOptions, type clientOf, type Json, startSandbox } from "./sandbox.ts";

/** The games that every world has. They are written out by hand rather than taken from the code. */
export const LANTERN = "6f1d2a7c40b8e35912cd7e04";
export const TIDE = "6f1d2a7c40b8e35912cd7e15";
export const ORBIT = "6f1d2a7c40b8e35912cd7e37";

/**
 * The names of the FeathersJS errors, with status and class name. They are written out by hand rather than taken from
 * the code.
 */
const ERRORS = {
  BadRequest: [400, "bad-request"],
  NotAuthenticated: [401, "not-authenticated"],
  Forbidden: [403, "forbidden"],
  NotFound: [404, "not-found"],
  MethodNotAllowed: [405, "method-not-allowed"],
  Conflict: [409, "conflict"],
  TooManyRequests: [429, "too-many-requests"],
  GeneralError: [500, "general-error"],
  Unavailable: [503, "unavailable"],
} as const;

/** Checks that a response has the format of a FeathersJS error, with the status and class for its name. */
export function expectGameError(answer: Answer, name: keyof typeof ERRORS, says = "", about = ""): void {
  const seen = `${about}: ${answer.status} ${answer.text.slice(0, 300)}`;
  const [status, className] = ERRORS[name];
  expect(answer.headers.get("content-type"), seen).toMatch(/^application\/json/);
  expect({ name: answer.body.name, status: answer.status }, seen).toEqual({ name, status });
  const { message } = answer.body;
  expect(answer.body, seen).toEqual({
    name,
    message,
    code: status,
    className,
    data: { success: false, error: message },
  });
  expect(message, seen).toMatch(/^\S.*[.)]$/s);
  expect(message, seen).toContain(says);
  expect(answer.text, seen).not.toMatch(/\\n\s+at |node_modules|\.ts:\d/);
}

export const wallet = (digit: string | number): string => `0x${String(digit).repeat(40).slice(0, 40)}`;

/** A player of a game, simulated by a test. */
export interface TestPlayer {
  token: string;
  player: { id: string; address: string; username: string; avatar: string };
  session_id: string;
  expires_at: string;
  /** Calls one of the launcher's operations with the given method. */
  call: (method: string, body?: Json, options?: CallOptions) => Promise<Answer>;
  /** Like `call`, for an operation that must succeed. Returns the body. */
  ok: (method: string, body?: Json) => Promise<Json>;
}

export const kebab = (method: string) => method.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Starts a sandbox for a test of the game launcher. It has no rules unless the test passes its own. */
export async function startGame(config: SandglassConfig["game"] = {}, rest: SandglassConfig = {}) {
  const sandbox = await startSandbox({ ...rest, game: { rules: [], ...config } });
  const done = async (answer: Promise<Answer>): Promise<Json> => {
    const { status, text, body } = await answer;
    expect(status, text.slice(0, 300)).toBe(200);
    return body;
  };
  return {
    ...sandbox,

    /** Creates a token for a new player, or for the given one. */
    async mint({ player, address, gameId = LANTERN, expiresIn = "24h" }: Json = {}): Promise<TestPlayer> {
      const who = player === undefined ? { address: address ?? wallet("a") } : { player };
      const minted = await done(sandbox.control("POST", "/game/tokens", { ...who, gameId, expiresIn }));
      return { ...minted, ...playing(sandbox, minted.token) };
    },

    endSession: (id: string) => done(sandbox.control("DELETE", `/game/sessions/${id}`)),
    removePlayer: (name: string) =>
      done(sandbox.control("DELETE", `/game/players/${encodeURIComponent(name)}`)),
    fault: (spec: Json) => done(sandbox.control("PUT", "/faults/game", spec)),
    reset: () => done(sandbox.control("POST", "/reset", {})),

    /** The leaderboard of a game. */
    leaderboard: (body: Json) =>
      sandbox.call("POST", "/game/scores", {
        body,
        headers: { "x-service-method": "getGameScoresLeaderboard" },
      }),
  };
}

function playing({ call }: ReturnType<typeof clientOf>, token: string) {
  const operation = (method: string, body: Json = {}, options: CallOptions = {}) =>
    call("POST", `/game/launcher/${kebab(method)}`, { body: { launcherJwt: token, ...body }, ...options });
  return {
    call: operation,
    async ok(method: string, body: Json = {}): Promise<Json> {
      const answer = await operation(method, body);
      expect(answer.status, `${method} ${answer.text.slice(0, 300)}`).toBe(200);
      return answer.body;
    },
  };
}
