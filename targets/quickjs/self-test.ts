// When the device program confirms the image that it runs from (FORMAT.md, "Confirmation"): once a server
// has answered it, whatever the answer was, or once it has come to rest without having to ask anybody. A
// program of your own calls picograntBoot.confirm() after a test of its own.

import type { DeviceConfig } from "../../platform/configuration/device-config.ts";
import type { Bytes, HttpRequest, HttpSink, TransportFailure } from "../../platform/contracts.ts";
import type { QuickJsPlatform } from "../../platform/quickjs/index.ts";
import type { Emit } from "./app.ts";
import type { Boot } from "./boot.ts";

/** The platform, its exchanges watched until one is complete. */
export function withSelfTest(platform: QuickJsPlatform, boot: Boot | undefined): QuickJsPlatform {
  if (boot === undefined) return platform;
  const { http } = platform;
  const watch = new Watch(boot);
  const watched: QuickJsPlatform["http"] = {
    send: (request: HttpRequest, sink: HttpSink) => http.send(request, watch.on(sink)),
    abort: () => http.abort(),
  };
  return Object.assign(Object.create(platform) as QuickJsPlatform, { http: watched });
}

/** The device's events, watched for a state that waits for its user alone. */
export function confirmAtRest(emit: Emit, config: DeviceConfig, boot: Boot | undefined): Emit {
  // Whoever discovers addresses is signed out until the answer is there.
  if (boot === undefined || config.issuer !== undefined) return emit;
  return (event, bytes) => {
    if (event.state === "signed-out" || event.state === "signed-in") boot.confirm();
    emit(event, bytes);
  };
}

/** Stands before the sink of one exchange at a time; an object once, not one for each poll. */
class Watch implements HttpSink {
  private sink: HttpSink | undefined;
  private isConfirmed = false;

  constructor(private readonly boot: Boot) {}

  on(sink: HttpSink): HttpSink {
    if (this.isConfirmed) return sink;
    this.sink = sink;
    return this;
  }

  status(status: number, retryAfterSeconds: number): void {
    this.sink?.status(status, retryAfterSeconds);
  }

  body(bytes: Bytes, from: number, to: number): void {
    this.sink?.body(bytes, from, to);
  }

  end(): void {
    // The core takes the answer first: an image that fails over it has not passed.
    this.sink?.end();
    this.isConfirmed ||= this.boot.confirm();
  }

  failed(failure: TransportFailure): void {
    this.sink?.failed(failure);
  }
}
