import { formatsOf } from './formats.ts';
import type { Texts } from './texts.ts';

const formats = formatsOf('es-ES');
const { count } = formats;

/** People are addressed as «tú». */
export const es: Texts = {
  tag: 'es',
  dir: 'ltr',
  formats,
  stop: '. ',

  join: {
    title: (waitlist) => `Tu invitación a ${waitlist}`,
    inviteFor: (email) => `Esta invitación es para ${email}. Solo se puede usar una vez.`,
    inviteForUntil: (email, expires) =>
      `Esta invitación es para ${email} y caduca el ${expires}. Solo se puede usar una vez.`,
    enterEmail: (waitlist) => `Escribe tu correo para acceder a ${waitlist}.`,
    enterEmailUntil: (waitlist, expires) =>
      `Escribe tu correo para acceder a ${waitlist}. Esta invitación caduca el ${expires}.`,
    codeUsedUp: { title: 'Este código se ha agotado', text: 'Ya se ha usado todas las veces posibles.' },
    forJoining: (waitlist) => ({
      title: 'Un código para la lista de espera',
      text: `Con este código avanzas en la lista. Introdúcelo al unirte a la lista de espera de ${waitlist}.`,
    }),
    accept: 'Aceptar la invitación',
    acceptedTitle: 'Ya estás dentro',
    accepted: (waitlist, email) =>
      `Has aceptado la invitación a ${waitlist} para ${email}. ¡Te damos la bienvenida!`,
    continueTo: (waitlist) => `Ir a ${waitlist}`,
    notFound: {
      title: 'No encontramos esta invitación',
      text: 'El enlace está incompleto. Cópialo de nuevo desde tu correo.',
    },
    expired: { title: 'Esta invitación ha caducado', text: 'Ya no se puede aceptar.' },
    revoked: { title: 'Esta invitación se ha anulado', text: 'Ya no se puede aceptar.' },
    alreadyAcceptedTitle: 'Invitación ya aceptada',
    alreadyAccepted: (waitlist) => `La invitación a ${waitlist} ya se ha aceptado.`,
    askSender: (waitlist, email) => `¿No sabes cómo acceder a ${waitlist}? Escribe a ${email}.`,
    askHost: (waitlist) => `¿No sabes cómo acceder a ${waitlist}? Pregunta a quien te invitó.`,
  },

  confirm: {
    title: 'Confirma tu correo electrónico',
    ask: (waitlist) => `Confirma tu correo electrónico para unirte a la lista de espera de ${waitlist}.`,
    button: 'Confirmar',
    confirmedTitle: 'Correo electrónico confirmado',
    confirmed: (waitlist) => `Estás en la lista de espera de ${waitlist}. Ya puedes cerrar esta página.`,
    expired: {
      title: 'Este enlace ha caducado',
      text: 'Los enlaces caducan a los 7 días. Podemos enviarte uno nuevo.',
    },
    renew: 'Enviarme un enlace nuevo',
    renewed: {
      title: 'Revisa tu bandeja de entrada',
      text: 'Un enlace nuevo está en camino. Enviamos como máximo uno al día.',
    },
    unknown: {
      title: 'Este enlace no funciona',
      text: 'Está incompleto o la dirección ya no está en la lista de espera. Copia de nuevo el enlace desde tu correo.',
    },
  },

  leave: {
    title: (waitlist) => `Correos de ${waitlist}`,
    unsubscribeText:
      'Date de baja de estos correos y conserva tu puesto en la lista de espera. Aun así, te escribiremos cuando llegue tu turno.',
    unsubscribe: 'Darme de baja',
    leaveText:
      'O abandona la lista de espera. Se borrarán tu puesto, tus invitaciones y todos tus datos en esta lista. Esta acción no se puede deshacer.',
    leave: 'Salir y borrar mis datos',
    unsubscribedTitle: 'Te has dado de baja de los correos',
    unsubscribed: (waitlist) => `Ya no recibirás estos correos de ${waitlist}.`,
    leftTitle: 'Has salido de la lista de espera',
    left: (waitlist) => `Tu puesto en la lista de espera de ${waitlist} y todos tus datos se han borrado.`,
    unknown: {
      title: 'Este enlace no funciona',
      text: 'El enlace está incompleto o esta dirección ya ha salido de la lista de espera.',
    },
  },

  errors: {
    title: 'Algo ha salido mal',
    other: 'Inténtalo de nuevo.',
    rateLimited: 'Demasiadas solicitudes. Espera un minuto e inténtalo de nuevo.',
    unavailable: 'El servicio no está disponible ahora mismo. Inténtalo de nuevo en un momento.',
    notEmailed: 'Ahora mismo no podemos enviarte correos. Inténtalo de nuevo más tarde.',
    notFound: {
      title: 'Página no encontrada',
      text: 'Comprueba la dirección o copia de nuevo el enlace.',
    },
  },

  form: {
    title: (waitlist) => `Únete a la lista de espera de ${waitlist}`,
    intro: 'Déjanos tu correo y te avisaremos cuando llegue tu turno.',
    email: 'Correo electrónico',
    code: 'Código',
    emailExample: 'nombre@example.com',
    button: 'Unirme a la lista de espera',
    sending: 'Enviando…',
    optional: 'opcional',
    choose: 'Elige una opción',
    leaveEmpty: 'Deja este campo vacío',
    useInstead: (email) => `Usar ${email}`,
    confirmByEmail: 'Te enviaremos un correo de confirmación.',
    needsScripts: 'Activa JavaScript para unirte.',
    closed: { title: 'Esta lista de espera está cerrada', text: 'Ya no se aceptan nuevas inscripciones.' },
    refused: {
      title: 'No hemos podido añadirte a la lista',
      text: 'Vuelve a cargar la página e inténtalo de nuevo.',
    },
    wrongSite: 'El sitio del que vienes no puede usar este formulario. Puedes apuntarte aquí.',
    problems: {
      summary: count({ one: 'Revisa el campo marcado.', other: 'Revisa los # campos marcados.' }),
      emailRequired: 'Escribe tu correo electrónico.',
      emailInvalid: 'Escribe un correo electrónico válido.',
      emailRole: 'Escribe una dirección personal. No se admiten direcciones compartidas como info@.',
      emailTypo: (email) => `¿Querías decir ${email}?`,
      required: 'Este campo es obligatorio.',
      choiceInvalid: 'Elige una de las opciones.',
      tooLong: count({ one: 'Usa como máximo # carácter.', other: 'Usa como máximo # caracteres.' }),
      consentRequired: 'Marca esta casilla para continuar.',
      captchaRequired: 'Confirma que no eres un robot.',
    },
  },

  joined: {
    title: 'Ya estás en la lista',
    text: (waitlist) =>
      `Gracias por unirte a la lista de espera de ${waitlist}. Te escribiremos cuando llegue tu turno.`,
    checkInboxTitle: 'Revisa tu bandeja de entrada',
    checkInbox: (waitlist) =>
      `Abre el enlace de nuestro correo para confirmar tu puesto en la lista de espera de ${waitlist}.`,
    seeStatus: 'Ver mi puesto',
    code: {
      counts: count({
        one: 'Con tu código cuentas como si te hubieras unido # puesto antes.',
        other: 'Con tu código cuentas como si te hubieras unido # puestos antes.',
      }),
      unusable: 'Tu código no cuenta. Está mal escrito, ha caducado o está agotado.',
    },
  },

  status: {
    title: (waitlist) => `Tu puesto en la lista de espera de ${waitlist}`,
    positionLabel: 'Puesto actual',
    position: (position) => `Estás en el puesto ${formats.number(position)}.`,
    joinedAs: (place) => `Te uniste en el puesto ${formats.number(place)}.`,
    countsEarlier: count({
      one: 'Tus recomendaciones cuentan como si te hubieras unido # puesto antes.',
      many: 'Tus recomendaciones cuentan como si te hubieras unido # de puestos antes.',
      other: 'Tus recomendaciones cuentan como si te hubieras unido # puestos antes.',
    }),
    codeCounts: (places, code) =>
      `Con el código ${code} cuentas como si te hubieras unido ${formats.number(places)} ${places === 1 ? 'puesto' : 'puestos'} antes.`,
    movedByTeam: 'El equipo ha cambiado tu puesto.',
    referrals: count({
      zero: 'Todavía nadie se ha unido con tu enlace.',
      one: '# persona se ha unido con tu enlace.',
      many: '# de personas se han unido con tu enlace.',
      other: '# personas se han unido con tu enlace.',
    }),
    pending: {
      title: 'Confirma tu correo electrónico',
      text: 'Abre el enlace de nuestro correo para conseguir tu puesto.',
    },
    resend: 'Enviar el correo otra vez',
    resent: 'El correo está en camino. Mira también en la carpeta de spam. Enviamos como máximo uno al día.',
    invited: { title: 'Es tu turno', text: 'Tienes una invitación.' },
    inviteSent: 'Te hemos enviado una invitación. Revisa tu bandeja de entrada.',
    joined: { title: 'Ya estás dentro', text: 'Has aceptado tu invitación.' },
    removed: {
      title: 'No estás en la lista',
      text: 'Esta dirección ya no está en la lista de espera.',
    },
    unknown: {
      title: 'Este enlace no funciona',
      text: 'El enlace está incompleto o esta dirección ha salido de la lista de espera.',
    },
    leave: 'Darme de baja o salir de la lista',
  },

  ownData: {
    download: 'Descargar mis datos',
    delete: 'Borrar mis datos',
    sent: 'Si podemos escribir a esta dirección, un enlace está en camino. Funciona durante una hora. Mira también en la carpeta de spam. Enviamos como máximo tres correos al día.',
    downloadTitle: 'Descargar tus datos',
    downloadText: (waitlist) =>
      `El archivo contiene todo lo que se guarda sobre ti en la lista de espera de ${waitlist}.`,
    deleteTitle: 'Borrar tus datos',
    deleteText: (waitlist) =>
      `Se borrarán tu puesto, tus invitaciones y todos tus datos en la lista de espera de ${waitlist}. Esta acción no se puede deshacer.`,
    expired: {
      title: 'Este enlace ha caducado',
      text: 'Los enlaces a tus datos funcionan durante una hora.',
    },
    askAgain: 'Pedir un enlace nuevo',
  },

  share: {
    title: '¿Quieres entrar antes?',
    titleUnmoved: 'Corre la voz',
    movesUp: count({
      one: 'Comparte tu enlace. Por cada persona que se una con él, cuentas como si hubieras llegado #\u00a0puesto antes.',
      other:
        'Comparte tu enlace. Por cada persona que se una con él, cuentas como si hubieras llegado #\u00a0puestos antes.',
    }),
    text: 'Comparte tu enlace con quien quieras.',
    linkLabel: 'Tu enlace',
    copy: 'Copiar enlace',
    copied: 'Copiado',
    share: 'Compartir',
    on: (network) => `Compartir en ${network}`,
    byEmail: 'Compartir por correo',
    email: 'Correo',
    post: (waitlist) => `Acabo de unirme a la lista de espera de ${waitlist}. Únete tú también:`,
    emailSubject: (waitlist) => `Únete tú también a la lista de espera de ${waitlist}`,
    description: (waitlist) => `Únete a la lista de espera de ${waitlist} y reserva tu lugar.`,
  },

  mail: {
    templates: {
      confirm: {
        subject: 'Confirma tu puesto en la lista de espera de {{ waitlist }}',
        body: `# Confirma tu correo electrónico

Alguien, esperamos que tú, ha añadido esta dirección a la lista de espera de **{{ waitlist }}**. Confírmala para unirte.

[Confirmar mi correo]({{ confirmLink }})

El enlace caduca a los 7 días. Si no has sido tú, ignora este correo y no te añadiremos a la lista.
`,
      },
      welcome: {
        subject: 'Estás en la lista de espera de {{ waitlist }}',
        body: `# Ya estás en la lista

Gracias por unirte a la lista de espera de **{{ waitlist }}**.{% if position %} Estás en el **puesto\u00a0{{ position | number }}**.{% endif %} Te escribiremos cuando llegue tu turno.

[Ver mi puesto]({{ statusLink }})
{% if referralLink %}
{% if boost == 0 or position == 1 %}## Corre la voz

Comparte tu enlace con quien quieras.{% else %}## ¿Quieres entrar antes?

Comparte tu enlace. Por cada persona que se una con él, cuentas como si hubieras llegado antes.{% endif %}

{{ referralLink }}
{% endif %}`,
      },
      'moved-up': {
        subject: 'Has subido en la lista de espera de {{ waitlist }}',
        body: `# Has subido puestos

Alguien se ha unido a la lista de espera de **{{ waitlist }}** gracias a ti. Ahora estás en el **puesto\u00a0{{ position | number }}**, con {{ referrals | number }} {% if referrals == 1 %}recomendación{% else %}recomendaciones{% endif %}.
{% if referralLink %}
[Compartir mi enlace otra vez]({{ statusLink }})
{% endif %}`,
      },
      invite: {
        subject: 'Tu invitación a {{ waitlist }}',
        body: `# Es tu turno

Ya puedes entrar en **{{ waitlist }}**.

[Aceptar la invitación]({{ joinLink }})

Si te piden un código, usa este:

\`{{ inviteCode }}\`
{% if expiresAt %}
Esta invitación es solo para ti y caduca el {{ expiresAt }}.
{% else %}
Esta invitación es solo para ti y se puede usar una vez.
{% endif %}`,
      },
      'invite-reminder': {
        subject: 'Tu invitación a {{ waitlist }} caduca pronto',
        body: `# Tu invitación caduca pronto

Tu invitación a **{{ waitlist }}** caduca el {{ expiresAt }}. Después, su enlace dejará de funcionar.

[Aceptar la invitación]({{ joinLink }})

Si te piden un código, usa este:

\`{{ inviteCode }}\`
`,
      },
      accepted: {
        subject: 'Te damos la bienvenida a {{ waitlist }}',
        body: `# Ya estás dentro

Has aceptado tu invitación a **{{ waitlist }}**. Nos alegra tenerte con nosotros.

Si no has sido tú, responde a este correo.
`,
      },
      declined: {
        subject: 'Sobre tu puesto en la lista de espera de {{ waitlist }}',
        body: `# No podemos ofrecerte una plaza

Gracias por tu interés en **{{ waitlist }}**. Lo sentimos, pero por ahora no podemos ofrecerte una plaza. Si eso cambia, te escribiremos.

¿Tienes preguntas? Responde a este correo.
`,
      },
      'data-download': {
        subject: 'Tus datos en la lista de espera de {{ waitlist }}',
        body: `# Descargar tus datos

Alguien, esperamos que tú, ha pedido lo que se guarda sobre ti en la lista de espera de **{{ waitlist }}**.

[Descargar mis datos]({{ downloadLink }})

El enlace caduca en una hora. Si no has sido tú, ignora este correo. Nadie más recibe tus datos.
`,
      },
      'data-deletion': {
        subject: 'Borrar tus datos de la lista de espera de {{ waitlist }}',
        body: `# Borrar tus datos

Alguien, esperamos que tú, ha pedido borrar tu puesto y todos tus datos en la lista de espera de **{{ waitlist }}**. No se borra nada hasta que lo confirmes.

[Borrar mis datos]({{ deletionLink }})

El enlace caduca en una hora. Si no has sido tú, ignora este correo. Tu puesto sigue igual.
`,
      },
    },
    reasons: {
      added: (waitlist) =>
        `Recibes este correo porque esta dirección se ha añadido a la lista de espera de ${waitlist}.`,
      onList: (waitlist) =>
        `Recibes este correo porque esta dirección está en la lista de espera de ${waitlist}.`,
      invited: (waitlist) => `Recibes este correo porque tienes una invitación a ${waitlist}.`,
      accepted: (waitlist) => `Recibes este correo porque has aceptado una invitación a ${waitlist}.`,
    },
    leave: 'Darme de baja o salir de la lista',
    seeStatus: 'Ver mi puesto',
  },
};
