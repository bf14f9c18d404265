import { formatsOf } from './formats.ts';
import type { Texts } from './texts.ts';

const formats = formatsOf('fr-FR');
const { count } = formats;

/** People are addressed as « vous ». A no-break space precedes `?`, `!` and `:`, and “e‑mail” has a
 * hyphen that does not break. */
export const fr: Texts = {
  tag: 'fr',
  dir: 'ltr',
  formats,
  stop: '. ',

  join: {
    title: (waitlist) => `Votre invitation à ${waitlist}`,
    inviteFor: (email) => `Cette invitation est destinée à ${email}. Elle ne peut servir qu’une fois.`,
    inviteForUntil: (email, expires) =>
      `Cette invitation est destinée à ${email} et expire le ${expires}. Elle ne peut servir qu’une fois.`,
    enterEmail: (waitlist) => `Saisissez votre adresse e‑mail pour accéder à ${waitlist}.`,
    enterEmailUntil: (waitlist, expires) =>
      `Saisissez votre adresse e‑mail pour accéder à ${waitlist}. Cette invitation expire le ${expires}.`,
    codeUsedUp: { title: 'Ce code est épuisé', text: 'Il a été utilisé autant de fois que possible.' },
    forJoining: (waitlist) => ({
      title: 'Un code pour la liste d’attente',
      text: `Ce code vous fait avancer dans la file. Saisissez-le en rejoignant la liste d’attente ${waitlist}.`,
    }),
    accept: 'Accepter l’invitation',
    acceptedTitle: 'C’est fait',
    accepted: (waitlist, email) =>
      `Vous avez accepté l’invitation à ${waitlist} pour ${email}. Bienvenue\u00a0!`,
    continueTo: (waitlist) => `Continuer vers ${waitlist}`,
    notFound: {
      title: 'Invitation introuvable',
      text: 'Ce lien est incomplet. Copiez-le à nouveau depuis votre e‑mail.',
    },
    expired: { title: 'Cette invitation a expiré', text: 'Elle ne peut plus être acceptée.' },
    revoked: { title: 'Cette invitation a été annulée', text: 'Elle ne peut plus être acceptée.' },
    alreadyAcceptedTitle: 'Invitation déjà acceptée',
    alreadyAccepted: (waitlist) => `L’invitation à ${waitlist} a déjà été acceptée.`,
    askSender: (waitlist, email) =>
      `Vous ne savez pas comment accéder à ${waitlist}\u00a0? Écrivez à ${email}.`,
    askHost: (waitlist) =>
      `Vous ne savez pas comment accéder à ${waitlist}\u00a0? Demandez à la personne qui vous invite.`,
  },

  confirm: {
    title: 'Confirmez votre adresse e‑mail',
    ask: (waitlist) => `Confirmez votre adresse e‑mail pour rejoindre la liste d’attente ${waitlist}.`,
    button: 'Confirmer',
    confirmedTitle: 'Votre adresse e‑mail est confirmée',
    confirmed: (waitlist) => `Vous êtes sur la liste d’attente ${waitlist}. Vous pouvez fermer cette page.`,
    expired: {
      title: 'Ce lien a expiré',
      text: 'Les liens sont valables 7 jours. Nous pouvons vous en envoyer un nouveau.',
    },
    renew: 'Recevoir un nouveau lien',
    renewed: {
      title: 'Consultez votre boîte de réception',
      text: 'Un nouveau lien est en route. Nous en envoyons au plus un par jour.',
    },
    unknown: {
      title: 'Ce lien ne fonctionne pas',
      text: 'Il est incomplet, ou l’adresse a été retirée de la liste d’attente. Copiez à nouveau le lien depuis votre e‑mail.',
    },
  },

  leave: {
    title: (waitlist) => `E‑mails de la liste d’attente ${waitlist}`,
    unsubscribeText:
      'Désabonnez-vous de ces e‑mails tout en gardant votre place sur la liste d’attente. Nous vous écrirons quand même pour vous inviter.',
    unsubscribe: 'Se désabonner',
    leaveText:
      'Ou quittez la liste d’attente. Votre place, vos invitations et toutes vos données sur cette liste seront définitivement effacées.',
    leave: 'Quitter et effacer mes données',
    unsubscribedTitle: 'Désabonnement effectué',
    unsubscribed: (waitlist) => `Vous ne recevrez plus ces e‑mails de la liste d’attente ${waitlist}.`,
    leftTitle: 'Vous avez quitté la liste d’attente',
    left: (waitlist) =>
      `Votre place sur la liste d’attente ${waitlist} et toutes vos données ont été effacées.`,
    unknown: {
      title: 'Ce lien ne fonctionne pas',
      text: 'Le lien est incomplet, ou cette adresse a déjà quitté la liste d’attente.',
    },
  },

  errors: {
    title: 'Une erreur s’est produite',
    other: 'Veuillez réessayer.',
    rateLimited: 'Trop de requêtes. Patientez une minute, puis réessayez.',
    unavailable: 'Le service est momentanément indisponible. Réessayez dans un instant.',
    notEmailed: 'Nous ne pouvons pas vous envoyer d’e‑mail pour le moment. Réessayez plus tard.',
    notFound: { title: 'Page introuvable', text: 'Vérifiez l’adresse ou copiez à nouveau le lien.' },
  },

  form: {
    title: (waitlist) => `Rejoignez la liste d’attente ${waitlist}`,
    intro: 'Laissez votre adresse e‑mail et nous vous préviendrons dès que ce sera votre tour.',
    email: 'Adresse e‑mail',
    code: 'Code',
    emailExample: 'vous@example.com',
    button: 'Rejoindre la liste d’attente',
    sending: 'Envoi en cours…',
    optional: 'facultatif',
    choose: 'Choisissez une option',
    leaveEmpty: 'Laissez ce champ vide',
    useInstead: (email) => `Utiliser ${email}`,
    confirmByEmail: 'Nous vous enverrons un e‑mail de confirmation.',
    needsScripts: 'Activez JavaScript pour vous inscrire.',
    closed: {
      title: 'Cette liste d’attente est fermée',
      text: 'Les nouvelles inscriptions ne sont plus acceptées.',
    },
    refused: {
      title: 'Votre inscription n’a pas abouti',
      text: 'Rechargez la page et réessayez.',
    },
    wrongSite: 'Le site d’où vous venez ne peut pas utiliser ce formulaire. Vous pouvez vous inscrire ici.',
    problems: {
      summary: count({ one: 'Vérifiez le champ signalé.', other: 'Vérifiez les # champs signalés.' }),
      emailRequired: 'Saisissez votre adresse e‑mail.',
      emailInvalid: 'Saisissez une adresse e‑mail valide.',
      emailRole:
        'Saisissez une adresse personnelle. Les adresses partagées, comme info@, ne sont pas acceptées.',
      emailTypo: (email) => `Vouliez-vous dire ${email}\u00a0?`,
      required: 'Ce champ est obligatoire.',
      choiceInvalid: 'Choisissez l’une des options.',
      tooLong: count({ one: '# caractère au maximum.', other: '# caractères au maximum.' }),
      consentRequired: 'Cochez cette case pour continuer.',
      captchaRequired: 'Confirmez que vous n’êtes pas un robot.',
    },
  },

  joined: {
    title: 'Vous êtes sur la liste',
    text: (waitlist) =>
      `Merci d’avoir rejoint la liste d’attente ${waitlist}. Nous vous écrirons dès que ce sera votre tour.`,
    checkInboxTitle: 'Consultez votre boîte de réception',
    checkInbox: (waitlist) =>
      `Ouvrez le lien dans notre e‑mail pour confirmer votre place sur la liste d’attente ${waitlist}.`,
    seeStatus: 'Voir ma place',
    code: {
      counts: count({
        one: 'Avec votre code, vous comptez comme inscrit # place plus tôt.',
        other: 'Avec votre code, vous comptez comme inscrit # places plus tôt.',
      }),
      unusable: 'Votre code ne compte pas. Il est mal orthographié, expiré ou épuisé.',
    },
  },

  status: {
    title: (waitlist) => `Votre place sur la liste d’attente ${waitlist}`,
    positionLabel: 'Place actuelle',
    position: (position) => `Vous êtes numéro\u00a0${formats.number(position)} sur la liste.`,
    joinedAs: (place) => `Vous vous êtes inscrit en position ${formats.number(place)}.`,
    countsEarlier: count({
      one: 'Vos parrainages comptent comme une inscription # place plus tôt.',
      many: 'Vos parrainages comptent comme une inscription # de places plus tôt.',
      other: 'Vos parrainages comptent comme une inscription # places plus tôt.',
    }),
    codeCounts: (places, code) =>
      `Avec le code ${code}, vous comptez comme inscrit ${formats.number(places)} ${places === 1 ? 'place' : 'places'} plus tôt.`,
    movedByTeam: 'L’équipe a modifié votre place.',
    referrals: count({
      zero: 'Personne ne s’est encore inscrit avec votre lien.',
      one: '# personne s’est inscrite avec votre lien.',
      many: '# de personnes se sont inscrites avec votre lien.',
      other: '# personnes se sont inscrites avec votre lien.',
    }),
    pending: {
      title: 'Confirmez votre adresse e‑mail',
      text: 'Ouvrez le lien dans notre e‑mail pour obtenir votre place.',
    },
    resend: 'Renvoyer l’e‑mail',
    resent: 'L’e‑mail est en route. Pensez à vérifier vos spams. Nous en envoyons au plus un par jour.',
    invited: { title: 'C’est votre tour', text: 'Vous avez une invitation.' },
    inviteSent: 'Nous vous avons envoyé une invitation. Consultez votre boîte de réception.',
    joined: { title: 'C’est fait', text: 'Vous avez accepté votre invitation.' },
    removed: {
      title: 'Vous n’êtes pas sur la liste',
      text: 'Cette adresse n’est plus sur la liste d’attente.',
    },
    unknown: {
      title: 'Ce lien ne fonctionne pas',
      text: 'Le lien est incomplet, ou cette adresse a quitté la liste d’attente.',
    },
    leave: 'Se désabonner ou quitter la liste',
  },

  ownData: {
    download: 'Télécharger mes données',
    delete: 'Effacer mes données',
    sent: 'Si nous pouvons écrire à cette adresse, un lien est en route. Il est valable une heure. Pensez à vérifier vos spams. Nous envoyons au plus trois e‑mails par jour.',
    downloadTitle: 'Télécharger vos données',
    downloadText: (waitlist) =>
      `Le fichier contient tout ce qui est enregistré à votre sujet sur la liste d’attente ${waitlist}.`,
    deleteTitle: 'Effacer vos données',
    deleteText: (waitlist) =>
      `Votre place, vos invitations et toutes vos données sur la liste d’attente ${waitlist} seront définitivement effacées.`,
    expired: { title: 'Ce lien a expiré', text: 'Les liens vers vos données sont valables une heure.' },
    askAgain: 'Demander un nouveau lien',
  },

  share: {
    title: 'Envie d’entrer plus tôt\u00a0?',
    titleUnmoved: 'Faites passer le mot',
    movesUp: count({
      one: 'Partagez votre lien. Chaque inscription compte comme si vous aviez rejoint la liste #\u00a0place plus tôt.',
      other:
        'Partagez votre lien. Chaque inscription compte comme si vous aviez rejoint la liste #\u00a0places plus tôt.',
    }),
    text: 'Partagez votre lien autour de vous.',
    linkLabel: 'Votre lien',
    copy: 'Copier le lien',
    copied: 'Copié',
    share: 'Partager',
    on: (network) => `Partager sur ${network}`,
    byEmail: 'Partager par e‑mail',
    email: 'E‑mail',
    post: (waitlist) => `Je viens de rejoindre la liste d’attente ${waitlist}. Faites comme moi\u00a0:`,
    emailSubject: (waitlist) => `Rejoignez-moi sur la liste d’attente ${waitlist}`,
    description: (waitlist) => `Rejoignez la liste d’attente ${waitlist} et réservez votre place.`,
  },

  mail: {
    templates: {
      confirm: {
        subject: 'Confirmez votre place sur la liste d’attente {{ waitlist }}',
        body: `# Confirmez votre adresse e‑mail

Quelqu’un, sans doute vous, a inscrit cette adresse sur la liste d’attente **{{ waitlist }}**. Confirmez-la pour rejoindre la liste.

[Confirmer mon adresse]({{ confirmLink }})

Le lien est valable 7 jours. Ce n’était pas vous\u00a0? Ignorez cet e‑mail\u00a0: nous ne vous ajouterons pas à la liste.
`,
      },
      welcome: {
        subject: 'Vous êtes sur la liste d’attente {{ waitlist }}',
        body: `# Vous êtes sur la liste

Merci d’avoir rejoint la liste d’attente **{{ waitlist }}**.{% if position %} Vous êtes **numéro\u00a0{{ position | number }}** sur la liste.{% endif %} Nous vous écrirons dès que ce sera votre tour.

[Voir ma place]({{ statusLink }})
{% if referralLink %}
{% if boost == 0 or position == 1 %}## Faites passer le mot

Partagez votre lien autour de vous.{% else %}## Envie d’entrer plus tôt\u00a0?

Partagez votre lien. Chaque inscription compte comme si vous aviez rejoint la liste plus tôt.{% endif %}

{{ referralLink }}
{% endif %}`,
      },
      'moved-up': {
        subject: 'Vous avez gagné des places sur la liste d’attente {{ waitlist }}',
        body: `# Vous avez gagné des places

Quelqu’un a rejoint la liste d’attente **{{ waitlist }}** grâce à vous. Vous êtes maintenant **numéro\u00a0{{ position | number }}** sur la liste, avec {{ referrals | number }} {% if referrals == 1 %}parrainage{% else %}parrainages{% endif %}.
{% if referralLink %}
[Partager à nouveau mon lien]({{ statusLink }})
{% endif %}`,
      },
      invite: {
        subject: 'Votre invitation à {{ waitlist }}',
        body: `# C’est votre tour

Votre place chez **{{ waitlist }}** vous attend.

[Accepter l’invitation]({{ joinLink }})

Si un code vous est demandé, utilisez celui‑ci\u00a0:

\`{{ inviteCode }}\`
{% if expiresAt %}
Cette invitation est personnelle et expire le {{ expiresAt }}.
{% else %}
Cette invitation est personnelle et ne peut servir qu’une fois.
{% endif %}`,
      },
      'invite-reminder': {
        subject: 'Votre invitation à {{ waitlist }} expire bientôt',
        body: `# Votre invitation expire bientôt

Votre invitation à **{{ waitlist }}** expire le {{ expiresAt }}. Ensuite, son lien ne fonctionnera plus.

[Accepter l’invitation]({{ joinLink }})

Si un code vous est demandé, utilisez celui‑ci\u00a0:

\`{{ inviteCode }}\`
`,
      },
      accepted: {
        subject: 'Bienvenue chez {{ waitlist }}',
        body: `# C’est fait

Vous avez accepté votre invitation à **{{ waitlist }}**. Ravis de vous accueillir.

Si ce n’était pas vous, répondez à cet e‑mail.
`,
      },
      declined: {
        subject: 'À propos de votre place sur la liste d’attente {{ waitlist }}',
        body: `# Nous ne pouvons pas vous proposer de place

Merci de l’intérêt que vous portez à **{{ waitlist }}**. Malheureusement, nous ne pouvons pas vous proposer de place pour le moment. Si cela change, nous vous écrirons.

Une question\u00a0? Répondez simplement à cet e‑mail.
`,
      },
      'data-download': {
        subject: 'Vos données sur la liste d’attente {{ waitlist }}',
        body: `# Télécharger vos données

Quelqu’un, sans doute vous, a demandé ce qui est enregistré à votre sujet sur la liste d’attente **{{ waitlist }}**.

[Télécharger mes données]({{ downloadLink }})

Le lien est valable une heure. Ce n’était pas vous\u00a0? Ignorez cet e‑mail\u00a0: personne d’autre n’obtient vos données.
`,
      },
      'data-deletion': {
        subject: 'Effacer vos données de la liste d’attente {{ waitlist }}',
        body: `# Effacer vos données

Quelqu’un, sans doute vous, a demandé d’effacer votre place et toutes vos données sur la liste d’attente **{{ waitlist }}**. Rien n’est effacé sans votre confirmation.

[Effacer mes données]({{ deletionLink }})

Le lien est valable une heure. Ce n’était pas vous\u00a0? Ignorez cet e‑mail\u00a0: votre place reste inchangée.
`,
      },
    },
    reasons: {
      added: (waitlist) =>
        `Vous recevez cet e‑mail parce que cette adresse a été inscrite sur la liste d’attente ${waitlist}.`,
      onList: (waitlist) =>
        `Vous recevez cet e‑mail parce que cette adresse figure sur la liste d’attente ${waitlist}.`,
      invited: (waitlist) => `Vous recevez cet e‑mail parce que vous avez reçu une invitation à ${waitlist}.`,
      accepted: (waitlist) =>
        `Vous recevez cet e‑mail parce que vous avez accepté une invitation à ${waitlist}.`,
    },
    leave: 'Se désabonner ou quitter la liste',
    seeStatus: 'Voir ma place',
  },
};
