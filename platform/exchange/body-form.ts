// Converts grant requests to JSON if the core requests it.

import type { HttpRequest } from "../contracts.ts";
import { FORM_TYPE, formFields } from "../text/form.ts";
import { bytesOf } from "../text/text.ts";
import { Filter } from "./filter.ts";

export class BodyForm extends Filter {
  readonly #isJson: () => boolean;

  constructor(isJson: () => boolean) {
    super();
    this.#isJson = isJson;
  }

  override send(request: HttpRequest): void {
    const isForm = request.contentType === FORM_TYPE && request.bodyTo > request.bodyFrom;
    this.below.send(isForm && this.#isJson() ? asJson(request) : request);
  }
}

function asJson(request: HttpRequest): HttpRequest {
  const { body, bodyFrom, bodyTo } = request;
  const json = bytesOf(JSON.stringify(formFields(body, bodyFrom, bodyTo)));
  const range = { body: json, bodyFrom: 0, bodyTo: json.length };
  return { ...request, contentType: "application/json", ...range };
}
