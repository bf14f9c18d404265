import type { FastifyInstance } from 'fastify';
import type { TypedApp } from '../typed-app.ts';
import { registerAudit } from './audit.ts';
import { requireRoles } from './authenticate.ts';
import { registerLinkPages } from './link-pages.ts';
import { registerMe } from './me.ts';
import { registerOperators } from './operators.ts';
import type { AdminParts } from './parts.ts';
import { registerPassword } from './password.ts';
import { registerSession } from './session.ts';
import { registerSetup } from './setup.ts';
import { registerTokens } from './tokens.ts';
import { registerTwoFactor } from './two-factor.ts';

const BODY_BYTES_MAX = 16 * 1024;

export function registerAdmin(app: FastifyInstance, parts: AdminParts): void {
  app.register(
    async (scope: TypedApp) => {
      scope.addHook('onRoute', (route) => {
        route.bodyLimit = BODY_BYTES_MAX;
      });
      requireRoles(scope, parts);
      registerSetup(scope, parts);
      registerSession(scope, parts);
      registerPassword(scope, parts);
      registerMe(scope, parts);
      registerTwoFactor(scope, parts);
      registerOperators(scope, parts);
      registerTokens(scope, parts);
      registerAudit(scope, parts);
    },
    { prefix: '/admin/v1' },
  );
  registerLinkPages(app, parts);
}
