// States, events and errors of the core in words.
import { ErrorCode, Event, State } from "../../../../core/complete.ts";

function words(name: string): string {
  return name.toLowerCase().replaceAll("_", " ");
}

export function stateName(state: number): string {
  return words(State[state] ?? `state ${state}`);
}

export function eventName(event: number): string {
  return words(Event[event] ?? `event ${event}`);
}

export function errorName(error: number): string {
  return error === ErrorCode.NONE ? "" : words(ErrorCode[error] ?? `error ${error}`);
}
