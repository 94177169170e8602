// The five adapters together. Test them with platform/templates/check.mjs, run them with its device.mjs.

export { makeDisplay } from "./display.mjs";
export { makeEntropy } from "./entropy.mjs";
export { makeHttp } from "./http.mjs";
export { makeStorage } from "./storage.mjs";
export { makeTimers } from "./timers.mjs";
