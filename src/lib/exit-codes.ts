export const FAILED = 1;
export const USAGE = 2;
/** EX_TEMPFAIL of sysexits.h: mail servers keep the message and call again. */
export const TRY_AGAIN = 75;

export const EXIT_CODES = `Exit codes: 0 success, ${FAILED} failure, ${USAGE} wrong usage, ${TRY_AGAIN} try again later (the installation cannot be used now).`;
