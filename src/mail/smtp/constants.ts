/** Known without the SMTP code, which is loaded only if there is a mail server. */

/** The names of what can be paused, as the log shows them: the connection, everyone, and the sender of a waitlist. */
export const MAIL_SERVER = 'mail server';
export const EVERYONE = 'sending emails';
export const SENDER_OF = 'sender of ';

/** To send the whole mail. */
export const SEND_MS_MAX = 20_000;
