import type { Formats } from './formats.ts';

type Count = (value: number) => string;
type About = (waitlist: string) => string;

/** The texts of one language. Values are plain text; pages escape them. */
export interface Texts {
  /** For `lang` attributes. */
  tag: string;
  dir: 'ltr' | 'rtl';
  formats: Formats;
  /** Between a title and a text on the same line. */
  stop: string;

  join: {
    title: About;
    inviteFor: (email: string) => string;
    inviteForUntil: (email: string, expires: string) => string;
    /** With a code for many, which says nothing about who has it. */
    enterEmail: About;
    enterEmailUntil: (waitlist: string, expires: string) => string;
    codeUsedUp: Notice;
    /** A code that lets nobody in. */
    forJoining: (waitlist: string) => Notice;
    accept: string;
    acceptedTitle: string;
    accepted: (waitlist: string, email: string) => string;
    /** On to the product. */
    continueTo: About;
    notFound: Notice;
    expired: Notice;
    revoked: Notice;
    alreadyAcceptedTitle: string;
    alreadyAccepted: About;
    /** How to go on, where the operators set no link to the product. */
    askSender: (waitlist: string, email: string) => string;
    askHost: About;
  };

  confirm: {
    title: string;
    ask: About;
    button: string;
    confirmedTitle: string;
    confirmed: About;
    expired: Notice;
    renew: string;
    renewed: Notice;
    unknown: Notice;
  };

  leave: {
    title: About;
    unsubscribeText: string;
    unsubscribe: string;
    leaveText: string;
    leave: string;
    unsubscribedTitle: string;
    unsubscribed: About;
    leftTitle: string;
    left: About;
    unknown: Notice;
  };

  errors: {
    title: string;
    /** For everything that has no text of its own. */
    other: string;
    rateLimited: string;
    unavailable: string;
    /** For somebody who asked for an email: there is no mail server, or their address bounced. */
    notEmailed: string;
    notFound: Notice;
  };

  form: {
    title: About;
    intro: string;
    email: string;
    code: string;
    emailExample: string;
    button: string;
    sending: string;
    optional: string;
    /** The first, empty option of a choice. */
    choose: string;
    /** The label of the field that people do not see and bots fill in. */
    leaveEmpty: string;
    /** A button that takes a suggested address. */
    useInstead: (email: string) => string;
    /** Without scripts, joining always needs a confirmed email. */
    confirmByEmail: string;
    /** With a CAPTCHA, nobody joins without scripts. */
    needsScripts: string;
    closed: Notice;
    /** For what looks like a bot. Does not say why. */
    refused: Notice;
    /** After a form on a site that is not allowed to have it. Ours is below. */
    wrongSite: string;
    problems: {
      summary: Count;
      emailRequired: string;
      emailInvalid: string;
      emailRole: string;
      emailTypo: (suggestion: string) => string;
      required: string;
      choiceInvalid: string;
      tooLong: Count;
      consentRequired: string;
      captchaRequired: string;
    };
  };

  joined: {
    title: string;
    text: About;
    checkInboxTitle: string;
    checkInbox: About;
    seeStatus: string;
    /** Of the code that was entered with the form. */
    code: { counts: Count; unusable: string };
  };

  status: {
    title: About;
    positionLabel: string;
    position: Count;
    /** The place in which somebody joined. */
    joinedAs: Count;
    /** By how many places referrals make them count as having joined earlier. */
    countsEarlier: Count;
    /** What the code is worth that they came with. */
    codeCounts: (places: number, code: string) => string;
    movedByTeam: string;
    referrals: Count;
    pending: Notice;
    resend: string;
    resent: string;
    invited: Notice;
    /** Instead of the text of `invited`, once a mail server has taken the email. */
    inviteSent: string;
    joined: Notice;
    removed: Notice;
    unknown: Notice;
    leave: string;
  };

  /** What people may do with their own data, behind a link that they get by mail. */
  ownData: {
    /** On the status page, and on the page behind the link. */
    download: string;
    delete: string;
    /** Also for somebody who only typed the address, and must not learn whether it gets emails. */
    sent: string;
    downloadTitle: string;
    downloadText: About;
    deleteTitle: string;
    deleteText: About;
    expired: Notice;
    /** Leads to the status page. */
    askAgain: string;
  };

  share: {
    title: string;
    /** Where referrals move nobody up. */
    titleUnmoved: string;
    /** With a boost: how many places one referral is worth. */
    movesUp: Count;
    text: string;
    linkLabel: string;
    copy: string;
    copied: string;
    share: string;
    on: (network: string) => string;
    byEmail: string;
    /** Beside the names of networks. */
    email: string;
    /** A prefilled post. The link follows. */
    post: About;
    emailSubject: About;
    /** What a link to a page says on other sites. */
    description: About;
  };

  mail: {
    templates: Record<MailTextKind, { subject: string; body: string }>;
    /** Why somebody got this mail. */
    reasons: { added: About; onList: About; invited: About; accepted: About };
    leave: string;
    /** A person's status page. */
    seeStatus: string;
  };
}

export interface Notice {
  title: string;
  text: string;
}

type MailTextKind =
  | 'confirm'
  | 'welcome'
  | 'moved-up'
  | 'invite'
  | 'invite-reminder'
  | 'accepted'
  | 'declined'
  | 'data-download'
  | 'data-deletion';
