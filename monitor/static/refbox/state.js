// What the referee box's pages know: the newest data of each topic.

/** @import {RefboxRefereeShow, RefboxShow, RefboxTeamsShow} from '../types' */

export const box = {
  show: /** @type {RefboxShow | null} */ (null),
  referee: /** @type {RefboxRefereeShow | null} */ (null), // only with the referee's token
  teams: /** @type {RefboxTeamsShow | null} */ (null),
}
