/** Plain JSON values: what arguments, records, facts and tickets are made of (RFC 8259). */

/** A plain JSON value, read-only at every level. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** A plain JSON object. */
export interface JsonObject {
  readonly [key: string]: Json
}
