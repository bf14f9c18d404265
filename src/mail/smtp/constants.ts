/** Known without the SMTP code, which is loaded only if there is a mail server. To send the whole mail. */
export const SEND_MS_MAX = 20_000;
