import { formatsOf } from './formats.ts';
import type { Texts } from './texts.ts';

const formats = formatsOf('pt-BR');
const { count } = formats;

/** Brazilian Portuguese. People are addressed as “você”. “e‑mail” has a hyphen that does not break. */
export const pt: Texts = {
  tag: 'pt-BR',
  dir: 'ltr',
  formats,
  stop: '. ',

  join: {
    title: (waitlist) => `Seu convite para ${waitlist}`,
    inviteFor: (email) => `Este convite é para ${email}. Ele só pode ser usado uma vez.`,
    inviteForUntil: (email, expires) =>
      `Este convite é para ${email} e expira em ${expires}. Ele só pode ser usado uma vez.`,
    enterEmail: (waitlist) => `Informe seu e‑mail para acessar ${waitlist}.`,
    enterEmailUntil: (waitlist, expires) =>
      `Informe seu e‑mail para acessar ${waitlist}. Este convite expira em ${expires}.`,
    codeUsedUp: { title: 'Este código se esgotou', text: 'Ele já foi usado o número máximo de vezes.' },
    forJoining: (waitlist) => ({
      title: 'Um código para a lista de espera',
      text: `Este código coloca você mais à frente na fila. Informe-o ao entrar na lista de espera de ${waitlist}.`,
    }),
    accept: 'Aceitar convite',
    acceptedTitle: 'Tudo certo',
    accepted: (waitlist, email) => `Você aceitou o convite para ${waitlist} com ${email}. Boas-vindas!`,
    continueTo: (waitlist) => `Continuar para ${waitlist}`,
    notFound: {
      title: 'Convite não encontrado',
      text: 'Este link está incompleto. Copie-o novamente do seu e‑mail.',
    },
    expired: { title: 'Este convite expirou', text: 'Ele não pode mais ser aceito.' },
    revoked: { title: 'Este convite foi cancelado', text: 'Ele não pode mais ser aceito.' },
    alreadyAcceptedTitle: 'Convite já aceito',
    alreadyAccepted: (waitlist) => `O convite para ${waitlist} já foi aceito.`,
    askSender: (waitlist, email) => `Não sabe como acessar ${waitlist}? Escreva para ${email}.`,
    askHost: (waitlist) => `Não sabe como acessar ${waitlist}? Pergunte a quem convidou você.`,
  },

  confirm: {
    title: 'Confirme seu e‑mail',
    ask: (waitlist) => `Confirme seu e‑mail para entrar na lista de espera de ${waitlist}.`,
    button: 'Confirmar',
    confirmedTitle: 'Seu e‑mail foi confirmado',
    confirmed: (waitlist) => `Você está na lista de espera de ${waitlist}. Já pode fechar esta página.`,
    expired: {
      title: 'Este link expirou',
      text: 'Os links valem por 7 dias. Podemos enviar um novo para você.',
    },
    renew: 'Enviar um novo link',
    renewed: {
      title: 'Confira sua caixa de entrada',
      text: 'Um novo link está a caminho. Enviamos no máximo um por dia.',
    },
    unknown: {
      title: 'Este link não funciona',
      text: 'Ele está incompleto, ou o endereço foi removido da lista de espera. Copie o link novamente do seu e‑mail.',
    },
  },

  leave: {
    title: (waitlist) => `E‑mails de ${waitlist}`,
    unsubscribeText:
      'Pare de receber estes e‑mails e mantenha seu lugar na lista de espera. Mesmo assim, avisaremos quando chegar a sua vez.',
    unsubscribe: 'Parar de receber e‑mails',
    leaveText:
      'Ou saia da lista de espera. Isso apaga seu lugar, seus convites e todos os seus dados nesta lista. Essa ação não pode ser desfeita.',
    leave: 'Sair e apagar meus dados',
    unsubscribedTitle: 'E‑mails desativados',
    unsubscribed: (waitlist) => `Você não receberá mais estes e‑mails de ${waitlist}.`,
    leftTitle: 'Você saiu da lista de espera',
    left: (waitlist) => `Seu lugar na lista de espera de ${waitlist} e todos os seus dados foram apagados.`,
    unknown: {
      title: 'Este link não funciona',
      text: 'O link está incompleto, ou este endereço já saiu da lista de espera.',
    },
  },

  errors: {
    title: 'Algo deu errado',
    other: 'Tente novamente.',
    rateLimited: 'Muitas solicitações. Aguarde um minuto e tente novamente.',
    unavailable: 'O serviço não está disponível no momento. Tente novamente em instantes.',
    notEmailed: 'No momento, não conseguimos enviar e‑mails para você. Tente novamente mais tarde.',
    notFound: {
      title: 'Página não encontrada',
      text: 'Verifique o endereço ou copie o link novamente.',
    },
  },

  form: {
    title: (waitlist) => `Entre na lista de espera de ${waitlist}`,
    intro: 'Deixe seu e‑mail e avisaremos quando chegar a sua vez.',
    email: 'E‑mail',
    code: 'Código',
    emailExample: 'voce@example.com',
    button: 'Entrar na lista de espera',
    sending: 'Enviando…',
    optional: 'opcional',
    choose: 'Escolha uma opção',
    leaveEmpty: 'Deixe este campo vazio',
    useInstead: (email) => `Usar ${email}`,
    confirmByEmail: 'Enviaremos um e‑mail de confirmação.',
    needsScripts: 'Ative o JavaScript para entrar.',
    closed: {
      title: 'Esta lista de espera está fechada',
      text: 'Não estamos mais aceitando novas inscrições.',
    },
    refused: {
      title: 'Não foi possível concluir sua inscrição',
      text: 'Recarregue a página e tente novamente.',
    },
    wrongSite: 'O site de onde você veio não pode usar este formulário. Você pode se inscrever aqui.',
    problems: {
      summary: count({ one: 'Verifique o campo marcado.', other: 'Verifique os # campos marcados.' }),
      emailRequired: 'Informe seu e‑mail.',
      emailInvalid: 'Informe um e‑mail válido.',
      emailRole: 'Informe um e‑mail pessoal. Endereços compartilhados, como info@, não são aceitos.',
      emailTypo: (email) => `Você quis dizer ${email}?`,
      required: 'Este campo é obrigatório.',
      choiceInvalid: 'Escolha uma das opções.',
      tooLong: count({ one: 'Use no máximo # caractere.', other: 'Use no máximo # caracteres.' }),
      consentRequired: 'Marque esta caixa para continuar.',
      captchaRequired: 'Confirme que você não é um robô.',
    },
  },

  joined: {
    title: 'Você está na lista',
    text: (waitlist) =>
      `Obrigado por entrar na lista de espera de ${waitlist}. Avisaremos por e‑mail quando chegar a sua vez.`,
    checkInboxTitle: 'Confira sua caixa de entrada',
    checkInbox: (waitlist) =>
      `Abra o link do nosso e‑mail para confirmar seu lugar na lista de espera de ${waitlist}.`,
    seeStatus: 'Ver meu lugar na fila',
    code: {
      counts: count({
        one: 'Com seu código, você conta como se tivesse entrado # lugar antes.',
        other: 'Com seu código, você conta como se tivesse entrado # lugares antes.',
      }),
      unusable: 'Seu código não conta. Ele está errado, expirou ou já foi todo usado.',
    },
  },

  status: {
    title: (waitlist) => `Seu lugar na lista de espera de ${waitlist}`,
    positionLabel: 'Sua posição',
    position: (position) => `Você é o número ${formats.number(position)} da fila.`,
    joinedAs: (place) => `Você foi o número ${formats.number(place)} a entrar.`,
    countsEarlier: count({
      one: 'Suas indicações contam como se você tivesse entrado # lugar antes.',
      many: 'Suas indicações contam como se você tivesse entrado # de lugares antes.',
      other: 'Suas indicações contam como se você tivesse entrado # lugares antes.',
    }),
    codeCounts: (places, code) =>
      `Com o código ${code}, você conta como se tivesse entrado ${formats.number(places)} ${places === 1 ? 'lugar' : 'lugares'} antes.`,
    movedByTeam: 'A equipe mudou seu lugar na fila.',
    referrals: count({
      zero: 'Ninguém entrou pelo seu link ainda.',
      one: '# pessoa entrou pelo seu link.',
      many: '# de pessoas entraram pelo seu link.',
      other: '# pessoas entraram pelo seu link.',
    }),
    pending: {
      title: 'Confirme seu e‑mail',
      text: 'Abra o link do nosso e‑mail para garantir seu lugar na fila.',
    },
    resend: 'Enviar o e‑mail novamente',
    resent: 'O e‑mail está a caminho. Confira também a caixa de spam. Enviamos no máximo um por dia.',
    invited: { title: 'Chegou a sua vez', text: 'Você tem um convite.' },
    inviteSent: 'Enviamos um convite para você. Confira sua caixa de entrada.',
    joined: { title: 'Tudo certo', text: 'Você aceitou seu convite.' },
    removed: {
      title: 'Você não está na lista',
      text: 'Este endereço não está mais na lista de espera.',
    },
    unknown: {
      title: 'Este link não funciona',
      text: 'O link está incompleto, ou este endereço saiu da lista de espera.',
    },
    leave: 'Parar de receber e‑mails ou sair da lista',
  },

  ownData: {
    download: 'Baixar meus dados',
    delete: 'Apagar meus dados',
    sent: 'Se pudermos enviar e‑mails para este endereço, um link está a caminho. Ele vale por uma hora. Confira também a caixa de spam. Enviamos no máximo três e‑mails por dia.',
    downloadTitle: 'Baixar seus dados',
    downloadText: (waitlist) =>
      `O arquivo contém tudo o que está guardado sobre você na lista de espera de ${waitlist}.`,
    deleteTitle: 'Apagar seus dados',
    deleteText: (waitlist) =>
      `Isso apaga seu lugar, seus convites e todos os seus dados na lista de espera de ${waitlist}. Essa ação não pode ser desfeita.`,
    expired: { title: 'Este link expirou', text: 'Os links para seus dados valem por uma hora.' },
    askAgain: 'Pedir um novo link',
  },

  share: {
    title: 'Quer entrar antes?',
    titleUnmoved: 'Espalhe a notícia',
    movesUp: count({
      one: 'Compartilhe seu link. A cada pessoa que entrar por ele, é como se você tivesse chegado #\u00a0posição antes.',
      other:
        'Compartilhe seu link. A cada pessoa que entrar por ele, é como se você tivesse chegado #\u00a0posições antes.',
    }),
    text: 'Compartilhe seu link com seus amigos.',
    linkLabel: 'Seu link',
    copy: 'Copiar link',
    copied: 'Copiado',
    share: 'Compartilhar',
    on: (network) => `Compartilhar no ${network}`,
    byEmail: 'Compartilhar por e‑mail',
    email: 'E‑mail',
    post: (waitlist) => `Acabei de entrar na lista de espera de ${waitlist}. Entre você também:`,
    emailSubject: (waitlist) => `Entre comigo na lista de espera de ${waitlist}`,
    description: (waitlist) => `Entre na lista de espera de ${waitlist} e garanta seu lugar.`,
  },

  mail: {
    templates: {
      confirm: {
        subject: 'Confirme seu lugar na lista de espera de {{ waitlist }}',
        body: `# Confirme seu e‑mail

Alguém, provavelmente você, adicionou este endereço à lista de espera de **{{ waitlist }}**. Confirme para entrar.

[Confirmar meu e‑mail]({{ confirmLink }})

O link vale por 7 dias. Se não foi você, ignore este e‑mail e não incluiremos você na lista.
`,
      },
      welcome: {
        subject: 'Você está na lista de espera de {{ waitlist }}',
        body: `# Você está na lista

Obrigado por entrar na lista de espera de **{{ waitlist }}**.{% if position %} Você é o **número\u00a0{{ position | number }}** da fila.{% endif %} Avisaremos por e‑mail quando chegar a sua vez.

[Ver meu lugar na fila]({{ statusLink }})
{% if referralLink %}
{% if boost == 0 or position == 1 %}## Espalhe a notícia

Compartilhe seu link com seus amigos.{% else %}## Quer entrar antes?

Compartilhe seu link. A cada pessoa que entrar por ele, é como se você tivesse chegado antes.{% endif %}

{{ referralLink }}
{% endif %}`,
      },
      'moved-up': {
        subject: 'Você subiu na lista de espera de {{ waitlist }}',
        body: `# Você subiu na fila

Alguém entrou na lista de espera de **{{ waitlist }}** por sua causa. Agora você é o **número\u00a0{{ position | number }}** da fila, com {{ referrals | number }} {% if referrals == 1 %}indicação{% else %}indicações{% endif %}.
{% if referralLink %}
[Compartilhar meu link de novo]({{ statusLink }})
{% endif %}`,
      },
      invite: {
        subject: 'Seu convite para {{ waitlist }}',
        body: `# Chegou a sua vez

Seu acesso a **{{ waitlist }}** está liberado.

[Aceitar convite]({{ joinLink }})

Se pedirem um código, use este:

\`{{ inviteCode }}\`
{% if expiresAt %}
Este convite é só seu e expira em {{ expiresAt }}.
{% else %}
Este convite é só seu e pode ser usado uma vez.
{% endif %}`,
      },
      'invite-reminder': {
        subject: 'Seu convite para {{ waitlist }} expira em breve',
        body: `# Seu convite expira em breve

Seu convite para **{{ waitlist }}** expira em {{ expiresAt }}. Depois disso, o link deixa de funcionar.

[Aceitar convite]({{ joinLink }})

Se pedirem um código, use este:

\`{{ inviteCode }}\`
`,
      },
      accepted: {
        subject: 'Boas-vindas a {{ waitlist }}',
        body: `# Tudo certo

Você aceitou seu convite para **{{ waitlist }}**. É um prazer ter você com a gente.

Se não foi você, responda a este e‑mail.
`,
      },
      declined: {
        subject: 'Sobre seu lugar na lista de espera de {{ waitlist }}',
        body: `# Não podemos oferecer um lugar a você

Obrigado pelo seu interesse em **{{ waitlist }}**. Infelizmente, não podemos oferecer um lugar a você no momento. Se isso mudar, avisaremos por e‑mail.

Ficou com dúvidas? É só responder a este e‑mail.
`,
      },
      'data-download': {
        subject: 'Seus dados na lista de espera de {{ waitlist }}',
        body: `# Baixar seus dados

Alguém, provavelmente você, pediu o que está guardado sobre você na lista de espera de **{{ waitlist }}**.

[Baixar meus dados]({{ downloadLink }})

O link vale por uma hora. Se não foi você, ignore este e‑mail. Ninguém mais recebe seus dados.
`,
      },
      'data-deletion': {
        subject: 'Apagar seus dados da lista de espera de {{ waitlist }}',
        body: `# Apagar seus dados

Alguém, provavelmente você, pediu para apagar seu lugar e todos os seus dados na lista de espera de **{{ waitlist }}**. Nada é apagado sem a sua confirmação.

[Apagar meus dados]({{ deletionLink }})

O link vale por uma hora. Se não foi você, ignore este e‑mail. Seu lugar continua como está.
`,
      },
    },
    reasons: {
      added: (waitlist) =>
        `Você recebeu este e‑mail porque este endereço foi adicionado à lista de espera de ${waitlist}.`,
      onList: (waitlist) =>
        `Você recebeu este e‑mail porque este endereço está na lista de espera de ${waitlist}.`,
      invited: (waitlist) => `Você recebeu este e‑mail porque tem um convite para ${waitlist}.`,
      accepted: (waitlist) => `Você recebeu este e‑mail porque aceitou um convite para ${waitlist}.`,
    },
    leave: 'Parar de receber e‑mails ou sair da lista',
    seeStatus: 'Ver meu lugar na fila',
  },
};
