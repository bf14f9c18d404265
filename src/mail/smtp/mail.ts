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
