import type { DeliveryTrigger } from "../timeline/shapes.ts";
import type { Sending, SendRequest } from "./exchange.ts";

/** Which attempt a request is of. */
export interface CourierAttempt {
  /** The delivery's id. */
  id: string;
  webhookId: string;
  eventId: string;
  event: string;
  attempt: number;
  trigger: DeliveryTrigger;
}

/** Takes a request to its subscriber, as the dispatcher does. `explore` stands between the two. */
export type Courier = (request: SendRequest, attempt: CourierAttempt) => Sending;

/** Puts something between attempts and the dispatcher. */
export type WrapCourier = (send: (request: SendRequest) => Sending) => Courier;
