import type { DeliveryTrigger } from "../timeline/shapes.ts";
import type { Sending, SendRequest } from "./exchange.ts";

/** The attempt that a request belongs to. */
export interface CourierAttempt {
  id: string;
  webhookId: string;
  eventId: string;
  event: string;
  attempt: number;
  trigger: DeliveryTrigger;
}

/** Sends a request to its subscriber. This is the dispatcher by default; a delivery schedule inserts its own courier. */
export type Courier = (request: SendRequest, attempt: CourierAttempt) => Sending;

/** Wraps the dispatcher for attempts. */
export type WrapCourier = (send: (request: SendRequest) => Sending) => Courier;
