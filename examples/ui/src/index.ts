export { actionsFor } from './actions.ts'
export { generationIn, generations, type Generation } from './connect.ts'
export {
  fieldsOf,
  type CheckboxField,
  type ChoiceField,
  type ChoicesField,
  type Field,
  type NumberField,
  type TextField,
} from './fields.ts'
export { keepFocus, type FocusKeeper } from './focus.ts'
export { initialValues, readForm, type FormReading, type FormValues } from './form.ts'
export { formatProgress, formatSize, formatTime } from './format.ts'
export {
  bookingTool,
  isSettled,
  outcomeOf,
  parts,
  progressOfGroup,
  tripSchema,
  wordsForGroup,
  type Part,
} from './group.ts'
export { happened, type HistoryEntry } from './history.ts'
export { chosenIn, describedBy, inputTypeOf, isList, withOption } from './inputs.ts'
export { jobOf, jobs, type Job } from './jobs.ts'
export { blocksOf, titledText, type Block } from './markdown.ts'
export { openPanel, type Panel } from './panel.ts'
export { answers, promptOf, type Prompt } from './prompt.ts'
export { createReports, type Report, type ReportList, type Reports } from './reports.ts'
export { partsOf, type ResultPart } from './result-parts.ts'
export { addressOf, reportAt } from './route.ts'
export { createRuns, type Run, type Runs } from './runs.ts'
export { problemOf, wordsFor, type PhaseWords } from './words.ts'
