export * from "./contract.js";
export { MemoryClientError } from "./errors.js";
export { MemoryClient } from "./client.js";
export type { ClientOptions, Retries } from "./connection.js";
