// The part of JSON Schema that the schemas of @foxglove/schemas and of touchline use.

/** Returns what of a value does not fit a schema; "" if it fits. */
export function validate(schema, value, path = '$') {
  if (schema.oneOf) {
    const choices = schema.oneOf.filter((s) => validate(s, value, path) === '')
    return choices.length === 1 ? '' : `${path} is ${JSON.stringify(value)}, none of the choices`
  }
  if ('const' in schema) return value === schema.const ? '' : `${path} is ${JSON.stringify(value)}, want ${schema.const}`
  switch (schema.type) {
    case 'object': {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${path} is no object`
      for (const name of schema.required ?? []) if (!(name in value)) return `${path}.${name} is missing`
      for (const [name, v] of Object.entries(value)) {
        const s = schema.properties?.[name]
        if (!s) {
          if (Object.keys(schema.properties ?? {}).length === 0) continue // of any members
          return `${path}.${name} is not in the schema`
        }
        const wrong = validate(s, v, `${path}.${name}`)
        if (wrong) return wrong
      }
      return ''
    }
    case 'array':
      if (!Array.isArray(value)) return `${path} is no array`
      for (const [i, v] of value.entries()) {
        const wrong = validate(schema.items, v, `${path}[${i}]`)
        if (wrong) return wrong
      }
      return ''
    case 'number':
    case 'integer':
      if (typeof value !== 'number' || schema.type === 'integer' && !Number.isInteger(value)) return `${path} is ${JSON.stringify(value)}, no ${schema.type}`
      if (value < (schema.minimum ?? -Infinity) || value > (schema.maximum ?? Infinity)) return `${path} is ${value}, out of range`
      return ''
    case 'string':
      if (typeof value !== 'string') return `${path} is no string`
      if (schema.contentEncoding === 'base64' && !/^[A-Za-z0-9+/]*={0,2}$/.test(value)) return `${path} is no base64`
      return ''
    case 'boolean':
      return typeof value === 'boolean' ? '' : `${path} is no boolean`
  }
  return `${path}: the schema has the type ${JSON.stringify(schema.type)}`
}
