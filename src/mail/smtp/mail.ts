/** As it is sent. */
export interface Mail {
  from: { name: string; address: string };
  replyTo: string | null;
  to: string;
  subject: string;
  text: string;
  html: string;
  /** null for mails that cannot be unsubscribed from. */
  unsubscribeLink: string | null;
}

/** Known without the SMTP code, which is loaded only if there is a mail server. To send the whole mail. */
export const SEND_MS_MAX = 20_000;
