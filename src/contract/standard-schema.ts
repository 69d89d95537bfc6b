/** The synchronous part of Standard Schema v1 (standardschema.dev), restated so that core needs no package. */

/** Any validator of the family: zod 3.24 and 4, valibot 1, arktype 2. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** What a validator answers: a value, or issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] }

/** The type that a schema yields after defaults and transforms. */
export type InferOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output']
