import { formatsOf } from './formats.ts';
import type { Texts } from './texts.ts';

const formats = formatsOf('de-DE');
const { count } = formats;

/** People are addressed as „du“. “E‑Mail‑Adresse” has hyphens that do not break. */
export const de: Texts = {
  tag: 'de',
  dir: 'ltr',
  formats,
  stop: '. ',

  join: {
    title: (waitlist) => `Deine Einladung zu ${waitlist}`,
    inviteFor: (email) => `Diese Einladung gilt für ${email}. Du kannst sie einmal einlösen.`,
    inviteForUntil: (email, expires) =>
      `Diese Einladung gilt für ${email} und läuft am ${expires} ab. Du kannst sie einmal einlösen.`,
    enterEmail: (waitlist) => `Gib deine E‑Mail-Adresse ein, um Zugang zu ${waitlist} zu bekommen.`,
    enterEmailUntil: (waitlist, expires) =>
      `Gib deine E‑Mail-Adresse ein, um Zugang zu ${waitlist} zu bekommen. Die Einladung läuft am ${expires} ab.`,
    codeUsedUp: { title: 'Dieser Code ist aufgebraucht', text: 'Er wurde so oft eingelöst wie möglich.' },
    forJoining: (waitlist) => ({
      title: 'Ein Code für die Warteliste',
      text: `Mit diesem Code kommst du in der Reihe weiter nach vorn. Gib ihn ein, wenn du dich auf die Warteliste für ${waitlist} setzt.`,
    }),
    accept: 'Einladung annehmen',
    acceptedTitle: 'Du bist dabei',
    accepted: (waitlist, email) =>
      `Du hast die Einladung zu ${waitlist} für ${email} angenommen. Willkommen!`,
    continueTo: (waitlist) => `Weiter zu ${waitlist}`,
    notFound: {
      title: 'Einladung nicht gefunden',
      text: 'Der Link ist unvollständig. Kopiere ihn noch einmal aus deiner E‑Mail.',
    },
    expired: { title: 'Diese Einladung ist abgelaufen', text: 'Sie kann nicht mehr angenommen werden.' },
    revoked: {
      title: 'Diese Einladung wurde zurückgezogen',
      text: 'Sie kann nicht mehr angenommen werden.',
    },
    alreadyAcceptedTitle: 'Schon angenommen',
    alreadyAccepted: (waitlist) => `Die Einladung zu ${waitlist} wurde bereits angenommen.`,
    askSender: (waitlist, email) => `Du weißt nicht, wie es bei ${waitlist} weitergeht? Schreib an ${email}.`,
    askHost: (waitlist) =>
      `Du weißt nicht, wie es bei ${waitlist} weitergeht? Frag die Person, die dich eingeladen hat.`,
  },

  confirm: {
    title: 'Bestätige deine E‑Mail‑Adresse',
    ask: (waitlist) => `Bestätige deine E‑Mail‑Adresse, um auf die Warteliste für ${waitlist} zu kommen.`,
    button: 'Bestätigen',
    confirmedTitle: 'Deine E‑Mail‑Adresse ist bestätigt',
    confirmed: (waitlist) => `Du stehst auf der Warteliste für ${waitlist}. Du kannst diese Seite schließen.`,
    expired: {
      title: 'Dieser Link ist abgelaufen',
      text: 'Links sind 7 Tage gültig. Wir können dir einen neuen schicken.',
    },
    renew: 'Neuen Link schicken',
    renewed: {
      title: 'Schau in dein Postfach',
      text: 'Ein neuer Link ist unterwegs. Wir verschicken höchstens einen pro Tag.',
    },
    unknown: {
      title: 'Dieser Link funktioniert nicht',
      text: 'Er ist unvollständig, oder die Adresse steht nicht mehr auf der Warteliste. Kopiere den Link noch einmal aus deiner E‑Mail.',
    },
  },

  leave: {
    title: (waitlist) => `E‑Mails von ${waitlist}`,
    unsubscribeText:
      'Bestelle diese E‑Mails ab und behalte deinen Platz auf der Warteliste. Wenn du eingeladen wirst, melden wir uns trotzdem.',
    unsubscribe: 'E‑Mails abbestellen',
    leaveText:
      'Oder verlasse die Warteliste. Dann löschen wir deinen Platz, deine Einladungen und alle deine Daten auf dieser Warteliste. Das lässt sich nicht rückgängig machen.',
    leave: 'Verlassen und Daten löschen',
    unsubscribedTitle: 'E‑Mails abbestellt',
    unsubscribed: (waitlist) => `Du bekommst diese E‑Mails von ${waitlist} nicht mehr.`,
    leftTitle: 'Du hast die Warteliste verlassen',
    left: (waitlist) => `Dein Platz auf der Warteliste für ${waitlist} und alle deine Daten wurden gelöscht.`,
    unknown: {
      title: 'Dieser Link funktioniert nicht',
      text: 'Der Link ist unvollständig, oder diese Adresse hat die Warteliste schon verlassen.',
    },
  },

  errors: {
    title: 'Das hat nicht geklappt',
    other: 'Bitte versuche es noch einmal.',
    rateLimited: 'Zu viele Anfragen. Warte eine Minute und versuche es noch einmal.',
    unavailable: 'Wir sind gerade nicht erreichbar. Bitte versuche es gleich noch einmal.',
    notEmailed: 'Wir können dir gerade keine E‑Mail schicken. Bitte versuche es später noch einmal.',
    notFound: {
      title: 'Seite nicht gefunden',
      text: 'Prüfe die Adresse oder kopiere den Link noch einmal.',
    },
  },

  form: {
    title: (waitlist) => `Komm auf die Warteliste für ${waitlist}`,
    intro: 'Hinterlasse deine E‑Mail‑Adresse. Wir melden uns, sobald du an der Reihe bist.',
    email: 'E‑Mail‑Adresse',
    code: 'Code',
    emailExample: 'name@example.com',
    button: 'Auf die Warteliste setzen',
    sending: 'Wird gesendet …',
    optional: 'optional',
    choose: 'Bitte auswählen',
    leaveEmpty: 'Dieses Feld leer lassen',
    useInstead: (email) => `${email} verwenden`,
    confirmByEmail: 'Zur Bestätigung schicken wir dir eine E‑Mail.',
    needsScripts: 'Aktiviere JavaScript, um dich anzumelden.',
    closed: { title: 'Diese Warteliste ist geschlossen', text: 'Neue Anmeldungen sind nicht mehr möglich.' },
    refused: {
      title: 'Die Anmeldung hat nicht geklappt',
      text: 'Lade die Seite neu und versuche es noch einmal.',
    },
    wrongSite:
      'Die Seite, von der du kommst, darf dieses Formular nicht verwenden. Du kannst dich stattdessen hier eintragen.',
    problems: {
      summary: count({ one: 'Prüfe das markierte Feld.', other: 'Prüfe die # markierten Felder.' }),
      emailRequired: 'Gib deine E‑Mail‑Adresse ein.',
      emailInvalid: 'Gib eine gültige E‑Mail‑Adresse ein.',
      emailRole: 'Gib eine persönliche Adresse ein. Gemeinsame wie info@ sind hier nicht möglich.',
      emailTypo: (email) => `Meintest du ${email}?`,
      required: 'Dieses Feld ist erforderlich.',
      choiceInvalid: 'Wähle eine der Optionen aus.',
      tooLong: count({ other: 'Höchstens # Zeichen.' }),
      consentRequired: 'Bitte setze hier ein Häkchen.',
      captchaRequired: 'Bestätige, dass du kein Roboter bist.',
    },
  },

  joined: {
    title: 'Du stehst auf der Liste',
    text: (waitlist) =>
      `Danke für deine Anmeldung zur Warteliste für ${waitlist}. Wir schreiben dir, sobald du an der Reihe bist.`,
    checkInboxTitle: 'Schau in dein Postfach',
    checkInbox: (waitlist) =>
      `Öffne den Link in unserer E‑Mail, um deinen Platz auf der Warteliste für ${waitlist} zu bestätigen.`,
    seeStatus: 'Deinen Platz ansehen',
    code: {
      counts: count({
        one: 'Mit deinem Code zählst du, als hättest du dich # Platz früher angemeldet.',
        other: 'Mit deinem Code zählst du, als hättest du dich # Plätze früher angemeldet.',
      }),
      unusable: 'Dein Code zählt nicht. Er ist falsch geschrieben, abgelaufen oder aufgebraucht.',
    },
  },

  status: {
    title: (waitlist) => `Dein Platz auf der Warteliste für ${waitlist}`,
    positionLabel: 'Aktueller Platz',
    position: (position) => `Du bist auf Platz ${formats.number(position)}.`,
    joinedAs: (place) => `Du hast dich als Nummer ${formats.number(place)} angemeldet.`,
    countsEarlier: count({
      one: 'Deine Empfehlungen zählen, als hättest du dich # Platz früher angemeldet.',
      other: 'Deine Empfehlungen zählen, als hättest du dich # Plätze früher angemeldet.',
    }),
    codeCounts: (places, code) =>
      `Mit dem Code ${code} zählst du, als hättest du dich ${formats.number(places)} ${places === 1 ? 'Platz' : 'Plätze'} früher angemeldet.`,
    movedByTeam: 'Das Team hat deinen Platz geändert.',
    referrals: count({
      zero: 'Über deinen Link hat sich noch niemand angemeldet.',
      one: '# Person hat sich über deinen Link angemeldet.',
      other: '# Personen haben sich über deinen Link angemeldet.',
    }),
    pending: {
      title: 'Bestätige deine E‑Mail‑Adresse',
      text: 'Öffne den Link in unserer E‑Mail, um deinen Platz zu bekommen.',
    },
    resend: 'E‑Mail noch einmal schicken',
    resent:
      'Die E‑Mail ist unterwegs. Schau auch in deinen Spam-Ordner. Wir verschicken höchstens eine pro Tag.',
    invited: { title: 'Du bist an der Reihe', text: 'Du bist eingeladen.' },
    inviteSent: 'Wir haben dir eine Einladung geschickt. Schau in dein Postfach.',
    joined: { title: 'Du bist dabei', text: 'Du hast deine Einladung angenommen.' },
    removed: {
      title: 'Du stehst nicht auf der Liste',
      text: 'Diese Adresse steht nicht mehr auf der Warteliste.',
    },
    unknown: {
      title: 'Dieser Link funktioniert nicht',
      text: 'Der Link ist unvollständig, oder diese Adresse hat die Warteliste verlassen.',
    },
    leave: 'Abbestellen oder Warteliste verlassen',
  },

  ownData: {
    download: 'Meine Daten herunterladen',
    delete: 'Meine Daten löschen',
    sent: 'Wenn wir dieser Adresse schreiben können, ist ein Link unterwegs. Er ist eine Stunde gültig. Schau auch in deinen Spam-Ordner. Wir verschicken höchstens drei E‑Mails pro Tag.',
    downloadTitle: 'Deine Daten herunterladen',
    downloadText: (waitlist) =>
      `Die Datei enthält alles, was auf der Warteliste für ${waitlist} über dich gespeichert ist.`,
    deleteTitle: 'Deine Daten löschen',
    deleteText: (waitlist) =>
      `Wir löschen deinen Platz, deine Einladungen und alle deine Daten auf der Warteliste für ${waitlist}. Das lässt sich nicht rückgängig machen.`,
    expired: { title: 'Dieser Link ist abgelaufen', text: 'Links zu deinen Daten sind eine Stunde gültig.' },
    askAgain: 'Neuen Link anfordern',
  },

  share: {
    title: 'Du möchtest schneller rein?',
    titleUnmoved: 'Erzähl es weiter',
    movesUp: count({
      one: 'Teile deinen Link. Mit jeder Anmeldung darüber zählst du, als wärst du #\u00a0Platz früher dazugekommen.',
      other:
        'Teile deinen Link. Mit jeder Anmeldung darüber zählst du, als wärst du #\u00a0Plätze früher dazugekommen.',
    }),
    text: 'Teile deinen Link mit Freunden.',
    linkLabel: 'Dein Link',
    copy: 'Link kopieren',
    copied: 'Kopiert',
    share: 'Teilen',
    on: (network) => `Auf ${network} teilen`,
    byEmail: 'Per E‑Mail teilen',
    email: 'E‑Mail',
    post: (waitlist) => `Ich stehe jetzt auf der Warteliste für ${waitlist}. Mach auch mit:`,
    emailSubject: (waitlist) => `Komm mit auf die Warteliste für ${waitlist}`,
    description: (waitlist) => `Komm auf die Warteliste für ${waitlist} und sichere dir deinen Platz.`,
  },

  mail: {
    templates: {
      confirm: {
        subject: 'Bestätige deinen Platz auf der Warteliste für {{ waitlist }}',
        body: `# Bestätige deine E‑Mail‑Adresse

Jemand, hoffentlich du, hat diese Adresse auf die Warteliste für **{{ waitlist }}** gesetzt. Bestätige sie, um dabei zu sein.

[E‑Mail‑Adresse bestätigen]({{ confirmLink }})

Der Link ist 7 Tage gültig. Das warst nicht du? Dann ignoriere diese E‑Mail. Du kommst nicht auf die Warteliste.
`,
      },
      welcome: {
        subject: 'Du stehst auf der Warteliste für {{ waitlist }}',
        body: `# Du stehst auf der Liste

Danke für deine Anmeldung zur Warteliste für **{{ waitlist }}**.{% if position %} Du bist auf **Platz\u00a0{{ position | number }}**.{% endif %} Wir schreiben dir, sobald du an der Reihe bist.

[Deinen Platz ansehen]({{ statusLink }})
{% if referralLink %}
{% if boost == 0 or position == 1 %}## Erzähl es weiter

Teile deinen Link mit Freunden.{% else %}## Du möchtest schneller rein?

Teile deinen Link. Mit jeder Anmeldung darüber zählst du, als wärst du früher dazugekommen.{% endif %}

{{ referralLink }}
{% endif %}`,
      },
      'moved-up': {
        subject: 'Du bist auf der Warteliste für {{ waitlist }} vorgerückt',
        body: `# Du bist vorgerückt

Dank dir hat sich jemand zur Warteliste für **{{ waitlist }}** angemeldet. Du bist jetzt auf **Platz\u00a0{{ position | number }}**, mit {{ referrals | number }} {% if referrals == 1 %}Empfehlung{% else %}Empfehlungen{% endif %}.
{% if referralLink %}
[Link noch einmal teilen]({{ statusLink }})
{% endif %}`,
      },
      invite: {
        subject: 'Deine Einladung zu {{ waitlist }}',
        body: `# Du bist an der Reihe

Dein Zugang zu **{{ waitlist }}** steht bereit.

[Einladung annehmen]({{ joinLink }})

Falls du nach einem Code gefragt wirst, gib diesen ein:

\`{{ inviteCode }}\`
{% if expiresAt %}
Diese Einladung gilt nur für dich und läuft am {{ expiresAt }} ab.
{% else %}
Diese Einladung gilt nur für dich und nur einmal.
{% endif %}`,
      },
      'invite-reminder': {
        subject: 'Deine Einladung zu {{ waitlist }} läuft bald ab',
        body: `# Deine Einladung läuft bald ab

Deine Einladung zu **{{ waitlist }}** läuft am {{ expiresAt }} ab. Danach funktioniert ihr Link nicht mehr.

[Einladung annehmen]({{ joinLink }})

Falls du nach einem Code gefragt wirst, gib diesen ein:

\`{{ inviteCode }}\`
`,
      },
      accepted: {
        subject: 'Willkommen bei {{ waitlist }}',
        body: `# Du bist dabei

Du hast deine Einladung zu **{{ waitlist }}** angenommen. Schön, dass du da bist.

Das warst nicht du? Dann antworte bitte auf diese E‑Mail.
`,
      },
      declined: {
        subject: 'Zu deinem Platz auf der Warteliste für {{ waitlist }}',
        body: `# Wir können dir keinen Platz anbieten

Danke für dein Interesse an **{{ waitlist }}**. Leider können wir dir im Moment keinen Platz anbieten. Falls sich das ändert, schreiben wir dir.

Hast du Fragen? Antworte einfach auf diese E‑Mail.
`,
      },
      'data-download': {
        subject: 'Deine Daten von der Warteliste für {{ waitlist }}',
        body: `# Deine Daten herunterladen

Jemand, hoffentlich du, möchte haben, was auf der Warteliste für **{{ waitlist }}** über dich gespeichert ist.

[Meine Daten herunterladen]({{ downloadLink }})

Der Link ist eine Stunde gültig. Das warst nicht du? Dann ignoriere diese E‑Mail. Niemand sonst bekommt deine Daten.
`,
      },
      'data-deletion': {
        subject: 'Deine Daten von der Warteliste für {{ waitlist }} löschen',
        body: `# Deine Daten löschen

Jemand, hoffentlich du, möchte deinen Platz und alle deine Daten auf der Warteliste für **{{ waitlist }}** löschen. Gelöscht wird erst, wenn du es bestätigst.

[Meine Daten löschen]({{ deletionLink }})

Der Link ist eine Stunde gültig. Das warst nicht du? Dann ignoriere diese E‑Mail. Dein Platz bleibt, wie er ist.
`,
      },
    },
    reasons: {
      added: (waitlist) =>
        `Du bekommst diese E‑Mail, weil diese Adresse in die Warteliste für ${waitlist} eingetragen wurde.`,
      onList: (waitlist) =>
        `Du bekommst diese E‑Mail, weil diese Adresse auf der Warteliste für ${waitlist} steht.`,
      invited: (waitlist) => `Du bekommst diese E‑Mail, weil du zu ${waitlist} eingeladen wurdest.`,
      accepted: (waitlist) =>
        `Du bekommst diese E‑Mail, weil du eine Einladung zu ${waitlist} angenommen hast.`,
    },
    leave: 'Abbestellen oder Warteliste verlassen',
    seeStatus: 'Deinen Platz ansehen',
  },
};
