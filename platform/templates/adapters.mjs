// The five adapters together: what `picogrant conform` tests and device.mjs runs on.

export { makeDisplay } from "./display.mjs";
export { makeEntropy } from "./entropy.mjs";
export { makeHttp } from "./http.mjs";
export { makeStorage } from "./storage.mjs";
export { makeTimers } from "./timers.mjs";
