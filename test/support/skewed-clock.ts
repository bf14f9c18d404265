/** Imported before anything else, by a process whose clock is to be wrong. */
const right = Date.now;
const skewMs = Number(process.env.CLOCK_SKEW_MS);
Date.now = () => right() + skewMs;
