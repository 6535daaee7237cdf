import type { DeliveryTrigger } from "../timeline/shapes.ts";
import type { Sending, SendRequest } from "./exchange.ts";

/** The attempt of a request. */
export interface CourierAttempt {
  /** The delivery's id. */
  id: string;
  webhookId: string;
  eventId: string;
  event: string;
  attempt: number;
  trigger: DeliveryTrigger;
}

/** Sends a request to its subscriber. By default the dispatcher does; a schedule of deliveries puts its own courier in between. */
export type Courier = (request: SendRequest, attempt: CourierAttempt) => Sending;

/** Wraps the dispatcher for attempts. */
export type WrapCourier = (send: (request: SendRequest) => Sending) => Courier;
