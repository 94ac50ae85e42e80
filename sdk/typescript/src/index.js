export { MemoryClientError } from "./errors.js";
export { MemoryClient } from "./client.js";
