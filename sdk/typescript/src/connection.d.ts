/** How often and how patiently a request is sent again; times are seconds. */
export interface Retries {
  attempts: number;
  firstWait: number;
  longestWait: number;
}

export interface ClientOptions {
  /** Everything is read and written for this user. */
  userId?: string;
  /** Seconds of one attempt. */
  timeout?: number;
  retries?: Partial<Retries>;
}

export declare class Connection {
  constructor(url: string, apiKey: string, options?: ClientOptions);
}
