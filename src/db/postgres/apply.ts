/** The setting in which a transaction notes whether it writes. Unset in most, or empty when it was set in an earlier one. */
export const APPLY = 'doorlist.apply';
/** Evaluated once for each statement. */
export const APPLIES = `coalesce(current_setting('${APPLY}', true), '') <> 'no'`;
