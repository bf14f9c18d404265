/** Imported first by a process that needs a wrong clock. */
const right = Date.now;
const skewMs = Number(process.env.CLOCK_SKEW_MS);
Date.now = () => right() + skewMs;
