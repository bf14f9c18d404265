import { formatsOf } from './formats.ts';
import type { Texts } from './texts.ts';

const formats = formatsOf('ja-JP');
const { count } = formats;

export const ja: Texts = {
  tag: 'ja',
  dir: 'ltr',
  formats,
  stop: '。',

  join: {
    title: (waitlist) => `${waitlist}への招待`,
    inviteFor: (email) => `${email}宛ての招待です。1回のみ利用できます。`,
    inviteForUntil: (email, expires) =>
      `${email}宛ての招待です。有効期限は${expires}で、1回のみ利用できます。`,
    enterEmail: (waitlist) => `${waitlist}を利用するには、メールアドレスを入力してください。`,
    enterEmailUntil: (waitlist, expires) =>
      `${waitlist}を利用するには、メールアドレスを入力してください。招待の有効期限は${expires}です。`,
    codeUsedUp: { title: 'このコードは上限に達しました', text: 'これ以上は利用できません。' },
    forJoining: (waitlist) => ({
      title: 'ウェイトリスト用のコード',
      text: `このコードを使うと順番が早くなります。${waitlist}のウェイトリストに登録するときに入力してください。`,
    }),
    accept: '招待を受ける',
    acceptedTitle: 'ようこそ',
    accepted: (waitlist, email) => `${email}で${waitlist}への招待を受けました。ご利用いただけます。`,
    continueTo: (waitlist) => `${waitlist}へ進む`,
    notFound: {
      title: '招待が見つかりません',
      text: 'リンクが不完全です。メールからもう一度コピーしてください。',
    },
    expired: { title: 'この招待は期限切れです', text: 'すでに利用できなくなっています。' },
    revoked: { title: 'この招待は取り消されました', text: 'すでに利用できなくなっています。' },
    alreadyAcceptedTitle: 'すでに利用済みです',
    alreadyAccepted: (waitlist) => `${waitlist}への招待はすでに利用されています。`,
    askSender: (waitlist, email) =>
      `${waitlist}の利用方法がわからない場合は、${email}までお問い合わせください。`,
    askHost: (waitlist) => `${waitlist}の利用方法がわからない場合は、招待した方にお問い合わせください。`,
  },

  confirm: {
    title: 'メールアドレスの確認',
    ask: (waitlist) => `${waitlist}のウェイトリストに登録するには、メールアドレスを確認してください。`,
    button: '確認する',
    confirmedTitle: 'メールアドレスを確認しました',
    confirmed: (waitlist) => `${waitlist}のウェイトリストに登録されました。このページは閉じてかまいません。`,
    expired: {
      title: 'リンクの有効期限が切れています',
      text: 'リンクは7日間有効です。新しいリンクをお送りできます。',
    },
    renew: '新しいリンクを送る',
    renewed: {
      title: 'メールをご確認ください',
      text: '新しいリンクをまもなくお送りします。送信は1日1通までです。',
    },
    unknown: {
      title: 'このリンクは利用できません',
      text: 'リンクが不完全か、メールアドレスがウェイトリストから削除されています。メールからもう一度リンクをコピーしてください。',
    },
  },

  leave: {
    title: (waitlist) => `${waitlist}からのメール`,
    unsubscribeText:
      'ウェイトリストの順番はそのままで、メールの配信だけを停止します。招待の際にはメールでお知らせします。',
    unsubscribe: '配信を停止する',
    leaveText:
      'ウェイトリストから退会することもできます。順番、招待、このウェイトリストに保存されたすべてのデータが削除され、元に戻すことはできません。',
    leave: '退会してデータを削除する',
    unsubscribedTitle: '配信を停止しました',
    unsubscribed: (waitlist) => `今後、${waitlist}からこのメールは届きません。`,
    leftTitle: 'ウェイトリストから退会しました',
    left: (waitlist) => `${waitlist}のウェイトリストでの順番と、すべてのデータを削除しました。`,
    unknown: {
      title: 'このリンクは利用できません',
      text: 'リンクが不完全か、このメールアドレスはすでに退会しています。',
    },
  },

  errors: {
    title: '問題が発生しました',
    other: 'もう一度お試しください。',
    rateLimited: 'リクエストが多すぎます。1分ほど待ってから、もう一度お試しください。',
    unavailable: '現在ご利用いただけません。しばらくしてから、もう一度お試しください。',
    notEmailed: '現在メールをお送りできません。しばらくしてから、もう一度お試しください。',
    notFound: {
      title: 'ページが見つかりません',
      text: 'アドレスを確認するか、リンクをもう一度コピーしてください。',
    },
  },

  form: {
    title: (waitlist) => `${waitlist}のウェイトリストに登録`,
    intro: 'メールアドレスをご登録ください。順番が来たらお知らせします。',
    email: 'メールアドレス',
    code: 'コード',
    emailExample: 'you@example.com',
    button: 'ウェイトリストに登録',
    sending: '送信中…',
    optional: '任意',
    choose: '選択してください',
    leaveEmpty: 'この欄は空のままにしてください',
    useInstead: (email) => `${email} を使う`,
    confirmByEmail: '確認メールをお送りします。',
    needsScripts: '登録するにはJavaScriptを有効にしてください。',
    closed: {
      title: 'このウェイトリストは受付を終了しました',
      text: '新規の登録は受け付けていません。',
    },
    refused: {
      title: '登録できませんでした',
      text: 'ページを再読み込みして、もう一度お試しください。',
    },
    wrongSite: 'アクセス元のサイトではこのフォームを利用できません。こちらからご登録ください。',
    problems: {
      summary: count({ other: '入力内容をご確認ください（#件）。' }),
      emailRequired: 'メールアドレスを入力してください。',
      emailInvalid: '有効なメールアドレスを入力してください。',
      emailRole: '個人のメールアドレスを入力してください。info@ などの共有アドレスは登録できません。',
      emailTypo: (email) => `${email} ではありませんか？`,
      required: 'この項目は必須です。',
      choiceInvalid: '選択肢から選んでください。',
      tooLong: count({ other: '#文字以内で入力してください。' }),
      consentRequired: '続けるにはチェックを入れてください。',
      captchaRequired: 'ロボットではないことを確認してください。',
    },
  },

  joined: {
    title: '登録が完了しました',
    text: (waitlist) =>
      `${waitlist}のウェイトリストにご登録いただきありがとうございます。順番が来たらメールでお知らせします。`,
    checkInboxTitle: 'メールをご確認ください',
    checkInbox: (waitlist) =>
      `お送りしたメールのリンクを開いて、${waitlist}のウェイトリストへの登録を完了してください。`,
    seeStatus: '現在の順番を見る',
    code: {
      counts: count({ other: 'コードにより、#番早く登録したものとして数えられます。' }),
      unusable:
        'このコードは適用されません。入力が誤っているか、有効期限が切れているか、使用回数の上限に達しています。',
    },
  },

  status: {
    title: (waitlist) => `${waitlist}のウェイトリストでの順番`,
    positionLabel: '現在の順番',
    position: (position) => `現在の順番は${formats.number(position)}番目です。`,
    joinedAs: (place) => `${formats.number(place)}番目に登録しました。`,
    countsEarlier: count({ other: '紹介により、#番早く登録したものとして数えられます。' }),
    codeCounts: (places, code) =>
      `コード「${code}」により、${formats.number(places)}番早く登録したものとして数えられます。`,
    movedByTeam: '運営チームが順番を変更しました。',
    referrals: count({
      zero: 'あなたのリンクから登録した人はまだいません。',
      other: 'あなたのリンクから#人が登録しました。',
    }),
    pending: {
      title: 'メールアドレスの確認',
      text: 'お送りしたメールのリンクを開くと、順番が確定します。',
    },
    resend: 'メールを再送する',
    resent: 'まもなくメールをお送りします。迷惑メールフォルダもご確認ください。送信は1日1通までです。',
    invited: { title: '順番が来ました', text: '招待されています。' },
    inviteSent: '招待メールをお送りしました。受信トレイをご確認ください。',
    joined: { title: 'ご利用いただけます', text: 'すでに招待を受けています。' },
    removed: {
      title: 'ウェイトリストに登録されていません',
      text: 'このメールアドレスはウェイトリストから削除されています。',
    },
    unknown: {
      title: 'このリンクは利用できません',
      text: 'リンクが不完全か、このメールアドレスは退会しています。',
    },
    leave: '配信停止・退会',
  },

  ownData: {
    download: '自分のデータをダウンロード',
    delete: '自分のデータを削除',
    sent: 'このアドレスにメールをお送りできる場合は、まもなくリンクが届きます。リンクは1時間有効です。迷惑メールフォルダもご確認ください。送信は1日3通までです。',
    downloadTitle: 'データのダウンロード',
    downloadText: (waitlist) =>
      `ファイルには、${waitlist}のウェイトリストに保存されているあなたのデータがすべて含まれます。`,
    deleteTitle: 'データの削除',
    deleteText: (waitlist) =>
      `${waitlist}のウェイトリストでの順番、招待、すべてのデータが削除されます。元に戻すことはできません。`,
    expired: { title: 'リンクの有効期限が切れています', text: 'データへのリンクは1時間有効です。' },
    askAgain: '新しいリンクを受け取る',
  },

  share: {
    title: '順番を早めるには',
    titleUnmoved: 'まわりの人にも知らせましょう',
    movesUp: count({
      other: 'リンクをシェアしましょう。リンクから1人登録するごとに、#番早く登録したものとして扱われます。',
    }),
    text: '友だちにリンクをシェアしましょう。',
    linkLabel: 'あなたのリンク',
    copy: 'リンクをコピー',
    copied: 'コピーしました',
    share: 'シェア',
    on: (network) => `${network}でシェア`,
    byEmail: 'メールでシェア',
    email: 'メール',
    post: (waitlist) => `${waitlist}のウェイトリストに登録しました。一緒に登録しませんか？`,
    emailSubject: (waitlist) => `${waitlist}のウェイトリストに登録しませんか`,
    description: (waitlist) => `${waitlist}のウェイトリストに登録して、順番を確保しましょう。`,
  },

  mail: {
    templates: {
      confirm: {
        subject: '【{{ waitlist }}】メールアドレスの確認',
        body: `# メールアドレスの確認

このメールアドレスで**{{ waitlist }}**のウェイトリストへの登録がありました。下のボタンから登録を完了してください。

[メールアドレスを確認する]({{ confirmLink }})

リンクは7日間有効です。お心当たりがない場合は、このメールを破棄してください。ウェイトリストには登録されません。
`,
      },
      welcome: {
        subject: '【{{ waitlist }}】ウェイトリストに登録されました',
        body: `# 登録が完了しました

**{{ waitlist }}**のウェイトリストにご登録いただきありがとうございます。{% if position %}現在の順番は**{{ position | number }}番目**です。{% endif %}順番が来たらメールでお知らせします。

[現在の順番を見る]({{ statusLink }})
{% if referralLink %}
{% if boost == 0 or position == 1 %}## まわりの人にも知らせましょう

友だちにリンクをシェアしましょう。{% else %}## 順番を早めるには

リンクをシェアしましょう。リンクから1人登録するごとに、より早く登録したものとして扱われます。{% endif %}

{{ referralLink }}
{% endif %}`,
      },
      'moved-up': {
        subject: '【{{ waitlist }}】順番が繰り上がりました',
        body: `# 順番が繰り上がりました

あなたの紹介で**{{ waitlist }}**のウェイトリストに登録した人がいます。現在の順番は**{{ position | number }}番目**、紹介した人数は{{ referrals | number }}人です。
{% if referralLink %}
[もう一度リンクをシェアする]({{ statusLink }})
{% endif %}`,
      },
      invite: {
        subject: '{{ waitlist }}への招待',
        body: `# 順番が来ました

**{{ waitlist }}**をご利用いただけるようになりました。

[招待を受ける]({{ joinLink }})

コードの入力を求められた場合は、次のコードをお使いください。

\`{{ inviteCode }}\`
{% if expiresAt %}
この招待はあなた専用です。有効期限は{{ expiresAt }}です。
{% else %}
この招待はあなた専用で、1回のみ利用できます。
{% endif %}`,
      },
      'invite-reminder': {
        subject: '{{ waitlist }}への招待がまもなく期限切れになります',
        body: `# 招待がまもなく期限切れになります

**{{ waitlist }}**への招待の有効期限は{{ expiresAt }}です。期限を過ぎると、招待のリンクは使えなくなります。

[招待を受ける]({{ joinLink }})

コードの入力を求められた場合は、次のコードをお使いください。

\`{{ inviteCode }}\`
`,
      },
      accepted: {
        subject: '{{ waitlist }}へようこそ',
        body: `# ようこそ

**{{ waitlist }}**への招待を受けていただきありがとうございます。

お心当たりがない場合は、このメールに返信してお知らせください。
`,
      },
      declined: {
        subject: '【{{ waitlist }}】ウェイトリストへのご登録について',
        body: `# ご招待を見送らせていただきます

**{{ waitlist }}**にご関心をお寄せいただきありがとうございます。申し訳ございませんが、現時点ではご招待を見送らせていただくこととなりました。状況が変わりましたら、メールでお知らせします。

ご不明な点がございましたら、このメールに返信してお問い合わせください。
`,
      },
      'data-download': {
        subject: '【{{ waitlist }}】データのダウンロード',
        body: `# データのダウンロード

**{{ waitlist }}**のウェイトリストに保存されているあなたのデータについて、ダウンロードのご希望がありました。

[データをダウンロードする]({{ downloadLink }})

リンクは1時間有効です。お心当たりがない場合は、このメールを破棄してください。データが他の人に渡ることはありません。
`,
      },
      'data-deletion': {
        subject: '【{{ waitlist }}】データの削除',
        body: `# データの削除

**{{ waitlist }}**のウェイトリストでの順番とすべてのデータについて、削除のご希望がありました。確認が済むまで削除されません。

[データを削除する]({{ deletionLink }})

リンクは1時間有効です。お心当たりがない場合は、このメールを破棄してください。順番はそのままです。
`,
      },
    },
    reasons: {
      added: (waitlist) =>
        `このメールアドレスで${waitlist}のウェイトリストへの登録があったため、お送りしています。`,
      onList: (waitlist) =>
        `このメールアドレスが${waitlist}のウェイトリストに登録されているため、お送りしています。`,
      invited: (waitlist) => `${waitlist}に招待された方にお送りしています。`,
      accepted: (waitlist) => `${waitlist}への招待を受けた方にお送りしています。`,
    },
    leave: '配信停止・ウェイトリストの退会',
    seeStatus: '現在の順番を見る',
  },
};
