import Type from 'typebox';
import { closed, codeInput, Done, PasswordProof, passwordInput } from '../../../operations/core/schemas.ts';
import { confirmTotp, disableTotp, renewRecoveryCodes, startTotp } from '../../../operators/own-account.ts';
import { named, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { type AdminParts, personOf } from '../core/admin-parts.ts';
import { adminSchema } from '../core/operation.ts';

const tag = 'Two-factor authentication';
const password = 'compilers translate words';
const wrongPassword = { forbidden: { when: 'The password is wrong.', message: 'password: is incorrect' } };

const TwoFactorSecret = Type.Object(
  {
    secret: Type.String({ description: 'Secret to type into the app, in base 32.' }),
    uri: Type.String({ format: 'uri', description: 'The same as an `otpauth:` address.' }),
    picture: Type.String({ description: 'The address as a QR code, an SVG document.' }),
  },
  { ...named('TwoFactorSecret'), description: 'What the authenticator app needs. It is shown only here.' },
);

const TwoFactorCode = Type.Object(
  { code: codeInput },
  {
    ...named('TwoFactorCode'),
    ...closed,
    description: 'A code from the app.',
    ...withExamples({ code: { summary: 'A code', value: { code: '492039' } } }),
  },
);

const TwoFactorEnd = Type.Object(
  { password: passwordInput, code: codeInput },
  {
    ...named('TwoFactorEnd'),
    ...closed,
    description: 'The password and a code.',
    ...withExamples({ code: { summary: 'Password and code', value: { password, code: '492039' } } }),
  },
);

const RecoveryCodes = Type.Object(
  {
    recoveryCodes: Type.Array(Type.String({ description: 'A code.' }), {
      description: 'Ten codes. Each works once, in place of a code from the app.',
    }),
  },
  { ...named('RecoveryCodes'), description: 'Codes for a lost device. They are shown only here.' },
);

const codesAnswer = {
  schema: RecoveryCodes,
  example: { recoveryCodes: ['k3v9-x0ab-7m2q-c5wd', 'p8n4-e1ys-0jbf-6h2r'] },
};

const startSchema = adminSchema({
  operationId: 'startTwoFactor',
  tag,
  summary: 'Start two-factor authentication',
  description:
    'Returns a secret for an authenticator app. It has no effect until you confirm a code from the app.',
  role: 'viewer',
  person: true,
  body: PasswordProof,
  answer: {
    description: 'The secret.',
    schema: TwoFactorSecret,
    example: {
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      uri: 'otpauth://totp/Doorlist:grace%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Doorlist',
      picture: '<svg xmlns="http://www.w3.org/2000/svg">…</svg>',
    },
  },
  errors: ['conflict'],
  special: {
    ...wrongPassword,
    conflict: { when: 'Two-factor is already on.', message: 'two-factor authentication is already on' },
  },
});

const confirmSchema = adminSchema({
  operationId: 'confirmTwoFactor',
  tag,
  summary: 'Turn two-factor authentication on',
  description: 'Confirms a code from the app. From then on signing in takes a code. Returns recovery codes.',
  role: 'viewer',
  person: true,
  body: TwoFactorCode,
  answer: { description: 'Two-factor is on.', ...codesAnswer },
  errors: ['conflict'],
  special: {
    invalid_request: { when: 'The code is wrong.', message: 'code: is incorrect' },
    conflict: { when: 'Two-factor has not been started.', message: 'start two-factor authentication first' },
  },
});

const disableSchema = adminSchema({
  operationId: 'disableTwoFactor',
  tag,
  summary: 'Turn two-factor authentication off',
  description: 'Takes the password and a code from the app, or a recovery code.',
  role: 'viewer',
  person: true,
  body: TwoFactorEnd,
  answer: { description: 'Two-factor is off.', schema: Done, example: { success: true } },
  errors: ['conflict'],
  special: {
    ...wrongPassword,
    invalid_request: { when: 'The code is wrong.', message: 'code: is incorrect' },
    conflict: { when: 'Two-factor is already off.', message: 'two-factor authentication is off' },
  },
});

const renewSchema = adminSchema({
  operationId: 'renewRecoveryCodes',
  tag,
  summary: 'Replace the recovery codes',
  description: 'Returns new recovery codes; the old ones stop working.',
  role: 'viewer',
  person: true,
  body: PasswordProof,
  answer: { description: 'The new codes.', ...codesAnswer },
  errors: ['conflict'],
  special: {
    ...wrongPassword,
    conflict: { when: 'Two-factor is off.', message: 'two-factor authentication is off' },
  },
});

export function registerTwoFactor(app: TypedApp, parts: AdminParts): void {
  app.post('/me/two-factor', { schema: startSchema }, async (request) => {
    const { password } = request.body;
    return startTotp(parts, personOf(request).actor, password);
  });

  app.post('/me/two-factor/confirm', { schema: confirmSchema }, async (request) => {
    const { code } = request.body;
    return { recoveryCodes: await confirmTotp(parts, personOf(request).actor, code) };
  });

  app.post('/me/two-factor/disable', { schema: disableSchema }, async (request) => {
    await disableTotp(parts, personOf(request).actor, request.body);
    return { success: true as const };
  });

  app.post('/me/recovery-codes', { schema: renewSchema }, async (request) => {
    const { password } = request.body;
    return { recoveryCodes: await renewRecoveryCodes(parts, personOf(request).actor, password) };
  });
}
