/** A form with every kind of field that the schema of an elicitation knows, what is wrong with it when empty, and one good answer. */
export const everyKind = {
  schema: {
    type: 'object',
    properties: {
      fullName: { type: 'string', minLength: 2, maxLength: 40, description: 'As in your passport.' },
      code: { type: 'string', title: 'Code', pattern: '^[A-Z]{3}$' },
      website: { type: 'string', title: 'Website', format: 'uri' },
      birthday: { type: 'string', title: 'Birthday', format: 'date' },
      appointment: { type: 'string', title: 'Appointment', format: 'date-time' },
      height: { type: 'number', title: 'Height', minimum: 0.5, maximum: 2.5 },
      copies: { type: 'integer', title: 'Copies', default: 3 },
      news: { type: 'boolean', title: 'Send me news', default: true },
      size: {
        type: 'string',
        title: 'Size',
        enum: ['xs', 's', 'm', 'l', 'xl', 'xxl'],
        enumNames: ['Tiny', 'Small', 'Medium', 'Large', 'Extra large', 'Huge'],
      },
      colour: { type: 'string', title: 'Colour', enum: ['red', 'blue'] },
      meal: {
        type: 'string',
        title: 'Meal',
        oneOf: [
          { const: 'none', title: 'No meal' },
          { const: 'veg', title: 'Vegetarian' },
        ],
        default: 'veg',
      },
      toppings: {
        type: 'array',
        title: 'Toppings',
        minItems: 2,
        maxItems: 3,
        items: {
          anyOf: [
            { const: 'cheese', title: 'Cheese' },
            { const: 'olives', title: 'Olives' },
          ],
        },
      },
      days: {
        type: 'array',
        title: 'Days',
        items: { type: 'string', enum: ['Monday', 'Tuesday'] },
        default: ['Monday'],
      },
    },
    required: ['fullName', 'height', 'size', 'toppings'],
  },
  problems: ['Fill this in.', 'Fill this in.', 'Choose one of these.', 'Choose at least 2.'],
  content: {
    fullName: 'Ada',
    code: 'ABC',
    website: 'https://example.com',
    birthday: '1815-12-10',
    height: 1.7,
    copies: 3,
    news: true,
    size: 'l',
    colour: 'red',
    meal: 'veg',
    toppings: ['cheese', 'olives'],
    days: ['Monday', 'Tuesday'],
  },
}
