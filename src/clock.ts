/** Milliseconds since 1970; handed in, so that tests can set the time. */
export type Clock = () => number;
