import { formatsOf } from './formats.ts';
import type { Texts } from './texts.ts';

const formats = formatsOf('zh-CN');
const { count } = formats;

/** Simplified Chinese. People are addressed as “你”. */
export const zh: Texts = {
  tag: 'zh-Hans',
  dir: 'ltr',
  formats,
  stop: '。',

  join: {
    title: (waitlist) => `${waitlist} 的邀请`,
    inviteFor: (email) => `此邀请发给 ${email}，仅可使用一次。`,
    inviteForUntil: (email, expires) => `此邀请发给 ${email}，有效期至 ${expires}，仅可使用一次。`,
    enterEmail: (waitlist) => `输入你的邮箱即可使用 ${waitlist}。`,
    enterEmailUntil: (waitlist, expires) => `输入你的邮箱即可使用 ${waitlist}。此邀请有效期至 ${expires}。`,
    codeUsedUp: { title: '此代码已用完', text: '已达到可使用的次数上限。' },
    forJoining: (waitlist) => ({
      title: '候补名单代码',
      text: `此代码可以让你排得更靠前。请在加入 ${waitlist} 候补名单时输入。`,
    }),
    accept: '接受邀请',
    acceptedTitle: '欢迎加入',
    accepted: (waitlist, email) => `你已使用 ${email} 接受 ${waitlist} 的邀请。`,
    continueTo: (waitlist) => `前往 ${waitlist}`,
    notFound: { title: '找不到此邀请', text: '链接不完整，请从邮件中重新复制。' },
    expired: { title: '此邀请已过期', text: '已无法接受。' },
    revoked: { title: '此邀请已被撤销', text: '已无法接受。' },
    alreadyAcceptedTitle: '邀请已被接受',
    alreadyAccepted: (waitlist) => `${waitlist} 的邀请已被接受。`,
    askSender: (waitlist, email) => `不知道如何使用 ${waitlist}？请写信至 ${email}。`,
    askHost: (waitlist) => `不知道如何使用 ${waitlist}？请联系邀请你的人。`,
  },

  confirm: {
    title: '确认邮箱',
    ask: (waitlist) => `确认邮箱后即可加入 ${waitlist} 的候补名单。`,
    button: '确认',
    confirmedTitle: '邮箱已确认',
    confirmed: (waitlist) => `你已加入 ${waitlist} 的候补名单，可以关闭此页面。`,
    expired: { title: '链接已过期', text: '链接有效期为 7 天，我们可以为你重新发送。' },
    renew: '重新发送链接',
    renewed: { title: '请查收邮件', text: '新链接即将发送。每天最多发送一次。' },
    unknown: {
      title: '链接无效',
      text: '链接不完整，或该邮箱已从候补名单中移除。请从邮件中重新复制链接。',
    },
  },

  leave: {
    title: (waitlist) => `来自 ${waitlist} 的邮件`,
    unsubscribeText: '退订这些邮件，同时保留你在候补名单中的位置。轮到你时，我们仍会发邮件邀请你。',
    unsubscribe: '退订',
    leaveText: '你也可以退出候补名单。你的位置、邀请以及此名单中的所有数据都将被删除，且无法恢复。',
    leave: '退出并删除我的数据',
    unsubscribedTitle: '已退订',
    unsubscribed: (waitlist) => `你将不再收到来自 ${waitlist} 的这些邮件。`,
    leftTitle: '你已退出候补名单',
    left: (waitlist) => `你在 ${waitlist} 候补名单中的位置和所有数据均已删除。`,
    unknown: { title: '链接无效', text: '链接不完整，或该邮箱已退出候补名单。' },
  },

  errors: {
    title: '出错了',
    other: '请重试。',
    rateLimited: '请求过于频繁，请稍等一分钟后重试。',
    unavailable: '服务暂时不可用，请稍后重试。',
    notEmailed: '目前无法向你发送邮件，请稍后重试。',
    notFound: { title: '找不到页面', text: '请检查网址，或重新复制链接。' },
  },

  form: {
    title: (waitlist) => `加入 ${waitlist} 候补名单`,
    intro: '留下你的邮箱，轮到你时我们会通知你。',
    email: '邮箱',
    code: '代码',
    emailExample: 'you@example.com',
    button: '加入候补名单',
    sending: '正在提交…',
    optional: '选填',
    choose: '请选择',
    leaveEmpty: '请将此项留空',
    useInstead: (email) => `使用 ${email}`,
    confirmByEmail: '我们会向你发送一封确认邮件。',
    needsScripts: '请启用 JavaScript 后再加入。',
    closed: { title: '候补名单已关闭', text: '已不再接受新的报名。' },
    refused: { title: '未能加入', text: '请刷新页面后重试。' },
    wrongSite: '您来自的网站无法使用此表单。您可以在此处加入。',
    problems: {
      summary: count({ other: '请检查标出的 # 项内容。' }),
      emailRequired: '请填写邮箱。',
      emailInvalid: '请填写有效的邮箱地址。',
      emailRole: '请填写个人邮箱地址，info@ 等公用邮箱无法加入。',
      emailTypo: (email) => `您要填写的是 ${email} 吗？`,
      required: '此项为必填项。',
      choiceInvalid: '请从选项中选择。',
      tooLong: count({ other: '最多 # 个字符。' }),
      consentRequired: '请勾选后继续。',
      captchaRequired: '请确认你不是机器人。',
    },
  },

  joined: {
    title: '你已加入候补名单',
    text: (waitlist) => `感谢你加入 ${waitlist} 的候补名单。轮到你时，我们会发邮件通知你。`,
    checkInboxTitle: '请查收邮件',
    checkInbox: (waitlist) => `请打开邮件中的链接，确认加入 ${waitlist} 的候补名单。`,
    seeStatus: '查看我的排位',
    code: {
      counts: count({ other: '你的代码相当于让你提前 # 位加入。' }),
      unusable: '你的代码无效：可能拼写有误、已过期或已用完。',
    },
  },

  status: {
    title: (waitlist) => `你在 ${waitlist} 的排位`,
    positionLabel: '当前排位',
    position: (position) => `你目前排在第 ${formats.number(position)} 位。`,
    joinedAs: (place) => `你是第 ${formats.number(place)} 位加入的。`,
    countsEarlier: count({ other: '你的推荐相当于让你提前 # 位加入。' }),
    codeCounts: (places, code) => `代码 ${code} 相当于让你提前 ${formats.number(places)} 位加入。`,
    movedByTeam: '团队调整了你的排位。',
    referrals: count({
      zero: '还没有人通过你的链接加入。',
      other: '已有 # 人通过你的链接加入。',
    }),
    pending: { title: '确认邮箱', text: '打开邮件中的链接，即可获得排位。' },
    resend: '重新发送邮件',
    resent: '邮件即将发送，也请查看垃圾邮件。每天最多发送一次。',
    invited: { title: '轮到你了', text: '你已获得邀请。' },
    inviteSent: '邀请已发送，请查收邮件。',
    joined: { title: '欢迎加入', text: '你已接受邀请。' },
    removed: { title: '你不在候补名单中', text: '该邮箱已不在候补名单中。' },
    unknown: { title: '链接无效', text: '链接不完整，或该邮箱已退出候补名单。' },
    leave: '退订或退出候补名单',
  },

  ownData: {
    download: '下载我的数据',
    delete: '删除我的数据',
    sent: '如果我们可以向该邮箱发送邮件，链接即将送达。链接有效期为 1 小时，也请查看垃圾邮件。每天最多发送三封邮件。',
    downloadTitle: '下载你的数据',
    downloadText: (waitlist) => `文件包含 ${waitlist} 候补名单中保存的关于你的所有数据。`,
    deleteTitle: '删除你的数据',
    deleteText: (waitlist) => `你在 ${waitlist} 候补名单中的位置、邀请和所有数据都将被删除，且无法恢复。`,
    expired: { title: '链接已过期', text: '数据链接的有效期为 1 小时。' },
    askAgain: '获取新链接',
  },

  share: {
    title: '想更快获得资格？',
    titleUnmoved: '告诉更多人',
    movesUp: count({ other: '分享你的链接。每有一人通过链接加入，就视为你提前 # 位加入。' }),
    text: '把你的链接分享给朋友。',
    linkLabel: '你的专属链接',
    copy: '复制链接',
    copied: '已复制',
    share: '分享',
    on: (network) => `分享到 ${network}`,
    byEmail: '通过邮件分享',
    email: '邮件',
    post: (waitlist) => `我刚刚加入了 ${waitlist} 的候补名单，一起来吧：`,
    emailSubject: (waitlist) => `和我一起加入 ${waitlist} 的候补名单`,
    description: (waitlist) => `加入 ${waitlist} 候补名单，抢先占位。`,
  },

  mail: {
    templates: {
      confirm: {
        subject: '请确认加入 {{ waitlist }} 的候补名单',
        body: `# 确认邮箱

有人（应该就是你）使用此邮箱报名加入 **{{ waitlist }}** 的候补名单。请确认邮箱以完成加入。

[确认邮箱]({{ confirmLink }})

链接有效期为 7 天。如果不是你本人操作，请忽略此邮件，我们不会将你加入名单。
`,
      },
      welcome: {
        subject: '你已加入 {{ waitlist }} 的候补名单',
        body: `# 你已加入候补名单

感谢你加入 **{{ waitlist }}** 的候补名单。{% if position %}你目前排在**第 {{ position | number }} 位**。{% endif %}轮到你时，我们会发邮件通知你。

[查看我的排位]({{ statusLink }})
{% if referralLink %}
{% if boost == 0 or position == 1 %}## 告诉更多人

把你的链接分享给朋友。{% else %}## 想更快获得资格？

分享你的链接。每有一人通过链接加入，就视为你更早加入。{% endif %}

{{ referralLink }}
{% endif %}`,
      },
      'moved-up': {
        subject: '你在 {{ waitlist }} 候补名单中的排位前进了',
        body: `# 你的排位前进了

有人通过你的推荐加入了 **{{ waitlist }}** 的候补名单。你现在排在**第 {{ position | number }} 位**，共推荐 {{ referrals | number }} 人。
{% if referralLink %}
[再次分享链接]({{ statusLink }})
{% endif %}`,
      },
      invite: {
        subject: '{{ waitlist }} 邀请你加入',
        body: `# 轮到你了

你现在可以使用 **{{ waitlist }}** 了。

[接受邀请]({{ joinLink }})

如需输入邀请码，请使用：

\`{{ inviteCode }}\`
{% if expiresAt %}
此邀请仅限你本人使用，有效期至 {{ expiresAt }}。
{% else %}
此邀请仅限你本人使用，且只能使用一次。
{% endif %}`,
      },
      'invite-reminder': {
        subject: '你的 {{ waitlist }} 邀请即将过期',
        body: `# 邀请即将过期

你的 **{{ waitlist }}** 邀请有效期至 {{ expiresAt }}。过期后，邀请链接将失效。

[接受邀请]({{ joinLink }})

如需输入邀请码，请使用：

\`{{ inviteCode }}\`
`,
      },
      accepted: {
        subject: '欢迎加入 {{ waitlist }}',
        body: `# 欢迎加入

你已接受 **{{ waitlist }}** 的邀请，很高兴你加入我们。

如果不是你本人操作，请回复此邮件告知我们。
`,
      },
      declined: {
        subject: '关于你在 {{ waitlist }} 候补名单中的报名',
        body: `# 暂时无法为你提供名额

感谢你关注 **{{ waitlist }}**。很抱歉，我们目前无法为你提供名额。如果情况有变，我们会发邮件通知你。

如有疑问，请直接回复此邮件。
`,
      },
      'data-download': {
        subject: '下载你在 {{ waitlist }} 候补名单中的数据',
        body: `# 下载你的数据

有人（应该就是你）请求获取 **{{ waitlist }}** 候补名单中保存的关于你的数据。

[下载我的数据]({{ downloadLink }})

链接有效期为 1 小时。如果不是你本人操作，请忽略此邮件，其他人不会得到你的数据。
`,
      },
      'data-deletion': {
        subject: '删除你在 {{ waitlist }} 候补名单中的数据',
        body: `# 删除你的数据

有人（应该就是你）请求删除你在 **{{ waitlist }}** 候补名单中的位置和所有数据。在你确认之前，不会删除任何内容。

[删除我的数据]({{ deletionLink }})

链接有效期为 1 小时。如果不是你本人操作，请忽略此邮件，你的位置不会改变。
`,
      },
    },
    reasons: {
      added: (waitlist) => `你收到此邮件，是因为有人使用此邮箱报名加入 ${waitlist} 的候补名单。`,
      onList: (waitlist) => `你收到此邮件，是因为此邮箱在 ${waitlist} 的候补名单中。`,
      invited: (waitlist) => `你收到此邮件，是因为你获得了 ${waitlist} 的邀请。`,
      accepted: (waitlist) => `你收到此邮件，是因为你接受了 ${waitlist} 的邀请。`,
    },
    leave: '退订或退出候补名单',
    seeStatus: '查看我的排位',
  },
};
