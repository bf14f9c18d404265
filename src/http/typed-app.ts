import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Static, TSchema } from 'typebox';

type TypeOf<Schema> = Schema extends TSchema ? Static<Schema> : unknown;

interface SchemaTypes extends FastifyTypeProvider {
  validator: TypeOf<this['schema']>;
  serializer: TypeOf<this['schema']>;
}

/** Types the requests and responses of handlers by their route's schemas. */
export type TypedApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  SchemaTypes
>;
